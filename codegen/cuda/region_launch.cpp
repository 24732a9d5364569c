#include "codegen/cuda/region_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "codegen/cuda/device_text.h"
#include "codegen/cuda/sinks.h"
#include "runtime/common/half_stealing.h"
#include "runtime/common/rooms.h"

namespace matcha::codegen::gpu {

using matcha_program::Launch;
using matcha_program::RowArea;
using matcha_program::Shared;
using matcha_program::Slot;
using runtime::ErrorKind;
using runtime::TrapCode;
using runtime::cuda::CuDevicePtr;
using runtime::cuda::DeviceMemory;
using Clock = std::chrono::steady_clock;
using Use = RegionMemory::Use;

namespace {

template <typename T>
T* device_pointer(CuDevicePtr address) {
  return reinterpret_cast<T*>(address);
}

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

bool has_rows(const ir::Region& region) {
  return std::any_of(region.collect->sinks.begin(), region.collect->sinks.end(),
                     [](const ir::Sink& sink) { return sink.kind == ir::SinkKind::List; });
}

}  // namespace

RegionLauncher::RegionLauncher(runtime::cuda::DeviceRef device, const CudaOptions& options)
    : device_(std::move(device)),
      options_(options),
      stream_(need(runtime::cuda::Stream::create(device_))),
      side_(need(runtime::cuda::Stream::create(device_))),
      begin_(need(runtime::cuda::Event::create(device_))),
      end_(need(runtime::cuda::Event::create(device_))),
      words_(need(runtime::cuda::PinnedBuffer<std::uint64_t>::allocate(device_, 2))),
      memory_(device_),
      row_capacity_(std::max<std::uint64_t>(options.rows, 1)) {}

RegionOutcome RegionLauncher::run(const RegionRequest& request, const RunOptions& options) {
  row_capacity_ = std::max<std::uint64_t>(options_.rows, 1);
  while (true) {
    RegionOutcome outcome;
    RegionPlan planned =
        plan_lists(request.buffers, wanted_groups(request), request.stack, list_memory(), request.region->loc);
    outcome.note = planned.note;
    Launch launch = prepare(request, planned);
    start(request, planned, launch);
    outcome.ending = wait(request, options);
    Shared shared{};
    need(stream_.synchronize(), request.region->loc);
    need(memory_.take(Use::Shared, sizeof shared).copy_to(stream_, &shared, sizeof shared));
    need(stream_.synchronize());
    outcome.milliseconds = need(end_.milliseconds_since(begin_));
    outcome.list_bytes = planned.bytes(shared.pages_taken);
    check(request, shared, outcome);
    if (!collect_rows(request, outcome)) continue;
    collect(request, planned, outcome);
    memory_.drop_rows();
    return outcome;
  }
}

std::uint64_t RegionLauncher::wanted_groups(const RegionRequest& request) const {
  if (!request.region->schedule.parallel) return 1;
  int blocks = need(request.kernel->blocks_per_multiprocessor(kBlockThreads, 0), request.region->loc);
  if (blocks == 0)
    fail(ErrorKind::Runtime, "the kernel of a region does not fit a multiprocessor", {}, request.region->loc);
  std::uint64_t threads =
      static_cast<std::uint64_t>(device_->properties().multiprocessors) * static_cast<unsigned>(blocks) * kBlockThreads;
  constexpr std::uint64_t kGroupsAPosition = 16;
  std::uint64_t useful = std::max<std::uint64_t>(request.positions, 1);
  if (request.dealt_graph != nullptr) useful = std::max(useful, request.dealt_graph->arc_count);
  if (useful < threads) useful *= kGroupsAPosition;
  return std::min(threads / request.group, useful);
}

ListMemory RegionLauncher::list_memory() const {
  return {options_.scratch_bytes != 0 ? options_.scratch_bytes : memory_.scratch_limit(), options_.arena_bytes};
}

bool RegionLauncher::wants_pages(const RegionRequest& request) const {
  return !request.buffers.empty() && gpu::wants_pages(request.buffers, wanted_groups(request), list_memory());
}

/// Tiles of arcs where they can be dealt out; rows keep the order of positions, so those stay whole.
matcha_program::Deal RegionLauncher::deal(const RegionRequest& request) const {
  constexpr std::uint64_t kTile = 4;
  constexpr std::uint64_t kArcsAtATime = 64;
  const runtime::GraphView* graph = request.dealt_graph;
  if (graph == nullptr || graph->slots != nullptr || graph->arc_count == 0 || has_rows(*request.region)) return {};
  std::uint64_t tile = options_.tile.value_or(kTile);
  if (tile == 0) return {};
  return {reinterpret_cast<const matcha_program::u64*>(graph->offsets),
          reinterpret_cast<const matcha_program::u32*>(graph->vertices),
          graph->vertex_count,
          graph->arc_count,
          tile,
          (graph->arc_count + tile - 1) / tile,
          std::max<std::uint64_t>(kArcsAtATime / tile, 1)};
}

Launch RegionLauncher::prepare(const RegionRequest& request, const RegionPlan& plan) {
  Launch launch{};
  launch.deal = deal(request);
  const DeviceMemory& shared_memory = memory_.take(Use::Shared, sizeof(Shared));
  shared_ = shared_memory.address();
  launch.shared = device_pointer<Shared>(shared_);
  launch.original_ids = reinterpret_cast<const matcha_program::i64*>(request.original_ids);
  launch.universe = request.universe;
  launch.positions = request.positions;
  constexpr std::uint64_t kLargestChunk = 64;
  constexpr std::uint64_t kChunksAGroup = 8;
  launch.chunk = options_.chunk != 0
                     ? options_.chunk
                     : std::clamp<std::uint64_t>(request.positions / (plan.workers * kChunksAGroup), 1, kLargestChunk);
  launch.workers = plan.workers;
  prepare_stealing(request, plan, launch);
  Shared shared{};
  shared.live = launch.deal.tile != 0 ? launch.deal.tiles : request.positions;
  shared.queue_room = launch.queue.capacity;
  need(shared_memory.copy_from(stream_, &shared, sizeof shared));
  prepare_lists(plan, launch);
  prepare_sinks(request, plan, launch);
  prepare_rows(request, launch);
  need(stream_.synchronize());
  return launch;
}

void RegionLauncher::prepare_stealing(const RegionRequest& request, const RegionPlan& plan, Launch& launch) {
  bool half = options_.steal == Stealing::Half;
  constexpr std::uint64_t kUsualTauUs = 100;
  constexpr std::uint64_t kUsualLookUs = 10;
  std::uint64_t tau_us = options_.tau_us.value_or(half ? kUsualLookUs : kUsualTauUs);
  // Rows are told apart by their outermost position, so one group finds all of a position.
  bool split = options_.steal != Stealing::None && !has_rows(*request.region) && request.region->schedule.parallel &&
               (half || (tau_us != 0 && options_.queue != 0));
  constexpr std::uint64_t kMostLevels = 3;
  constexpr std::uint64_t kShownLevels = 2;  // STMatch's StopLevel.
  std::uint64_t levels = std::min<std::uint64_t>(request.region->schedule.split + 1, half ? kShownLevels : kMostLevels);
  launch.stealing = half ? matcha_program::kHalf : split ? matcha_program::kTimeout : matcha_program::kNoStealing;
  launch.split = !split ? 0 : options_.split != 0 ? std::min(options_.split, kMostLevels) : levels;
  constexpr std::uint64_t kUsualKhz = 1'500'000;
  std::uint64_t khz =
      device_->properties().clock_khz > 0 ? static_cast<std::uint64_t>(device_->properties().clock_khz) : kUsualKhz;
  launch.tau = (tau_us != 0 ? tau_us : kUsualTauUs) * khz / 1000;
  std::uint64_t queue = split && tau_us != 0 ? options_.queue : 0;
  const DeviceMemory& words = memory_.take(Use::Queue, queue * matcha_program::kTaskWords * 8);
  if (queue != 0) need(words.fill(stream_, 0xFF));
  launch.eager = options_.eager;
  launch.queue = {device_pointer<matcha_program::u64>(words.address()),
                  queue,
                  device_pointer<matcha_program::u64>(shared_ + offsetof(Shared, queue_ready)),
                  device_pointer<matcha_program::u64>(shared_ + offsetof(Shared, queue_room)),
                  device_pointer<matcha_program::u64>(shared_ + offsetof(Shared, queue_front)),
                  device_pointer<matcha_program::u64>(shared_ + offsetof(Shared, queue_back))};
  launch.block = kBlockThreads / request.group;
  if (!half) return;
  const DeviceMemory& boards = memory_.take(Use::Boards, plan.workers * matcha_program::kBoardWords * 8);
  const DeviceMemory& idle = memory_.take(Use::Idle, (plan.workers / launch.block / 64 + 1) * 8);
  need(boards.fill(stream_, 0));
  need(idle.fill(stream_, 0));
  launch.boards = device_pointer<matcha_program::u64>(boards.address());
  launch.idle = device_pointer<matcha_program::u64>(idle.address());
}

void RegionLauncher::prepare_lists(const RegionPlan& plan, Launch& launch) {
  if (plan.scratch_bytes != 0) {
    const DeviceMemory& scratch = memory_.take(Use::Scratch, plan.scratch_bytes * plan.workers);
    if (plan.stack == Stack::Paged) need(scratch.fill(stream_, 0));
    launch.scratch = device_pointer<matcha_program::u8>(scratch.address());
    launch.scratch_bytes = plan.scratch_bytes;
  }
  if (plan.pages != 0) {
    const DeviceMemory& pages = memory_.take(Use::Pages, plan.pages * matcha_program::kPageBytes);
    launch.arena = device_pointer<matcha_program::u8>(pages.address());
    launch.arena_pages = plan.pages;
  }
  const std::uint64_t plan_bytes = plan.buffers.size() * sizeof(matcha_program::BufferPlan);
  const DeviceMemory& buffers = memory_.take(Use::Buffers, plan_bytes);
  if (plan_bytes != 0) need(buffers.copy_from(stream_, plan.buffers.data(), plan_bytes));
  launch.buffers = device_pointer<const matcha_program::BufferPlan>(buffers.address());
}

void RegionLauncher::prepare_sinks(const RegionRequest& request, const RegionPlan& plan, Launch& launch) {
  const std::span<const ir::Sink> sinks = request.region->collect->sinks;
  std::vector<Slot> slots(plan.workers * sinks.size());
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    CuDevicePtr sums = 0;
    if (is_exact_sum(sinks[i])) {
      const DeviceMemory& memory = memory_.take(Use::Sums, plan.workers * sizeof(runtime::ExactSum), i);
      need(memory.fill(stream_, 0));
      sums = memory.address();
    }
    for (std::uint64_t worker = 0; worker < plan.workers; ++worker) {
      Slot& slot = slots[worker * sinks.size() + i];
      slot = empty_slot(sinks[i]);
      if (sums != 0) slot.low = sums + worker * sizeof(runtime::ExactSum);
    }
  }
  const std::uint64_t bytes = slots.size() * sizeof(Slot);
  const DeviceMemory& memory = memory_.take(Use::Slots, bytes);
  if (bytes != 0) need(memory.copy_from(stream_, slots.data(), bytes));
  need(stream_.synchronize());
  launch.slots = device_pointer<Slot>(memory.address());
  launch.sinks = sinks.size();
}

