#include "engines/search/device_sides.h"

#include "engines/search/unit_kernels.h"

namespace matcha::runtime::match {

using matcha_program::MatchRowWord;
using matcha_program::MatchSide;

namespace {

static_assert(sizeof(PartIndex::Word) == sizeof(MatchRowWord));

/// Lays out arrays in memory of a device.
class Packing {
 public:
  /// Returns the start of an array of `bytes` bytes.
  std::uint64_t add(std::uint64_t bytes) {
    const std::uint64_t begin = bytes_;
    bytes_ = aligned_to_line(bytes_ + bytes);
    return begin;
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

}  // namespace

MatchSide side_on_host(const Neighbors& neighbors) {
  MatchSide side{};
  side.items = neighbors.items();
  if (neighbors.maybe_part() == nullptr) {
    side.offsets = reinterpret_cast<const matcha_program::u64*>(neighbors.offsets());
    return side;
  }
  side.words = reinterpret_cast<const MatchRowWord*>(neighbors.maybe_part()->words().data());
  side.ends = neighbors.maybe_part()->part().ends.data();
  return side;
}

Result<DeviceSides::Kept> DeviceSides::copied(const Neighbors& neighbors, std::uint64_t universe,
                                              const cuda::Stream& stream) {
  Kept kept;
  kept.from = neighbors.items();
  const MatchSide host = side_on_host(neighbors);
  const PartIndex* const maybe_part = neighbors.maybe_part();
  const std::uint64_t word_bytes = maybe_part != nullptr ? maybe_part->words().size() * sizeof(MatchRowWord) : 0;
  const std::uint64_t end_bytes = maybe_part != nullptr ? maybe_part->part().ends.size_bytes() : 0;
  const std::uint64_t offset_bytes = maybe_part != nullptr ? 0 : (universe + 1) * sizeof(std::uint64_t);
  const std::uint64_t item_bytes = neighbors.arcs() * sizeof(std::uint32_t);
  Packing packing;
  const std::uint64_t words = packing.add(word_bytes), offsets = packing.add(offset_bytes),
                      ends = packing.add(end_bytes), items = packing.add(item_bytes + 1);
  kept.memory = MATCHA_TRY(cuda::DeviceMemory::allocate(stream.shared_device(), packing.bytes()));
  const auto copy = [&](const void* from, std::uint64_t bytes, std::uint64_t to) {
    return bytes == 0 ? Status(Done{}) : kept.memory.copy_from(stream, from, bytes, to);
  };
  MATCHA_TRY(copy(host.words, word_bytes, words));
  MATCHA_TRY(copy(host.offsets, offset_bytes, offsets));
  MATCHA_TRY(copy(host.ends, end_bytes, ends));
  MATCHA_TRY(copy(host.items, item_bytes, items));
  const cuda::CuDevicePtr base = kept.memory.address();
  if (maybe_part != nullptr) kept.side.words = reinterpret_cast<const MatchRowWord*>(base + words);
  if (maybe_part == nullptr) kept.side.offsets = reinterpret_cast<const matcha_program::u64*>(base + offsets);
  kept.side.ends = reinterpret_cast<const std::uint32_t*>(base + ends);
  kept.side.items = reinterpret_cast<const std::uint32_t*>(base + items);
  return kept;
}

Result<std::vector<MatchSide>> DeviceSides::of(std::span<const Side> sides, MatchIndex& index, const GraphView& graph,
                                               const cuda::Stream& stream) {
  std::vector<MatchSide> all;
  for (const Side& side : sides) {
    const Neighbors& neighbors = index.neighbors(side);
    if (neighbors.items() == index.graph().neighbors) {
      MatchSide& whole = all.emplace_back();
      whole.offsets = reinterpret_cast<const matcha_program::u64*>(graph.offsets);
      whole.items = graph.neighbors;
      continue;
    }
    Kept& kept = kept_[side];
    if (kept.from != neighbors.items() || kept.memory.bytes() == 0) {
      kept = {};
      kept = MATCHA_TRY(copied(neighbors, index.graph().universe, stream));
    }
    all.push_back(kept.side);
  }
  return all;
}

}  // namespace matcha::runtime::match
