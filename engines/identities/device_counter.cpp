#include "engines/identities/device_counter.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace matcha::runtime::motif {

using matcha_program::MotifLaunch;
using matcha_program::MotifSums;
using matcha_program::UnitShared;
using matcha_program::WideSum;

namespace {

/// Blocks on a multiprocessor if each group has counters for all vertices.
constexpr unsigned kBlocksWithCounters = 2;
/// Arcs that a group takes at a time.
constexpr std::uint64_t kArcsAtATime = 8;

const matcha_program::u64* words(cuda::CuDevicePtr address) {
  return reinterpret_cast<const matcha_program::u64*>(address);
}
matcha_program::u32* ranks(cuda::CuDevicePtr address) { return reinterpret_cast<matcha_program::u32*>(address); }

Sum sum_of(const WideSum& wide) {
  Sum sum;
  sum.add(static_cast<__int128>(static_cast<unsigned __int128>(wide.high) << 64 | wide.low));
  return sum;
}

/// True if the wedges are less than 2^61; then all sums stay below 2^127: they are sums over pairs of wedges, or over
/// triples that share an end of less than 2^32 edges.
bool fits_128_bits(const RankedGraph& graph) {
  unsigned __int128 wedges = 0;
  for (std::uint64_t v = 0; v < graph.size; ++v) {
    wedges += static_cast<unsigned __int128>(graph.degree(v)) * graph.degree(v) / 2;
  }
  return wedges < static_cast<unsigned __int128>(1) << 61;
}

Error error_of(ErrorKind kind, std::string message) {
  Error error;
  error.kind = kind;
  error.message = std::move(message);
  return error;
}

}  // namespace

Result<std::unique_ptr<DeviceMotifs>> DeviceMotifs::make(const Graph& graph, const cuda::DeviceRef& device,
                                                         cuda::Module code) {
  Kernels kernels{MATCHA_TRY(code.function("motif_triangles")), MATCHA_TRY(code.function("motif_thirds")),
                  MATCHA_TRY(code.function("motif_wheels")), MATCHA_TRY(code.function("motif_wedges"))};
  RankedGraph ranked = MATCHA_TRY(rank_for_motifs(graph));
  if (!fits_128_bits(ranked)) return error_of(ErrorKind::Resource, "the graph has too many wedges for a GPU");
  cuda::Stream stream = MATCHA_TRY(cuda::Stream::create(device));
  cuda::UploadOptions wanted;
  wanted.sources = wanted.halves = wanted.edge_info = wanted.labels = wanted.original_ids = false;
  cuda::GraphUpload upload = MATCHA_TRY(cuda::GraphUpload::start(device, ranked.graph.view(), wanted));
  MATCHA_TRY(upload.wait());
  std::unique_ptr<DeviceMotifs> made(
      new DeviceMotifs(std::move(ranked), std::move(stream), std::move(code), std::move(kernels), std::move(upload)));
  made->stop_word_ = MATCHA_TRY(match::StopWord::make(device));
  MATCHA_TRY(made->send_arcs());
  return made;
}

/// Copies the source of each arc, and the first arc up of each vertex.
Status DeviceMotifs::send_arcs() {
  const cuda::DeviceRef& device = stream_->shared_device();
  std::vector<std::uint32_t> sources(graph_.arcs);
  for (std::uint64_t v = 0; v < graph_.size; ++v) {
    std::fill(sources.begin() + static_cast<std::ptrdiff_t>(graph_.begin(v)),
              sources.begin() + static_cast<std::ptrdiff_t>(graph_.end(v)), static_cast<std::uint32_t>(v));
  }
  split_ = MATCHA_TRY(cuda::DeviceBuffer<std::uint64_t>::allocate(device, graph_.size));
  sources_ = MATCHA_TRY(cuda::DeviceBuffer<std::uint32_t>::allocate(device, graph_.arcs));
  MATCHA_TRY(split_.upload(*stream_, graph_.split.data(), graph_.size));
  MATCHA_TRY(sources_.upload(*stream_, sources.data(), graph_.arcs));
  MATCHA_TRY(match::reserve(control_, device, sizeof(MotifSums) + 128 + sizeof(UnitShared)));
  return stream_->synchronize();
}

