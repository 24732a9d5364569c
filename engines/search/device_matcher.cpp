#include "engines/search/device_matcher.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace matcha::runtime::match {

using matcha_program::LeafRoom;
using matcha_program::MatchLaunch;
using matcha_program::MatchPlace;
using matcha_program::MatchQuery;
using matcha_program::MatchSide;
using matcha_program::MatchSum;
using matcha_program::MatchTask;
using matcha_program::MatchTie;
using matcha_program::MatchUndo;
using matcha_program::UnitShared;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kTasks = std::uint64_t{1} << 16;
/// Images between two checks for idle groups.
constexpr std::uint64_t kTried = 64;
/// Images after which the rest of a part is queued after all other work.
constexpr std::uint64_t kPatience = 20000;

}  // namespace

/// The layout of the memory that is copied with a launch: results come first.
struct DeviceMatcher::Layout {
  std::uint64_t sums = 0, back = 0, queries = 0, roots = 0, places = 0, ties = 0, tie_sides = 0, sides = 0, bytes = 0;

  explicit Layout(const DeviceBatch& batch) {
    sums = aligned_to_line(sizeof(UnitShared));
    back = sums + batch.sums().size() * sizeof(MatchSum);
    queries = aligned_to_line(back);
    roots = aligned_to_line(queries + batch.queries().size() * sizeof(MatchQuery));
    places = aligned_to_line(roots + batch.roots().size() * sizeof(std::uint32_t));
    ties = aligned_to_line(places + batch.places().size() * sizeof(MatchPlace));
    tie_sides = aligned_to_line(ties + batch.ties().size() * sizeof(MatchTie));
    sides = aligned_to_line(tie_sides + batch.tie_sides().size() * sizeof(std::uint32_t));
    bytes = aligned_to_line(sides + batch.sides().size() * sizeof(MatchSide));
  }
};

DeviceMatcher::DeviceMatcher(cuda::Stream stream, cuda::Module code, cuda::Function search, cuda::Function place,
                             cuda::GraphUpload graph, std::uint64_t universe, unsigned most_blocks)
    : stream_(std::make_unique<cuda::Stream>(std::move(stream))),
      code_(std::move(code)),
      search_(std::move(search)),
      place_(std::move(place)),
      graph_(std::move(graph)),
      universe_(universe),
      most_blocks_(most_blocks) {}

Result<std::unique_ptr<DeviceMatcher>> DeviceMatcher::make(const GraphView& graph, const cuda::DeviceRef& device,
                                                           cuda::Module code) {
  cuda::Function search = MATCHA_TRY(code.function("match_search"));
  cuda::Function place = MATCHA_TRY(code.function("match_place"));
  const unsigned most = MATCHA_TRY(most_blocks(search, *device));
  cuda::Stream stream = MATCHA_TRY(cuda::Stream::create(device));
  cuda::UploadOptions wanted;
  wanted.sources = wanted.halves = wanted.edge_info = wanted.labels = wanted.original_ids = false;
  cuda::GraphUpload upload = MATCHA_TRY(cuda::GraphUpload::start(device, graph, wanted));
  MATCHA_TRY(upload.wait());
  std::unique_ptr<DeviceMatcher> made(new DeviceMatcher(std::move(stream), std::move(code), std::move(search),
                                                        std::move(place), std::move(upload), graph.universe, most));
  made->stop_word_ = MATCHA_TRY(StopWord::make(device));
  made->tasks_ = MATCHA_TRY(cuda::DeviceBuffer<MatchTask>::allocate(device, kTasks));
  MATCHA_TRY(made->tasks_.fill(*made->stream_, 0));
  return made;
}

/// A third of the free memory is for masks.
std::uint64_t DeviceMatcher::most_patterns(std::uint64_t free_bytes) const {
  const std::uint64_t of_one = std::max<std::uint64_t>(universe_, 1) * sizeof(std::uint64_t);
  return std::max<std::uint64_t>((free_bytes + masks_.bytes()) / 3 / of_one, 1);
}