void RegionLauncher::prepare_rows(const RegionRequest& request, Launch& launch) {
  if (!has_rows(*request.region)) return;
  const std::span<const ir::Sink> sinks = request.region->collect->sinks;
  const DeviceMemory& counts = memory_.take(Use::RowCounts, sinks.size() * 8);
  need(counts.fill(stream_, 0));
  std::vector<RowArea> areas(sinks.size());
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    if (sinks[i].kind != ir::SinkKind::List) continue;
    std::uint64_t words = row_capacity_ * (sinks[i].var->type->columns.size() + 1);
    CuDevicePtr address = memory_.take_rows(i, words * 8).address();
    areas[i] = {device_pointer<matcha_program::u64>(address), row_capacity_,
                device_pointer<matcha_program::u64>(counts.address() + i * 8)};
  }
  const DeviceMemory& memory = memory_.take(Use::RowAreas, areas.size() * sizeof(RowArea));
  need(memory.copy_from(stream_, areas.data(), areas.size() * sizeof(RowArea)));
  need(stream_.synchronize());
  launch.rows = device_pointer<const RowArea>(memory.address());
}

void RegionLauncher::start(const RegionRequest& request, const RegionPlan& plan, Launch& launch) {
  std::vector<std::uint8_t> frame = request.frame;
  std::uint64_t threads = plan.workers * request.group;
  runtime::cuda::LaunchShape shape;
  shape.threads = kBlockThreads;
  shape.blocks = static_cast<unsigned>((threads + kBlockThreads - 1) / kBlockThreads);
  void* arguments[] = {frame.data(), &launch, nullptr};
  need(begin_.record(stream_));
  need(request.kernel->launch_with(stream_, shape, arguments), request.region->loc);
  need(end_.record(stream_));
}

