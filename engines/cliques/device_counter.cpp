#include "engines/cliques/device_counter.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "engines/cliques/laps.h"

namespace matcha::runtime::cliques {

using matcha_program::CliqueLaunch;
using matcha_program::CliqueTask;
using matcha_program::UnitShared;

namespace {

/// Parts of trees that may wait at a time.
constexpr std::uint64_t kTasks = 1 << 14;
/// A root with fewer candidates is a matter of microseconds; so many of these are one unit.
constexpr std::uint64_t kCandidatesOfUnit = 24, kRootsOfUnit = 8;
/// Nodes between two looks at other groups: some ten microseconds.
constexpr std::uint64_t kPatience = 128;

constexpr std::uint64_t kNodesAt = match::aligned_to_line(sizeof(UnitShared));
constexpr std::uint64_t kCellsAt = kNodesAt + match::kLine;

Error error_of(ErrorKind kind, std::string message) { return Error{kind, std::move(message), {}, 0, {}}; }

}  // namespace

Result<std::unique_ptr<DeviceCliques>> DeviceCliques::make(const Graph& graph, std::uint32_t size,
                                                           const cuda::DeviceRef& device, cuda::Module code) {
  cuda::Function kernel = MATCHA_TRY(code.function("clique_trees"));
  Roots roots = MATCHA_TRY(roots_to_count(graph, size, best_tier()));
  if (roots.widest > matcha_program::kCliqueWidest) {
    return error_of(ErrorKind::Resource, "a vertex has " + std::to_string(roots.widest) +
                                             " later neighbours, and a GPU walks the trees of at most " +
                                             std::to_string(matcha_program::kCliqueWidest));
  }
  cuda::Stream stream = MATCHA_TRY(cuda::Stream::create(device));
  try {
    std::unique_ptr<DeviceCliques> made(
        new DeviceCliques(std::move(roots), std::move(stream), std::move(code), std::move(kernel)));
    made->wish_ = MATCHA_TRY(match::KernelWish::make(device));
    MATCHA_TRY(made->send_roots());
    MATCHA_TRY(made->reserve_groups());
    return made;
  } catch (const std::bad_alloc&) {
    return error_of(ErrorKind::Resource, "not enough memory to order the vertices");
  }
}

Status DeviceCliques::send_roots() {
  const cuda::DeviceRef& device = stream_->shared_device();
  const std::vector<std::uint32_t> order = widest_first(roots_);
  const std::uint64_t arcs = roots_.begin[roots_.size];
  begin_ = MATCHA_TRY(cuda::DeviceBuffer<std::uint64_t>::allocate(device, roots_.size + 1));
  near_ = MATCHA_TRY(cuda::DeviceBuffer<std::uint32_t>::allocate(device, arcs));
  order_ = MATCHA_TRY(cuda::DeviceBuffer<std::uint32_t>::allocate(device, order.size()));
  tasks_ = MATCHA_TRY(cuda::DeviceBuffer<CliqueTask>::allocate(device, kTasks));
  MATCHA_TRY(begin_.upload(*stream_, roots_.begin.data(), roots_.size + 1));
  if (arcs != 0) MATCHA_TRY(near_.upload(*stream_, roots_.near.data(), arcs));
  if (!order.empty()) MATCHA_TRY(order_.upload(*stream_, order.data(), order.size()));
  MATCHA_TRY(tasks_.fill(*stream_, 0));
  return stream_->synchronize();
}

/// Memory for all groups that run side by side, or for as many as half of the free memory is enough for.
Status DeviceCliques::reserve_groups() {
  const unsigned blocks = MATCHA_TRY(match::most_blocks(kernel_, stream_->device()));
  groups_ = std::uint64_t{blocks} * match::kGroupsOfBlock;
  const std::uint64_t bytes = matcha_program::clique_scratch_words(roots_.widest) * sizeof(std::uint32_t);
  if (bytes == 0) return Done{};
  const cuda::Device::Memory memory = MATCHA_TRY(stream_->device().memory());
  groups_ = std::clamp<std::uint64_t>(memory.free / 2 / bytes, 1, groups_);
  scratch_ = MATCHA_TRY(cuda::DeviceMemory::allocate(stream_->shared_device(), groups_ * bytes));
  return Done{};
}

/// Cells for cliques of a size, which stay for the next run of the same size.
Status DeviceCliques::reserve_cells(std::uint32_t size) {
  if (cells_ && cells_->size_of_cliques() == size) return Done{};
  cells_.reset();
  DeviceCells cells(roots_.widest, size);
  const cuda::DeviceRef& device = stream_->shared_device();
  const std::uint64_t row_bytes = cells.rows().size() * sizeof(std::uint32_t);
  const std::uint64_t bytes = kCellsAt + cells.size() * sizeof(std::uint64_t);
  Status status = match::reserve(rows_, device, row_bytes);
  if (status) status = match::reserve(control_, device, bytes);
  if (status) status = match::reserve(stage_, device, bytes);
  if (status) status = rows_.copy_from(*stream_, cells.rows().data(), row_bytes);
  if (status) status = stream_->synchronize();
  if (status) cells_.emplace(std::move(cells));
  return status;
}

CliqueLaunch DeviceCliques::launch_of(std::uint32_t size) {
  CliqueLaunch launch{};
  // Roots come by their candidates, so that those with enough of them are the first.
  std::uint64_t enough = 0, single = 0;
  for (std::uint64_t count = std::max<std::uint64_t>(2, size == 0 ? 0 : size - 1); count < by_count_.size(); ++count) {
    enough += by_count_[count];
    if (count >= kCandidatesOfUnit) single += by_count_[count];
  }
  launch.begin = reinterpret_cast<const matcha_program::u64*>(begin_.data());
  launch.near = near_.data();
  launch.roots = order_.data();
  launch.root_count = enough;
  launch.single_count = single;
  launch.roots_of_unit = kRootsOfUnit;
  launch.size = size;
  launch.widest = roots_.widest;
  launch.cells = reinterpret_cast<matcha_program::u64*>(control_.address() + kCellsAt);
  launch.rows = reinterpret_cast<const matcha_program::u32*>(rows_.address());
  launch.scratch = reinterpret_cast<matcha_program::u32*>(scratch_.address());
  launch.scratch_words = matcha_program::clique_scratch_words(roots_.widest);
  launch.nodes = reinterpret_cast<matcha_program::u64*>(control_.address() + kNodesAt);
  launch.shared = reinterpret_cast<UnitShared*>(control_.address());
  launch.tasks = tasks_.data();
  launch.task_capacity = kTasks;
  launch.number = ++launches_;
  launch.unit_count = single + (enough - single + kRootsOfUnit - 1) / kRootsOfUnit;
  launch.chunk = 1;
  launch.patience = kPatience;
  launch.workers = groups_;
  launch.wish = reinterpret_cast<const matcha_program::u64*>(wish_.address());
  return launch;
}

/// Walks all trees; the cells come to the host. False: it was stopped.
Result<bool> DeviceCliques::walk(std::uint32_t size, const match::Stops& stops) {
  const CliqueLaunch launch = launch_of(size);
  UnitShared shared{};
  shared.live = launch.unit_count;
  std::memcpy(stage_.host(), &shared, sizeof(shared));
  wish_.clear();
  MATCHA_TRY(control_.fill(*stream_, 0));
  MATCHA_TRY(control_.copy_from(*stream_, stage_.host(), sizeof(shared)));
  MATCHA_TRY(kernel_.launch(*stream_, match::shape_of(launch.workers), launch));
  MATCHA_TRY(control_.copy_to(*stream_, stage_.host(), kCellsAt + cells_->size() * sizeof(std::uint64_t)));
  MATCHA_TRY(wish_.wait(*stream_, stops));
  std::memcpy(&shared, stage_.host(), sizeof(shared));
  if (shared.stop == 0 && (shared.live != 0 || shared.next < launch.unit_count)) {
    return error_of(ErrorKind::Runtime, "a kernel of " + stream_->device().label() + " has left trees");
  }
  return shared.stop == 0;
}

Result<CliqueOutcome> DeviceCliques::count(const Graph& graph, std::uint32_t size, const match::Stops& stops) {
  const std::lock_guard<std::mutex> lock(turn_);
  CliqueOutcome outcome;
  Laps laps(outcome.times);
  try {
    if (const std::optional<Error> error = too_many_bits(size, bits_of_counts(by_count_, size), WideInt::kBits)) {
      return *error;
    }
    MATCHA_TRY(reserve_cells(size));
    laps.end("cells");
    const bool complete = MATCHA_TRY(walk(size, stops));
    laps.end("trees");
    if (!complete) {
      outcome.end = stops.is_stopped() ? motif::End::Stopped : motif::End::Deadline;
      return outcome;
    }
    const std::byte* const stage = static_cast<const std::byte*>(stage_.host());
    std::memcpy(&outcome.nodes, stage + kNodesAt, sizeof(outcome.nodes));
    std::vector<WideInt> counts = cells_->counts(reinterpret_cast<const std::uint64_t*>(stage + kCellsAt), by_count_);
    laps.end("sizes");
    outcome.counts = counts_of_sizes(std::move(counts), graph, size);
    return outcome;
  } catch (const std::bad_alloc&) {
    return error_of(ErrorKind::Resource, "not enough memory to count cliques");
  }
}

}  // namespace matcha::runtime::cliques