/// Allocates memory for the lists of `groups` groups; reduces `groups` if memory is short.
Status DeviceMatcher::reserve_groups(const DeviceBatch& batch, std::uint64_t& groups) {
  const std::uint64_t undo_bytes = batch.undo_room() * sizeof(MatchUndo);
  const std::uint64_t list_bytes = batch.list_room() * sizeof(std::uint32_t);
  if (undos_.bytes() < groups * undo_bytes || lists_.bytes() < groups * list_bytes ||
      leaves_.bytes() < groups * sizeof(LeafRoom)) {
    undos_ = {};
    lists_ = {};
    leaves_ = {};
    const cuda::Device::Memory memory = MATCHA_TRY(stream_->device().memory());
    const std::uint64_t fit = memory.free / 2 / (undo_bytes + list_bytes + sizeof(LeafRoom));
    groups = std::min(groups, std::max<std::uint64_t>(fit, 1));
  }
  MATCHA_TRY(reserve(undos_, stream_->shared_device(), groups * undo_bytes));
  MATCHA_TRY(reserve(lists_, stream_->shared_device(), groups * list_bytes));
  return reserve(leaves_, stream_->shared_device(), groups * sizeof(LeafRoom));
}

Status DeviceMatcher::send(const Layout& layout, const DeviceBatch& batch, std::span<const MatchSide> sides) {
  const cuda::DeviceRef& device = stream_->shared_device();
  MATCHA_TRY(reserve(masks_, device, batch.masks() * sizeof(std::uint64_t)));
  MATCHA_TRY(reserve(control_, device, layout.bytes));
  MATCHA_TRY(reserve(control_stage_, device, layout.bytes));
  MATCHA_TRY(masks_.fill(*stream_, 0));
  std::byte* const to = static_cast<std::byte*>(control_stage_.host());
  UnitShared shared{};
  shared.live = batch.units();
  std::memcpy(to, &shared, sizeof(shared));
  std::memcpy(to + layout.sums, batch.sums().data(), batch.sums().size() * sizeof(MatchSum));
  const std::vector<MatchQuery> queries =
      batch.queries_at(reinterpret_cast<const std::uint32_t*>(control_.address() + layout.roots),
                       reinterpret_cast<const std::uint64_t*>(masks_.address()));
  std::memcpy(to + layout.queries, queries.data(), queries.size() * sizeof(MatchQuery));
  std::memcpy(to + layout.roots, batch.roots().data(), batch.roots().size() * sizeof(std::uint32_t));
  std::memcpy(to + layout.places, batch.places().data(), batch.places().size() * sizeof(MatchPlace));
  if (!sides.empty()) {
    std::memcpy(to + layout.ties, batch.ties().data(), batch.ties().size() * sizeof(MatchTie));
    std::memcpy(to + layout.tie_sides, batch.tie_sides().data(), batch.tie_sides().size() * sizeof(std::uint32_t));
    std::memcpy(to + layout.sides, sides.data(), sides.size_bytes());
  }
  MATCHA_TRY(control_.copy_from(*stream_, to, layout.bytes));
  const std::uint64_t count = batch.places().size();
  cuda::LaunchShape shape;
  shape.threads = kThreadsOfBlock;
  shape.blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(count / kThreadsOfBlock, 1, most_blocks_));
  return place_.launch(*stream_, shape, reinterpret_cast<const MatchPlace*>(control_.address() + layout.places),
                       static_cast<matcha_program::u64>(count),
                       reinterpret_cast<matcha_program::u64*>(masks_.address()));
}