Ending RegionLauncher::wait(const RegionRequest& request, const RunOptions& options) {
  using std::chrono::microseconds;
  constexpr double kSpinMs = 2;
  constexpr double kReportMs = 100;
  const Clock::time_point started = Clock::now();
  double reported = 0;
  Ending ending = Ending::Complete;
  while (!need(stream_.done(), request.region->loc)) {
    double elapsed = milliseconds_since(started);
    if (elapsed > kSpinMs) std::this_thread::sleep_for(microseconds(elapsed > kReportMs ? 1000 : 100));
    if (ending == Ending::Complete) {
      if (options.stop_request != nullptr && options.stop_request->load(std::memory_order_relaxed) != 0) {
        ending = Ending::Stopped;
      } else if (options.deadline && Clock::now() >= *options.deadline) {
        ending = Ending::Deadline;
      }
      if (ending != Ending::Complete) {
        words_.host()[0] = 1;
        need(device_->call(device_->calls().memcpy_htod_async, shared_ + offsetof(Shared, stop),
                           static_cast<const void*>(words_.host()), sizeof(std::uint64_t), side_.get()));
      }
    }
    if (options.on_progress && elapsed - reported > kReportMs) {
      reported = elapsed;
      need(device_->call(device_->calls().memcpy_dtoh_async, static_cast<void*>(words_.host() + 1),
                         shared_ + offsetof(Shared, positions_done), sizeof(std::uint64_t), side_.get()));
      need(side_.synchronize());
      options.on_progress(std::min(words_.host()[1], request.positions), request.positions);
    }
  }
  need(side_.synchronize());
  return ending;
}

