#include "codegen/cuda/region_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "codegen/cuda/device_text.h"
#include "codegen/cuda/sinks.h"
#include "runtime/common/bits.h"
#include "runtime/common/half_stealing.h"
#include "runtime/common/rooms.h"
#include "runtime/common/task_walk.h"

namespace matcha::codegen::gpu {

using matcha_program::Launch;
using matcha_program::RowArea;
using matcha_program::Shared;
using matcha_program::Slot;
using runtime::ErrorKind;
using runtime::cuda::CuDevicePtr;
using runtime::cuda::DeviceMemory;
using runtime::cuda::PinnedMemory;
using Use = RegionMemory::Use;

namespace {

constexpr std::uint64_t kCacheLine = 64;
/// Of a kernel that a group starts.
constexpr std::uint64_t kStartedGroups = matcha_program::kKernelGroups;
/// Most bytes of shared rows; more are not worth the memory.
constexpr std::uint64_t kMostRowBytes = std::uint64_t{4} << 30;
/// Slots of more bytes are cleared on the device: that is faster than copying zeros.
constexpr std::uint64_t kMostSlotBytes = std::uint64_t{1} << 15;
/// Capacity of a stream in rows; a full stream makes the device wait for the host.
constexpr std::uint64_t kStreamRows = std::uint64_t{1} << 16;

template <typename T>
T* device_pointer(CuDevicePtr address) {
  return reinterpret_cast<T*>(address);
}

std::uint64_t whole_lines(std::uint64_t bytes) { return (bytes + kCacheLine - 1) / kCacheLine * kCacheLine; }

/// Words with one bit for each place of a kernel.
std::uint64_t place_words(std::uint64_t kernels) { return (kernels + 63) / 64; }

/// Positions that a group walks at the same time.
std::uint64_t lanes_of(const RegionRequest& request, std::uint64_t groups) {
  if (request.lanes_level != 0) return 1;
  return matcha_program::usual_lanes(request.positions, groups, request.schedule().group);
}

/// Grows the memory to at least `bytes`; its contents are lost.
void grow(const runtime::cuda::DeviceRef& device, PinnedMemory& memory, std::uint64_t bytes) {
  if (memory.bytes() >= bytes) return;
  memory = PinnedMemory();
  memory = need(PinnedMemory::allocate(device, bytes));
}

}  // namespace

RegionShare RegionShare::of_device(const RegionRequest& request, std::uint64_t device, std::uint64_t devices,
                                   std::uint64_t groups) {
  if (request.units > 1) return {device, devices, groups, {}, request.piece(device, devices), false};
  // A part in the middle: the first positions may be special, such as the vertices with most neighbours.
  return {request.parts / 2 * devices + device, request.parts * devices, groups, {}, {}, request.parts > 1};
}

/// Groups of one device share the rows of bits of a vertex, groups of several devices do not. So a unit has all arcs of
/// most vertices, and is still small enough to balance the devices.
std::uint64_t RegionShare::unit_tiles(const matcha_program::Deal& deal) const {
  constexpr std::uint64_t kMostArcs = 4096;
  if (is_sample) return deal.grab;
  const std::uint64_t arcs = std::min<std::uint64_t>(deal.arcs / (devices * runtime::kUnitsOfShare), kMostArcs);
  return std::max<std::uint64_t>(arcs / (deal.tile * deal.grab), 1) * deal.grab;
}

std::uint64_t RegionShare::tiles(const matcha_program::Deal& deal) const {
  const std::uint64_t unit = unit_tiles(deal), units = deal.tiles / unit;
  const std::uint64_t mine = units / devices + (device < units % devices ? 1 : 0);
  return mine * unit + (units % devices == device ? deal.tiles % unit : 0);
}

std::uint64_t RegionShare::positions(std::uint64_t all) const {
  if (piece) return piece->end - piece->begin;
  if (devices == 1) return all;
  std::uint64_t mine = 0;
  for (const runtime::PositionRange& range : ranges) mine += range.end - range.begin;
  return mine;
}

RegionLauncher::RegionLauncher(runtime::cuda::DeviceRef device, const CudaOptions& options)
    : device_(std::move(device)),
      options_(options),
      stream_(need(runtime::cuda::Stream::create(device_))),
      side_(need(runtime::cuda::Stream::create(device_))),
      begin_(need(runtime::cuda::Event::create(device_))),
      end_(need(runtime::cuda::Event::create(device_))),
      words_(need(runtime::cuda::PinnedBuffer<std::uint64_t>::allocate(device_, 2))),
      memory_(device_) {}

std::uint64_t RegionLauncher::wanted_groups(const RegionRequest& request, const RegionInputs& inputs) const {
  if (!request.schedule().parallel) return 1;
  const int blocks = inputs.kernels->blocks;
  if (blocks == 0)
    fail(ErrorKind::Runtime, "the kernel of a region does not fit a multiprocessor", {}, request.region->loc);
  std::uint64_t threads =
      static_cast<std::uint64_t>(device_->properties().multiprocessors) * static_cast<unsigned>(blocks) * kBlockThreads;
  constexpr std::uint64_t kGroupsAPosition = 16;
  std::uint64_t useful = std::max<std::uint64_t>(request.positions, 1);
  const std::uint64_t group = request.schedule().group;
  if (request.lanes_level == 0) return std::min(threads / group, (useful + group - 1) / group);
  if (inputs.dealt_graph != nullptr) useful = std::max(useful, inputs.dealt_graph->arc_count);
  if (useful < threads) useful *= kGroupsAPosition;
  return std::min(threads / group, useful);
}

/// Asking the driver for the free memory takes longer than a small region. So it is asked only if a region needs more
/// than an earlier one left.
ListMemory RegionLauncher::list_memory(const RegionRequest& request, std::uint64_t groups) const {
  if (options_.scratch_bytes != 0) return {options_.scratch_bytes, options_.arena_bytes};
  const std::uint64_t held = memory_.held(Use::Scratch);
  const bool arrays = request.schedule().stack == ir::Stack::Array;
  if (arrays && arrays_fit(request.buffers, groups, held)) return {held, options_.arena_bytes};
  return {memory_.scratch_limit(), options_.arena_bytes};
}

bool RegionLauncher::needs_pages(const RegionRequest& request, const RegionInputs& inputs) const {
  if (request.buffers.empty()) return false;
  const std::uint64_t groups = wanted_groups(request, inputs) + wanted_kernels(request, UINT64_MAX) * kStartedGroups;
  return gpu::needs_pages(request.buffers, groups, list_memory(request, groups));
}

std::uint64_t RegionLauncher::plan(const RegionRequest& request, const RegionInputs& inputs, std::uint64_t most_groups,
                                   std::string& note) {
  groups_ = std::min(wanted_groups(request, inputs), most_groups);
  kernels_ = wanted_kernels(request, most_groups);
  std::optional<runtime::PositionRange> unit;
  if (request.units > 1) unit = request.range();
  deal(request, inputs, groups_, unit);  // The starts of tiles are on the device before lists get the remaining memory.
  const std::uint64_t all = groups_ + kernels_ * kStartedGroups;
  const ListMemory memory = request.buffers.empty() ? ListMemory{} : list_memory(request, all);
  plan_ = plan_lists(request.buffers, all, request.schedule().stack, memory, request.region->loc);
  if (plan_.workers < all && kernels_ != 0) {
    constexpr std::uint64_t kPart = 4;  ///< One in this many of the lists that fit the memory is for kernels.
    kernels_ = std::min(kernels_, plan_.workers / kPart / kStartedGroups);
    plan_.note += fmt::format("; {} kernels may be started at a time", kernels_);
  }
  groups_ = std::min(groups_, plan_.workers - kernels_ * kStartedGroups);
  if (!plan_.note.empty()) note = plan_.note;
  return groups_;
}

std::uint64_t RegionLauncher::wanted_kernels(const RegionRequest& request, std::uint64_t most_groups) const {
  const bool starts = request.schedule().steal == ir::Stealing::Kernel && request.schedule().split != 0;
  return starts ? std::min(options_.kernels, most_groups / kStartedGroups) : 0;
}

void RegionLauncher::start(const RegionRequest& request, const RegionInputs& inputs, const RegionShare& share,
                           std::uint64_t row_capacity) {
  row_capacity_ = row_capacity;
  Launch launch = prepare(request, inputs, share);
  std::vector<std::uint8_t> frame = inputs.frame;
  std::uint64_t threads = groups_ * request.schedule().group;
  runtime::cuda::LaunchShape shape;
  shape.threads = kBlockThreads;
  shape.blocks = static_cast<unsigned>((threads + kBlockThreads - 1) / kBlockThreads);
  void* arguments[] = {frame.data(), &launch, nullptr};
  if (request.kernel_times) need(begin_.record(stream_));
  need(inputs.kernels->run.launch_with(stream_, shape, arguments), request.region->loc);
  if (request.kernel_times) need(end_.record(stream_));
  // The results are copied right behind the kernel, so that the host waits only once.
  const DeviceMemory& control = memory_.take(Use::Control, layout_.bytes);
  need(control.copy_to(stream_, control_.host(), layout_.buffers));
  const std::uint64_t slots = plan_.workers * launch.sinks * sizeof(Slot);
  if (slots != layout_.slot_bytes) need(memory_.take(Use::Slots, slots).copy_to(stream_, slots_.host(), slots));
}

/// Deals tiles of arcs if possible: of all positions, or of those of a unit.
matcha_program::Deal RegionLauncher::deal(const RegionRequest& request, const RegionInputs& inputs,
                                          std::uint64_t groups,
                                          const std::optional<runtime::PositionRange>& maybe_piece) const {
  constexpr std::uint64_t kArcsAtATime = 64;
  const runtime::GraphView* graph = inputs.dealt_graph;
  if (graph == nullptr || graph->slots != nullptr || graph->arc_count == 0) return {};
  const runtime::PositionRange positions = maybe_piece.value_or(runtime::PositionRange{0, graph->vertex_count});
  runtime::PositionRange arcs{0, graph->arc_count};
  if (maybe_piece) {
    // The length of tiles depends on the device, the start of units must not: so each unit has separate tiles.
    const runtime::GraphView* const host = request.maybe_walked;
    if (options_.graph_bytes != 0) return {};  // Offsets, from which tiles are found, may be in host memory.
    if (host == nullptr || host->arc_count != graph->arc_count || host->vertex_count != graph->vertex_count) return {};
    const auto arcs_before = [&](std::uint64_t position) {
      if (position == host->vertex_count) return host->arc_count;
      return host->offsets[host->vertices == nullptr ? position : host->vertices[position]];
    };
    arcs = {arcs_before(positions.begin), arcs_before(positions.end)};
    if (arcs.begin == arcs.end) return {};
  }
  const std::uint64_t count = arcs.end - arcs.begin;
  std::uint64_t tile = options_.tile.value_or(
      matcha_program::usual_tile(count, groups, request.lanes_level == 1, request.bit_loops, request.light_arcs));
  if (tile == 0) return {};
  matcha_program::Deal deal{reinterpret_cast<const matcha_program::u64*>(graph->offsets),
                            reinterpret_cast<const matcha_program::u32*>(graph->vertices),
                            positions.end,
                            count,
                            tile,
                            (count + tile - 1) / tile,
                            std::max<std::uint64_t>(kArcsAtATime / tile, 1),
                            nullptr,
                            matcha_program::share_bits_of(groups),
                            positions.begin,
                            arcs.begin};
  deal.starts = inputs.tiles->starts(stream_, *inputs.kernels->tiles, deal);
  return deal;
}

std::uint64_t RegionLauncher::chunk(const RegionRequest& request, std::uint64_t groups) const {
  if (options_.chunk != 0) return options_.chunk;
  // Counting common neighbours of one hub may take as long as many other positions. With rows in host memory a position
  // takes so long that the rest of a chunk would be handed on repeatedly.
  if (request.counts_common() || request.rows_may_be_remote) return 1;
  return matcha_program::usual_chunk(request.positions / (request.parts * request.units), groups,
                                     lanes_of(request, groups));
}

void RegionLauncher::lay_out(const RegionRequest& request, const RegionInputs& inputs, const RegionShare& share) {
  const std::uint64_t sinks = request.region->collect->sinks.size();
  const std::uint64_t slot_bytes = plan_.workers * sinks * sizeof(Slot);
  layout_.slot_bytes = slot_bytes <= kMostSlotBytes ? slot_bytes : 0;
  layout_.counts = whole_lines(sizeof(Shared));
  layout_.slots = layout_.counts + whole_lines(sinks * sizeof(std::uint64_t));
  layout_.buffers = layout_.slots + whole_lines(layout_.slot_bytes);
  layout_.areas = layout_.buffers + whole_lines(plan_.buffers.size() * sizeof(matcha_program::BufferPlan));
  layout_.ranges = layout_.areas + whole_lines(sinks * sizeof(RowArea));
  layout_.places = layout_.ranges + whole_lines((share.ranges.size() + 1) * sizeof(matcha_program::DealtRange));
  layout_.frame = layout_.places + whole_lines((place_words(kernels_) + kernels_) * 8);
  layout_.bytes = layout_.frame + (kernels_ != 0 ? whole_lines(inputs.frame.size()) : 0);
  grow(device_, control_, layout_.bytes);
  std::memset(control_.host(), 0, layout_.bytes);
}

Launch RegionLauncher::prepare(const RegionRequest& request, const RegionInputs& inputs, const RegionShare& share) {
  lay_out(request, inputs, share);
  const DeviceMemory& control = memory_.take(Use::Control, layout_.bytes);
  shared_ = control.address();

  Launch launch{};
  launch.shared = device_pointer<Shared>(shared_);
  launch.universe = request.universe;
  launch.positions = request.positions;
  launch.place_bits = matcha_program::place_bits(request.positions);
  launch.original_ids = reinterpret_cast<const matcha_program::i64*>(inputs.original_ids);
  launch.lanes = lanes_of(request, share.groups);
  launch.chunk = chunk(request, share.groups);
  launch.deal = deal(request, inputs, share.groups, share.piece);
  launch.workers = groups_;
  prepare_share(request, share, launch);
  prepare_stealing(request, launch);
  prepare_kernels(request, inputs, launch);
  static_cast<Shared*>(control_.host())->queue_room = launch.queue.capacity;
  prepare_lists(request, launch);
  prepare_shared_rows(request, inputs, launch);
  prepare_slots(request, launch);
  if (request.has_rows()) prepare_rows(request);
  launch.rows = device_pointer<const RowArea>(shared_ + layout_.areas);
  need(control.copy_from(stream_, control_.host(), layout_.bytes));
  return launch;
}

void RegionLauncher::prepare_share(const RegionRequest& request, const RegionShare& share, Launch& launch) {
  const bool tiles = launch.deal.tile != 0;
  const bool all_tiles = tiles && share.piece;  // All tiles of a piece belong to this device.
  launch.device = all_tiles ? 0 : share.device;
  launch.other_devices = all_tiles ? 0 : share.devices - 1;
  launch.unit_tiles = tiles ? share.unit_tiles(launch.deal) : 0;
  Shared& shared = *static_cast<Shared*>(control_.host());
  const std::uint64_t positions = share.positions(request.positions);
  shared.live = !tiles ? positions : all_tiles ? launch.deal.tiles : share.tiles(launch.deal);
  share_ = tiles && !all_tiles ? std::nullopt : std::optional(positions);
  using matcha_program::DealtRange;
  DealtRange* const ranges = reinterpret_cast<DealtRange*>(static_cast<char*>(control_.host()) + layout_.ranges);
  std::uint64_t taken = 0;
  for (std::size_t i = 0; i < share.ranges.size(); ++i) {
    ranges[i] = {taken, share.ranges[i].begin};
    taken += share.ranges[i].end - share.ranges[i].begin;
  }
  ranges[share.ranges.size()] = {taken, request.positions};
  launch.ranges = device_pointer<const DealtRange>(shared_ + layout_.ranges);
  launch.range_count = share.ranges.size();
  if (!share.piece || tiles) return;
  // One range, which ends where all positions end: it need not begin or end at a chunk.
  launch.positions = share.piece->end;
  launch.other_devices = 1;
  launch.range_count = 0;
  ranges[0] = {0, share.piece->begin};
}

void RegionLauncher::prepare_stealing(const RegionRequest& request, Launch& launch) {
  const ir::Schedule& schedule = request.schedule();
  const bool half = schedule.steal == ir::Stealing::Half, kernel = schedule.steal == ir::Stealing::Kernel;
  using matcha_program::kUsualLookUs;
  using matcha_program::kUsualTauUs;
  std::uint64_t tau_us = options_.tau_us.value_or(half ? kUsualLookUs : kUsualTauUs);
  const bool hands_on = half || (kernel ? kernels_ != 0 : tau_us != 0 && options_.queue != 0);
  bool split = schedule.split != 0 && hands_on;
  launch.stealing = half     ? matcha_program::kHalf
                    : kernel ? matcha_program::kKernel
                    : split  ? matcha_program::kTimeout
                             : matcha_program::kNoStealing;
  launch.split = split ? schedule.split : 0;
  if (request.keeps_order()) launch.split = std::min(launch.split, matcha_program::kOrderedLevels);
  constexpr std::uint64_t kUsualKhz = 1'500'000;
  std::uint64_t khz =
      device_->properties().clock_khz > 0 ? static_cast<std::uint64_t>(device_->properties().clock_khz) : kUsualKhz;
  launch.tau = (tau_us != 0 ? tau_us : kUsualTauUs) * khz / 1000;
  std::uint64_t queue = split && tau_us != 0 && !kernel ? options_.queue : 0;
  const DeviceMemory& words = memory_.take(Use::Queue, matcha_program::ring_words(queue) * 8);
  if (queue != 0) continue_queue(words, queue);
  launch.eager = options_.eager;
  launch.queue = {device_pointer<matcha_program::u64>(words.address()),
                  queue,
                  matcha_program::ring_shift(queue),
                  device_pointer<matcha_program::u64>(shared_ + offsetof(Shared, queue_ready)),
                  device_pointer<matcha_program::u64>(shared_ + offsetof(Shared, queue_room)),
                  device_pointer<matcha_program::u64>(shared_ + offsetof(Shared, queue_front)),
                  device_pointer<matcha_program::u64>(shared_ + offsetof(Shared, queue_back))};
  launch.block = kBlockThreads / schedule.group;
  if (!half) return;
  const DeviceMemory& boards = memory_.take(Use::Boards, plan_.workers * matcha_program::kBoardWords * 8);
  const DeviceMemory& idle = memory_.take(Use::Idle, (plan_.workers / launch.block / 64 + 1) * 8);
  need(boards.fill(stream_, 0));
  need(idle.fill(stream_, 0));
  launch.boards = device_pointer<matcha_program::u64>(boards.address());
  launch.idle = device_pointer<matcha_program::u64>(idle.address());
}

void RegionLauncher::prepare_kernels(const RegionRequest& request, const RegionInputs& inputs, Launch& launch) {
  if (kernels_ == 0) return;
  char* const control = static_cast<char*>(control_.host());
  std::uint64_t* const free = reinterpret_cast<std::uint64_t*>(control + layout_.places);
  for (std::uint64_t i = 0; i < kernels_; ++i) free[i / 64] |= std::uint64_t{1} << (i % 64);
  std::memcpy(control + layout_.frame, inputs.frame.data(), inputs.frame.size());
  launch.kernels = {device_pointer<matcha_program::u64>(shared_ + layout_.places),
                    device_pointer<matcha_program::u64>(shared_ + layout_.places + place_words(kernels_) * 8),
                    kernels_,
                    options_.fanout,
                    request.number,
                    device_pointer<const void>(shared_ + layout_.frame)};
}

/// Every task in the queue was taken, so the words of its next round begin where the last run stopped.
void RegionLauncher::continue_queue(const DeviceMemory& words, std::uint64_t capacity) {
  if (queue_.words != words.address() || queue_.capacity != capacity) {
    need(words.fill(stream_, 0xFF));
    queue_ = {0, capacity, 0};
  }
  queue_.words = 0;
  Shared& shared = *static_cast<Shared*>(control_.host());
  shared.queue_front = queue_.place;
  shared.queue_back = queue_.place;
}

void RegionLauncher::keep_queue() {
  const Shared& last = shared();
  const bool used = last.queue_room != 0 || last.queue_back != 0;
  if (!used) return;
  const bool empty = last.queue_front == last.queue_back && last.queue_room == queue_.capacity &&
                     matcha_program::tasks_in(last.queue_ready) == 0 && last.error == 0;
  queue_.words = empty ? memory_.take(Use::Queue, 0).address() : 0;
  queue_.place = last.queue_back;
}

void RegionLauncher::prepare_lists(const RegionRequest& request, Launch& launch) {
  if (plan_.scratch_bytes != 0) {
    const DeviceMemory& scratch = memory_.take(Use::Scratch, plan_.scratch_bytes * plan_.workers);
    if (request.counts_common() || plan_.stack == ir::Stack::Paged) need(scratch.fill(stream_, 0));
    launch.scratch = device_pointer<matcha_program::u8>(scratch.address());
    launch.scratch_bytes = plan_.scratch_bytes;
  }
  if (plan_.pages != 0) {
    const DeviceMemory& pages = memory_.take(Use::Pages, plan_.pages * matcha_program::kPageBytes);
    launch.arena = device_pointer<matcha_program::u8>(pages.address());
    launch.arena_pages = plan_.pages;
  }
  const std::uint64_t plan_bytes = plan_.buffers.size() * sizeof(matcha_program::BufferPlan);
  if (plan_bytes != 0)
    std::memcpy(static_cast<char*>(control_.host()) + layout_.buffers, plan_.buffers.data(), plan_bytes);
  launch.buffers = device_pointer<const matcha_program::BufferPlan>(shared_ + layout_.buffers);
}

/// Number of words for shared rows that fit the memory, at most `words`.
std::uint64_t RegionLauncher::room_for_rows(std::uint64_t words, std::uint64_t state_bytes) const {
  if (options_.scratch_bytes == 0 && memory_.held(Use::RowWords) >= words * 8 &&
      memory_.held(Use::RowStates) >= state_bytes) {
    return words;
  }
  const std::uint64_t held = plan_.scratch_bytes * plan_.workers + plan_.pages * matcha_program::kPageBytes;
  const std::uint64_t limit = options_.scratch_bytes != 0 ? options_.scratch_bytes : memory_.scratch_limit();
  const std::uint64_t left = (limit - std::min(limit, held + state_bytes)) / 2;
  return std::min(words, left / 8);
}

/// Allocates the rows of all positions, as far as memory allows; groups at other positions have separate rows.
void RegionLauncher::prepare_shared_rows(const RegionRequest& request, const RegionInputs& inputs, Launch& launch) {
  using matcha_program::RowsState;
  const std::uint64_t states = request.positions * request.schedule().shared_rows;
  if (states == 0) return;
  // The lists of all positions together have as many items as there are neighbours to walk.
  using Wide = unsigned __int128;
  const Wide items =
      inputs.dealt_graph != nullptr ? Wide{inputs.dealt_graph->arc_count} : Wide{request.positions} * request.row_items;
  const bool counts = request.counts_common();
  const Wide words = items * matcha_program::row_stride(request.row_items) * request.schedule().shared_rows +
                     (counts ? matcha_program::shared_counter_words(request.universe, request.positions) : 0);
  launch.row_capacity =
      room_for_rows(static_cast<std::uint64_t>(std::min<Wide>(words, kMostRowBytes / 8)), states * sizeof(RowsState));
  if (launch.row_capacity == 0) return;
  const DeviceMemory& memory = memory_.take(Use::RowStates, states * sizeof(RowsState));
  need(device_->call(device_->calls().memset_d8_async, memory.address(), static_cast<unsigned char>(0),
                     states * sizeof(RowsState), stream_.get()));
  launch.row_states = device_pointer<RowsState>(memory.address());
  const DeviceMemory& row_words = memory_.take(Use::RowWords, launch.row_capacity * 8);
  if (counts) need(row_words.fill(stream_, 0));
  launch.row_words = device_pointer<matcha_program::u64>(row_words.address());
}

void RegionLauncher::prepare_slots(const RegionRequest& request, Launch& launch) {
  const std::span<const ir::Sink> sinks = request.region->collect->sinks;
  launch.sinks = sinks.size();
  const std::uint64_t bytes = plan_.workers * sinks.size() * sizeof(Slot);
  if (bytes == 0) return;
  const bool apart = layout_.slot_bytes == 0;
  if (apart) grow(device_, slots_, bytes);
  const CuDevicePtr address = apart ? memory_.take(Use::Slots, bytes).address() : shared_ + layout_.slots;
  launch.slots = device_pointer<Slot>(address);
  bool zeros = std::all_of(sinks.begin(), sinks.end(),
                           [](const ir::Sink& sink) { return !is_exact_sum(sink) && empty_slot(sink).low == 0; });
  if (zeros) {
    if (!apart) return;
    need(device_->call(device_->calls().memset_d8_async, address, static_cast<unsigned char>(0), bytes, stream_.get()));
    return;
  }
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    CuDevicePtr sums = 0;
    if (is_exact_sum(sinks[i])) {
      const DeviceMemory& exact = memory_.take(Use::Sums, plan_.workers * sizeof(runtime::ExactSum), i);
      need(exact.fill(stream_, 0));
      sums = exact.address();
    }
    for (std::uint64_t worker = 0; worker < plan_.workers; ++worker) {
      Slot& slot = slots()[worker * sinks.size() + i];
      slot = empty_slot(sinks[i]);
      if (sums != 0) slot.low = sums + worker * sizeof(runtime::ExactSum);
    }
  }
  if (apart) need(memory_.take(Use::Slots, bytes).copy_from(stream_, slots(), bytes));
}