/// The launch of `units` units, of which a group takes `chunk` at a time.
MotifLaunch DeviceMotifs::launch_of(std::uint64_t units, std::uint64_t chunk) const {
  MotifLaunch launch{};
  launch.offsets = reinterpret_cast<const matcha_program::u64*>(upload_.view().offsets);
  launch.neighbors = upload_.view().neighbors;
  launch.split = reinterpret_cast<const matcha_program::u64*>(split_.data());
  launch.sources = sources_.data();
  launch.size = graph_.size;
  launch.on = ranks(on_.address());
  launch.start = words(start_.address());
  launch.third = ranks(third_.address());
  launch.shared = reinterpret_cast<UnitShared*>(control_.address());
  launch.sums = reinterpret_cast<MotifSums*>(control_.address() + match::aligned_to_line(sizeof(UnitShared)));
  launch.unit_count = units;
  launch.chunk = chunk;
  launch.stop_word = reinterpret_cast<const matcha_program::u64*>(stop_word_.address());
  return launch;
}

/// Runs all units; false: it was stopped. `launch.workers`: the most groups; 0: as many as run concurrently.
Result<bool> DeviceMotifs::run_kernel(const cuda::Function& kernel, MotifLaunch launch, const match::Stops& stops) {
  if (launch.unit_count == 0) return true;
  const unsigned most = MATCHA_TRY(match::most_blocks(kernel, stream_->device()));
  const std::uint64_t all = std::uint64_t{most} * match::kGroupsOfBlock;
  launch.workers = launch.workers == 0 ? all : std::min<std::uint64_t>(launch.workers, all);
  UnitShared shared{};
  stop_word_.clear();
  MATCHA_TRY(control_.copy_from(*stream_, &shared, sizeof(shared)));
  MATCHA_TRY(kernel.launch(*stream_, match::shape_of(launch.workers), launch));
  MATCHA_TRY(stop_word_.wait(*stream_, stops));
  MATCHA_TRY(control_.copy_to(*stream_, &shared, sizeof(shared)));
  MATCHA_TRY(stream_->synchronize());
  return match::took_all_units(shared, launch.unit_count, stream_->device());
}

Result<bool> DeviceMotifs::find_triangles(Triangles& triangles, const match::Stops& stops) {
  triangles.on = Buffer<std::uint32_t>(graph_.arcs);
  triangles.at = Buffer<std::uint64_t>(graph_.size);
  MATCHA_TRY(match::reserve(on_, stream_->shared_device(), graph_.arcs * sizeof(std::uint32_t)));
  const Result<bool> complete = run_kernel(kernels_.triangles, launch_of(graph_.arcs, kArcsAtATime), stops);
  if (!complete || !*complete) return complete;
  MATCHA_TRY(on_.copy_to(*stream_, triangles.on.data(), graph_.arcs * sizeof(std::uint32_t)));
  MATCHA_TRY(stream_->synchronize());
  for (std::uint64_t v = 0; v < graph_.size; ++v) {
    const auto* const on = triangles.on.data();
    triangles.at[v] = std::accumulate(on + graph_.begin(v), on + graph_.end(v), std::uint64_t{0}) / 2;
  }
  return true;
}

