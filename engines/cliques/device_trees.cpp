#include "engines/cliques/device_trees.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "engines/cliques/device_cells.h"

namespace matcha::runtime::cliques {

using matcha_program::CliqueLaunch;
using matcha_program::CliqueTask;
using matcha_program::UnitShared;

namespace {

/// Parts of trees that may wait at a time.
constexpr std::uint64_t kTasks = 1 << 14;
/// Roots with fewer than kCandidatesOfUnit candidates take microseconds; kRootsOfUnit of them are one unit.
constexpr std::uint64_t kCandidatesOfUnit = 24, kRootsOfUnit = 8;
/// Nodes between two tests for groups without work: some ten microseconds.
constexpr std::uint64_t kPatience = 128;

constexpr std::uint64_t kNodesAt = match::aligned_to_line(sizeof(UnitShared));
constexpr std::uint64_t kOutputAt = kNodesAt + match::kLine;

Error error_of(ErrorKind kind, std::string message) { return Error{kind, std::move(message), {}, 0, {}}; }

}  // namespace

Result<std::unique_ptr<DeviceTrees>> DeviceTrees::make(Roots roots, const cuda::DeviceRef& device) {
  if (roots.widest > matcha_program::kCliqueWidest) {
    return error_of(ErrorKind::Resource, "a vertex has " + std::to_string(roots.widest) +
                                             " later neighbours, and a GPU walks the trees of at most " +
                                             std::to_string(matcha_program::kCliqueWidest));
  }
  cuda::Stream stream = MATCHA_TRY(cuda::Stream::create(device));
  try {
    std::unique_ptr<DeviceTrees> made(new DeviceTrees(std::move(roots), std::move(stream)));
    made->stop_word_ = MATCHA_TRY(match::StopWord::make(device));
    MATCHA_TRY(made->send_roots());
    return made;
  } catch (const std::bad_alloc&) {
    return error_of(ErrorKind::Resource, "not enough memory to order the vertices");
  }
}

Status DeviceTrees::send_roots() {
  const cuda::DeviceRef& device = stream_->shared_device();
  const std::uint64_t arcs = roots_.begin[roots_.size];
  begin_ = MATCHA_TRY(cuda::DeviceBuffer<std::uint64_t>::allocate(device, roots_.size + 1));
  near_ = MATCHA_TRY(cuda::DeviceBuffer<std::uint32_t>::allocate(device, arcs));
  tasks_ = MATCHA_TRY(cuda::DeviceBuffer<CliqueTask>::allocate(device, kTasks));
  MATCHA_TRY(begin_.upload(*stream_, roots_.begin.data(), roots_.size + 1));
  if (arcs != 0) MATCHA_TRY(near_.upload(*stream_, roots_.near.data(), arcs));
  MATCHA_TRY(tasks_.fill(*stream_, 0));
  all_ = MATCHA_TRY(send(widest_first(roots_)));
  all_.by_count = roots_.by_count();
  return Done{};
}

Result<DeviceRoots> DeviceTrees::send(const std::vector<std::uint32_t>& vertices) const {
  try {
    DeviceRoots sent;
    sent.by_count.resize(roots_.widest + 1);
    for (const std::uint32_t v : vertices) ++sent.by_count[roots_.count(v)];
    sent.vertices = MATCHA_TRY(cuda::DeviceBuffer<std::uint32_t>::allocate(stream_->shared_device(), vertices.size()));
    if (!vertices.empty()) MATCHA_TRY(sent.vertices.upload(*stream_, vertices.data(), vertices.size()));
    MATCHA_TRY(stream_->synchronize());
    return sent;
  } catch (const std::bad_alloc&) {
    return error_of(ErrorKind::Resource, "not enough memory for the roots of a share");
  }
}

/// Memory for all groups that run side by side, or for as many as half of the free memory is enough for; gives them.
Result<std::uint64_t> DeviceTrees::reserve_groups(const WalkKernel& kernel, std::uint64_t words) {
  const unsigned blocks = MATCHA_TRY(match::most_blocks(kernel.function, stream_->device()));
  const std::uint64_t most = std::uint64_t{blocks} * match::kGroupsOfBlock;
  const std::uint64_t bytes = words * sizeof(std::uint32_t);
  if (bytes == 0 || scratch_.bytes() >= most * bytes) return most;
  scratch_ = {};
  const cuda::Device::Memory memory = MATCHA_TRY(stream_->device().memory());
  const std::uint64_t groups = std::clamp<std::uint64_t>(memory.free / 2 / bytes, 1, most);
  scratch_ = MATCHA_TRY(cuda::DeviceMemory::allocate(stream_->shared_device(), groups * bytes));
  return groups;
}

Result<CliqueLaunch> DeviceTrees::prepare(const WalkKernel& kernel, const DeviceRoots& roots, std::uint32_t size,
                                          std::uint64_t least, std::uint64_t bytes) {
  const cuda::DeviceRef& device = stream_->shared_device();
  MATCHA_TRY(match::reserve(control_, device, kOutputAt + bytes));
  MATCHA_TRY(match::reserve(stage_, device, kOutputAt + bytes));
  CliqueLaunch launch{};
  launch.scratch_words = matcha_program::clique_scratch_words(roots_.widest, kernel.frame_sets, kernel.words_of_number);
  launch.workers = MATCHA_TRY(reserve_groups(kernel, launch.scratch_words));
  // Roots come by their candidates, so that those with enough of them are the first.
  std::uint64_t enough = 0, single = 0;
  for (std::uint64_t count = std::max<std::uint64_t>(least, size == 0 ? 0 : size - 1); count < roots.by_count.size();
       ++count) {
    enough += roots.by_count[count];
    if (count >= kCandidatesOfUnit) single += roots.by_count[count];
  }
  launch.begin = reinterpret_cast<const matcha_program::u64*>(begin_.data());
  launch.near = near_.data();
  launch.roots = roots.vertices.data();
  launch.root_count = enough;
  launch.single_count = single;
  launch.roots_of_unit = kRootsOfUnit;
  launch.size = size;
  launch.widest = roots_.widest;
  launch.scratch = reinterpret_cast<matcha_program::u32*>(scratch_.address());
  launch.nodes = reinterpret_cast<matcha_program::u64*>(control_.address() + kNodesAt);
  launch.shared = reinterpret_cast<UnitShared*>(control_.address());
  launch.tasks = tasks_.data();
  launch.task_capacity = kTasks;
  launch.number = ++launches_;
  launch.unit_count = single + (enough - single + kRootsOfUnit - 1) / kRootsOfUnit;
  launch.chunk = 1;
  launch.patience = kPatience;
  launch.stop_word = reinterpret_cast<const matcha_program::u64*>(stop_word_.address());
  return launch;
}

cuda::CuDevicePtr DeviceTrees::output() const { return control_.address() + kOutputAt; }

const std::byte* DeviceTrees::host_output() const { return static_cast<const std::byte*>(stage_.host()) + kOutputAt; }

Result<bool> DeviceTrees::walk(const WalkKernel& kernel, const CliqueLaunch& launch, std::uint64_t bytes,
                               const match::Stops& stops) {
  UnitShared shared{};
  shared.live = launch.unit_count;
  std::memcpy(stage_.host(), &shared, sizeof(shared));
  stop_word_.clear();
  MATCHA_TRY(control_.fill(*stream_, 0));
  MATCHA_TRY(control_.copy_from(*stream_, stage_.host(), sizeof(shared)));
  MATCHA_TRY(kernel.function.launch(*stream_, match::shape_of(launch.workers), launch));
  MATCHA_TRY(control_.copy_to(*stream_, stage_.host(), kOutputAt + bytes));
  MATCHA_TRY(stop_word_.wait(*stream_, stops));
  std::memcpy(&shared, stage_.host(), sizeof(shared));
  return match::took_all_units(shared, launch.unit_count, stream_->device());
}

std::uint64_t DeviceTrees::nodes() const {
  std::uint64_t nodes = 0;
  std::memcpy(&nodes, static_cast<const std::byte*>(stage_.host()) + kNodesAt, sizeof(nodes));
  return nodes;
}

}  // namespace matcha::runtime::cliques