void RegionLauncher::prepare_rows(const RegionRequest& request) {
  const std::span<const ir::Sink> sinks = request.region->collect->sinks;
  RowArea* const areas = reinterpret_cast<RowArea*>(static_cast<char*>(control_.host()) + layout_.areas);
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    if (sinks[i].kind != ir::SinkKind::List) continue;
    if (request.stream_rows) {
      stream_sink_ = i;
      areas[i] = need(rows_.open(device_, stream_, sinks[i], std::min(row_capacity_, kStreamRows)));
    } else {
      std::uint64_t words = row_capacity_ * (sinks[i].var->type->columns.size() + 1);
      areas[i].words = device_pointer<matcha_program::u64>(memory_.take_rows(i, words * 8).address());
      areas[i].capacity = row_capacity_;
    }
    areas[i].count = device_pointer<matcha_program::u64>(shared_ + layout_.counts + i * sizeof(std::uint64_t));
  }
}

bool RegionLauncher::done(const RegionRequest& request) {
  runtime::Result<bool> done = stream_.done();
  if (done && *done) keep_queue();
  if (done) return *done;
  runtime::Error error = done.error();
  error.message = "the kernel failed on " + device_->label() + "; " + error.message;
  error.hint = "a watchdog ends long kernels on a GPU with a display; --device cpu runs on the CPU";
  throw host::Trap{std::move(error), request.region->loc};
}