/// Allocates zeroed counters for groups, and memory for the vertices that they meet; reduces the number of groups if
/// memory is short.
Status DeviceMotifs::reserve_counters(std::uint64_t of_each, std::uint64_t met_of_each, MotifLaunch& launch) {
  launch.counter_room = of_each;
  launch.met_room = met_of_each;
  if (of_each == 0) return Done{};
  const cuda::Device::Memory memory = MATCHA_TRY(stream_->device().memory());
  const std::uint64_t bytes = (of_each + met_of_each) * sizeof(std::uint32_t);
  const std::uint64_t fit = (memory.free + counters_.bytes() + met_.bytes()) / 2 / bytes;
  const int side_by_side = std::max(stream_->device().properties().multiprocessors, 1);
  const std::uint64_t groups =
      std::uint64_t{static_cast<unsigned>(side_by_side)} * kBlocksWithCounters * match::kGroupsOfBlock;
  launch.workers = std::max<std::uint64_t>(std::min(groups, fit), 1);
  const cuda::DeviceRef& device = stream_->shared_device();
  Status status = match::reserve(counters_, device, launch.workers * of_each * sizeof(std::uint32_t));
  if (status) status = match::reserve(met_, device, launch.workers * met_of_each * sizeof(std::uint32_t));
  if (status) status = counters_.fill(*stream_, 0);
  launch.counters = ranks(counters_.address());
  launch.met = ranks(met_.address());
  return status;
}

Result<bool> DeviceMotifs::find_wheels(const Triangles& triangles, const match::Stops& stops) {
  std::vector<std::uint64_t> start(graph_.arcs + 1, 0);
  std::inclusive_scan(triangles.on.begin(), triangles.on.end(), start.begin() + 1, std::plus<>(), std::uint64_t{0});
  const cuda::DeviceRef& device = stream_->shared_device();
  MATCHA_TRY(match::reserve(start_, device, start.size() * sizeof(std::uint64_t)));
  MATCHA_TRY(match::reserve(third_, device, std::max<std::uint64_t>(start.back(), 1) * sizeof(std::uint32_t)));
  MATCHA_TRY(start_.copy_from(*stream_, start.data(), start.size() * sizeof(std::uint64_t)));
  MATCHA_TRY(stream_->synchronize());
  const Result<bool> listed = run_kernel(kernels_.thirds, launch_of(graph_.arcs, kArcsAtATime), stops);
  if (!listed || !*listed) return listed;
  MotifLaunch launch = launch_of(graph_.arcs, kArcsAtATime);
  const std::uint64_t longest = graph_.graph.view().max_degree;
  MATCHA_TRY(reserve_counters(longest > matcha_program::kMotifPlaces ? longest : 0, 0, launch));
  const Result<bool> complete = run_kernel(kernels_.wheels, launch, stops);
  third_ = {};  // Frees the largest array.
  return complete;
}

Result<bool> DeviceMotifs::find_wedges(const Request& wants, const match::Stops& stops) {
  MotifLaunch launch = launch_of(graph_.size, 1);
  if (wants.five_cycles) launch.wants |= matcha_program::kFiveCycles;
  if (wants.pairs) launch.wants |= matcha_program::kCommonPairs;
  MATCHA_TRY(reserve_counters(graph_.size, graph_.size, launch));
  return run_kernel(kernels_.wedges, launch, stops);
}

Result<MotifSums> DeviceMotifs::sums() {
  MotifSums sums{};
  MATCHA_TRY(control_.copy_to(*stream_, &sums, sizeof(sums), match::aligned_to_line(sizeof(UnitShared))));
  MATCHA_TRY(stream_->synchronize());
  return sums;
}

Result<DeviceMotifs::Found> DeviceMotifs::run(const Request& wants, const match::Stops& stops) {
  const std::lock_guard<std::mutex> lock(turn_);
  Found found;
  MATCHA_TRY(control_.fill(*stream_, 0));
  Result<bool> complete = find_triangles(found.triangles, stops);
  if (complete && *complete && wants.wheels) complete = find_wheels(found.triangles, stops);
  if (complete && *complete && wants.wedges) complete = find_wedges(wants, stops);
  if (!complete) return complete.error();
  if (!*complete) {
    found.end = stops.is_stopped() ? End::Stopped : End::Deadline;
    return found;
  }
  const MotifSums all = MATCHA_TRY(sums());
  found.above = sum_of(all.above);
  found.wedges.four_cycles = sum_of(all.four_cycles);
  found.wedges.closed = sum_of(all.closed);
  found.wedges.returned = sum_of(all.returned);
  found.wedges.pairs = sum_of(all.pairs);
  found.wedges.wheels = sum_of(all.wheels);
  return found;
}

}  // namespace matcha::runtime::motif