Result<std::vector<DeviceBatch::Outcome>> DeviceMatcher::launch(MatchIndex& index, const DeviceBatch& batch,
                                                                const Stops& stops) {
  const Layout layout(batch);
  // All groups, so that busy ones can give work away.
  std::uint64_t groups = most_blocks_ * kGroupsOfBlock;
  const std::vector<MatchSide> sides = MATCHA_TRY(sides_.of(batch.sides(), index, graph_.view(), *stream_));
  MATCHA_TRY(reserve_groups(batch, groups));
  MATCHA_TRY(send(layout, batch, sides));
  stop_word_.clear();
  MatchLaunch launch{};
  launch.offsets = reinterpret_cast<const matcha_program::u64*>(graph_.view().offsets);
  launch.neighbors = graph_.view().neighbors;
  launch.queries = reinterpret_cast<const MatchQuery*>(control_.address() + layout.queries);
  launch.query_count = batch.queries().size();
  launch.sums = reinterpret_cast<MatchSum*>(control_.address() + layout.sums);
  launch.unit_count = batch.units();
  launch.chunk = 1;
  launch.shared = reinterpret_cast<UnitShared*>(control_.address());
  launch.tasks = tasks_.data();
  launch.task_capacity = kTasks;
  launch.number = ++number_;
  launch.tried = kTried;
  launch.patience = kPatience;
  launch.workers = groups;
  launch.undos = reinterpret_cast<MatchUndo*>(undos_.address());
  launch.undo_room = batch.undo_room();
  launch.lists = reinterpret_cast<matcha_program::u32*>(lists_.address());
  launch.list_room = batch.list_room();
  launch.leaves = reinterpret_cast<LeafRoom*>(leaves_.address());
  launch.ties = reinterpret_cast<const MatchTie*>(control_.address() + layout.ties);
  launch.tie_sides = reinterpret_cast<const matcha_program::u32*>(control_.address() + layout.tie_sides);
  launch.sides = reinterpret_cast<const MatchSide*>(control_.address() + layout.sides);
  launch.stop_word = reinterpret_cast<const matcha_program::u64*>(stop_word_.address());
  MATCHA_TRY(search_.launch(*stream_, shape_of(groups), launch));
  MATCHA_TRY(control_.copy_to(*stream_, control_stage_.host(), layout.back));
  MATCHA_TRY(stop_word_.wait(*stream_, stops));
  const std::byte* const from = static_cast<const std::byte*>(control_stage_.host());
  UnitShared shared{};
  std::memcpy(&shared, from, sizeof(shared));
  std::vector<MatchSum> sums(batch.sums().size());
  std::memcpy(sums.data(), from + layout.sums, sums.size() * sizeof(MatchSum));
  MATCHA_TRY(took_all_units(shared, batch.units(), stream_->device()));
  return batch.outcomes(sums, stops.is_stopped() ? SearchEnding::Stopped : SearchEnding::Deadline);
}

Result<std::vector<DeviceBatch::Outcome>> DeviceMatcher::run(MatchIndex& index,
                                                             std::span<const DeviceBatch::Pattern> patterns,
                                                             const Stops& stops, Times* maybe_times) {
  const std::lock_guard<std::mutex> lock(turn_);
  const cuda::Device::Memory memory = MATCHA_TRY(stream_->device().memory());
  const std::uint64_t most = most_patterns(memory.free);
  std::vector<DeviceBatch::Outcome> all;
  while (!patterns.empty()) {
    const std::size_t count = std::min<std::uint64_t>(most, patterns.size());
    const Clock::time_point begin = Clock::now();
    const DeviceBatch batch(index, patterns.first(count), stops);
    const double filter_ms = ms_since(begin);
    const Clock::time_point search = Clock::now();
    std::vector<DeviceBatch::Outcome> some = MATCHA_TRY(
        batch.stopped() || batch.units() == 0
            ? batch.outcomes(batch.sums(), stops.is_stopped() ? SearchEnding::Stopped : SearchEnding::Deadline)
            : launch(index, batch, stops));
    const double search_ms = ms_since(search);
    for (DeviceBatch::Outcome& outcome : some) outcome.search_ms = search_ms;
    if (maybe_times != nullptr) {
      maybe_times->filter_ms += filter_ms;
      maybe_times->kernel_ms += search_ms;
    }
    all.insert(all.end(), some.begin(), some.end());
    patterns = patterns.subspan(count);
  }
  return all;
}

}  // namespace matcha::runtime::match