void RegionLauncher::stop() {
  words_.host()[0] = 1;
  need(device_->call(device_->calls().memcpy_htod_async, shared_ + offsetof(Shared, stop),
                     static_cast<const void*>(words_.host()), sizeof(std::uint64_t), side_.get()));
}

void RegionLauncher::settle() { need(side_.synchronize()); }

std::uint64_t RegionLauncher::walked() {
  need(device_->call(device_->calls().memcpy_dtoh_async, static_cast<void*>(words_.host() + 1),
                     shared_ + offsetof(Shared, positions_done), sizeof(std::uint64_t), side_.get()));
  need(side_.synchronize());
  return words_.host()[1];
}

bool RegionLauncher::drain(const RowStream::Give& give, bool done, std::uint64_t& rows) {
  const std::uint64_t before = rows_.rows();
  bool more = need(rows_.drain(side_, give));
  if (more && done) more = rows_.finish(row_count(stream_sink_), give);
  rows += rows_.rows() - before;
  return more;
}

double RegionLauncher::milliseconds() const { return need(end_.milliseconds_since(begin_)); }

std::uint64_t* RegionLauncher::counts() const {
  return reinterpret_cast<std::uint64_t*>(static_cast<char*>(control_.host()) + layout_.counts);
}

Slot* RegionLauncher::slots() const {
  if (layout_.slot_bytes == 0) return static_cast<Slot*>(slots_.host());
  return reinterpret_cast<Slot*>(static_cast<char*>(control_.host()) + layout_.slots);
}

void RegionLauncher::take(const RegionRequest& request, std::vector<Slot>& slots,
                          std::vector<std::vector<runtime::ExactSum>>& sums) {
  const std::span<const ir::Sink> sinks = request.region->collect->sinks;
  const Slot* const found = this->slots();
  slots.insert(slots.end(), found, found + plan_.workers * sinks.size());
  bool copies = false;
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    if (!is_exact_sum(sinks[i])) continue;
    const std::uint64_t before = sums[i].size();
    sums[i].resize(before + plan_.workers);
    const std::uint64_t bytes = plan_.workers * sizeof(runtime::ExactSum);
    need(memory_.take(Use::Sums, bytes, i).copy_to(stream_, sums[i].data() + before, bytes));
    copies = true;
  }
  if (copies) need(stream_.synchronize());
}

DeviceRows::Part RegionLauncher::take_rows(std::size_t sink) {
  return {&stream_, memory_.give_rows(sink), row_capacity_, std::min(row_count(sink), row_capacity_)};
}

}  // namespace matcha::codegen::gpu