void RegionLauncher::check(const RegionRequest& request, const Shared& shared, RegionOutcome& outcome) const {
  SourceLoc loc = request.region->loc;
  if (shared.error != 0) {
    std::uint32_t line = static_cast<std::uint32_t>(shared.error >> 24);
    if (line != 0) {
      loc.line = line;
      loc.column = static_cast<std::uint32_t>(shared.error & 0xFFFFFF);
      loc.length = 0;
    }
    if (shared.error >> 56 == matcha_program::kOutOfPages) {
      fail(ErrorKind::Resource, "the pages for intermediate lists ran out",
           "raise --arena-mb or --scratch-mb where they are given, or take --stack=array", loc);
    }
    interp::trap(static_cast<TrapCode>(shared.error >> 56), loc);
  }
  outcome.positions = shared.positions_done;
  outcome.splits = shared.splits;
  bool whole = shared.positions_done == request.positions && shared.live == 0 && shared.queue_ready == 0;
  if (whole) outcome.ending = Ending::Complete;
  if (whole || outcome.ending != Ending::Complete) return;
  fail(ErrorKind::Runtime,
       fmt::format("internal error: the GPU walked {} of {} positions, and {} tasks are left", shared.positions_done,
                   request.positions, shared.live),
       "report this with the program", loc);
}

void RegionLauncher::collect(const RegionRequest& request, const RegionPlan& plan, RegionOutcome& outcome) {
  const std::span<const ir::Sink> sinks = request.region->collect->sinks;
  std::vector<Slot> slots(plan.workers * sinks.size());
  const std::uint64_t bytes = slots.size() * sizeof(Slot);
  if (bytes != 0) need(memory_.take(Use::Slots, bytes).copy_to(stream_, slots.data(), bytes));
  need(stream_.synchronize());
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    if (sinks[i].kind == ir::SinkKind::List) {
      outcome.values.emplace_back();
      continue;
    }
    std::vector<runtime::ExactSum> sums;
    if (is_exact_sum(sinks[i])) {
      sums.resize(plan.workers);
      const std::uint64_t sum_bytes = sums.size() * sizeof(runtime::ExactSum);
      need(memory_.take(Use::Sums, sum_bytes, i).copy_to(stream_, sums.data(), sum_bytes));
      need(stream_.synchronize());
    }
    outcome.values.push_back(merge_slots(sinks[i], slots, i, sinks.size(), sums, request.region->collect->loc));
  }
  outcome.groups = plan.workers;
}

bool RegionLauncher::collect_rows(const RegionRequest& request, RegionOutcome& outcome) {
  const std::span<const ir::Sink> sinks = request.region->collect->sinks;
  outcome.rows.resize(sinks.size());
  if (!has_rows(*request.region)) return true;
  std::vector<std::uint64_t> counts(sinks.size());
  need(memory_.take(Use::RowCounts, counts.size() * 8).copy_to(stream_, counts.data(), counts.size() * 8));
  need(stream_.synchronize());
  std::uint64_t wanted = *std::max_element(counts.begin(), counts.end());
  if (wanted > row_capacity_ && outcome.ending == Ending::Complete) {
    row_capacity_ = wanted;
    return false;
  }
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    if (sinks[i].kind != ir::SinkKind::List) continue;
    std::uint64_t count = std::min(counts[i], row_capacity_);
    std::uint64_t columns = sinks[i].var->type->columns.size() + 1;
    std::vector<std::uint64_t> words(count * columns);
    const DeviceMemory& area = memory_.take_rows(i, 0);
    for (std::uint64_t c = 0; c < columns && count != 0; ++c) {
      need(area.copy_to(stream_, words.data() + c * count, count * 8, c * row_capacity_ * 8));
    }
    need(stream_.synchronize());
    outcome.rows[i] = ordered_rows(sinks[i], words, count, request.positions);
  }
  return true;
}

}  // namespace matcha::codegen::gpu
