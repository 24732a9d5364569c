#include "runtime/graph/detail/vertex_set.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <vector>

#include "runtime/parallel.h"

namespace matcha::runtime::detail {

namespace {

constexpr std::uint64_t kPiece = 1024;

}  // namespace

VertexSet::VertexSet(std::uint64_t universe) : universe_(universe), words_((universe + 63) / 64) {
  std::fill(words_.begin(), words_.end(), 0);
}

void VertexSet::add(const std::uint32_t* ranks, std::uint64_t count) {
  for_blocks(Block(0, count, std::uint64_t{1} << 14), [&](const Block& block) {
    for (std::uint64_t at = block.begin(); at != block.end(); ++at) {
      if (at != block.begin() && ranks[at] == ranks[at - 1]) continue;  // Sources are usually sorted.
      const std::uint64_t mask = std::uint64_t{1} << (ranks[at] & 63);
      std::atomic_ref<std::uint64_t> word(words_[ranks[at] >> 6]);
      if ((word.load(std::memory_order_relaxed) & mask) == 0) word.fetch_or(mask, std::memory_order_relaxed);
    }
  });
}

void VertexSet::add_range(std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t bit = begin; bit < end; ++bit) words_[bit >> 6] |= std::uint64_t{1} << (bit & 63);
}

std::uint64_t VertexSet::count() const {
  std::uint64_t total = 0;
  for (const std::uint64_t word : words_) total += static_cast<std::uint64_t>(std::popcount(word));
  return total;
}

Buffer<std::uint32_t> VertexSet::take() const {
  const std::uint64_t pieces = (words_.size() + kPiece - 1) / kPiece;
  std::vector<std::uint64_t> before(pieces + 1, 0);
  for (std::uint64_t at = 0; at < words_.size(); ++at) {
    before[at / kPiece + 1] += static_cast<std::uint64_t>(std::popcount(words_[at]));
  }
  std::partial_sum(before.begin(), before.end(), before.begin());
  if (before.back() == universe_) return Buffer<std::uint32_t>();
  Buffer<std::uint32_t> ranks(before.back());
  for_indices(0, pieces, [&](std::uint64_t piece) {
    std::uint64_t out = before[piece];
    const std::uint64_t end = std::min(words_.size(), (piece + 1) * kPiece);
    for (std::uint64_t at = piece * kPiece; at != end; ++at) {
      for (std::uint64_t word = words_[at]; word != 0; word &= word - 1) {
        ranks[out++] = static_cast<std::uint32_t>(at * 64 + static_cast<std::uint64_t>(std::countr_zero(word)));
      }
    }
  });
  return ranks;
}

}  // namespace matcha::runtime::detail
