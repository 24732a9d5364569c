// Regions of a program that was compiled ahead of time, on a GPU. The text follows the device part, in its own
// namespace: types that both sides name, such as Launch, are separate types with the same layout.
#pragma once

#include "codegen/cuda/host_kernels.h"

namespace matcha_program {

inline constexpr const char* kDevice = "cuda";
inline constexpr const char* kBackend = "cuda";

inline constexpr bool kStealIsFixed = true;

inline constexpr u64 kUsualTile = ~0ull;  ///< The default size for the region.

inline Schedule default_schedule() {
  Schedule schedule;
  schedule.tile = kUsualTile;
  schedule.queue = 1 << 17;
  schedule.rows = 1 << 20;
  return schedule;
}

/// False if the option is not one of the GPU runner.
inline bool take_runner(Schedule& schedule, const std::string& option, const std::string& value) {
  if (option == "--device") schedule.device = int(std::min<u64>(number_of(option, value), 1 << 20));
  return option == "--device" || take_kernels(schedule, option, value);
}

inline std::string runner_facts(const Schedule& schedule) { return "\"gpu\": " + std::to_string(schedule.device); }

/// Number of groups: as many as the GPU holds at once, fewer if there is little work or memory.
inline u64 plan_workers(Gpu& gpu, const RegionPlan& plan, const Kernel& kernel, const ListPlan& lists) {
  if (!plan.parallel) return 1;
  int blocks = 0;
  need(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.function, kernel.block, 0), "occupancy");
  if (blocks == 0) throw Failure{4, "the kernel of a region does not fit a multiprocessor"};
  constexpr u64 kGroupsAPosition = 16;
  u64 threads = u64(gpu.processors()) * u64(blocks) * u64(kernel.block);
  u64 useful = std::max<u64>(plan.positions, 1);
  if (plan.dealt_graph != nullptr) useful = std::max(useful, plan.dealt_graph->arc_count);
  if (plan.lanes_level == 0) {
    useful = (useful + u64(kernel.group) - 1) / u64(kernel.group);
  } else if (useful < threads) {
    useful *= kGroupsAPosition;
  }
  u64 workers = std::min(threads / kernel.group, useful);
  u64 bytes = lists.scratch_bytes + lists.tables * kPageBytes;
  if (bytes == 0) return workers;
  u64 room = gpu.room() / bytes;
  if (room == 0) throw Failure{5, "the intermediate lists do not fit the GPU's memory"};
  return std::min(workers, room);
}

/// Pages of the arena for a number of groups.
inline u64 plan_pages(Gpu& gpu, const ListPlan& lists, u64 workers, u64 arena_bytes) {
  if (lists.pages == 0) return 0;
  u64 left = gpu.room() - workers * lists.scratch_bytes;
  return std::min(lists.pages * workers, std::min(left, arena_bytes) / kPageBytes);
}

/// Words for rows of bits that groups share: for all positions, as far as memory allows.
inline u64 plan_row_words(Gpu& gpu, const RegionPlan& plan) {
  if (plan.shared_rows == 0) return 0;
  constexpr u64 kMostBytes = 4ull << 30;
  u64 left = std::min(gpu.room() / 2, kMostBytes);
  u128 items = plan.dealt_graph != nullptr ? u128(plan.dealt_graph->arc_count) : u128(plan.positions) * plan.row_items;
  u128 words = items * row_stride(plan.row_items) * plan.shared_rows;
  for (const BufferNeeds& buffer : plan.buffers) {
    if (buffer.counters) words += shared_counter_words(buffer.items, plan.positions);
  }
  return u64(std::min(words, u128(left / 8)));
}

/// The memory of one run of a region, with a given capacity of rows.
class RegionOnGpu {
 public:
  RegionOnGpu(Host& host, const RegionPlan& plan, const Kernel& kernel, u64 row_capacity)
      : host_(host),
        plan_(plan),
        kernel_(kernel),
        row_capacity_(row_capacity),
        lists_(plan_lists(plan)),
        workers_(plan_workers(gpu_, plan, kernel, lists_)),
        kernels_(plan_kernels(gpu_, plan, schedule_, lists_, workers_)),
        pages_(plan_pages(gpu_, lists_, stacks_, schedule_.arena_bytes)),
        slots_(empty_slots(plan, stacks_, reinterpret_cast<u64>(sums_.as<u8>()))),
        rows_(plan.sinks.size()),
        areas_(plan.sinks.size()) {
    buffers_.write(lists_.buffers.data(), lists_.buffers.size() * sizeof(BufferPlan));
    if (plan.paged || lists_.counts) scratch_.fill(0);
    boards_.fill(0);
    idle_.fill(0);
    row_states_.fill(0);
    if (lists_.counts) row_words_.fill(0);
    sums_.fill(0);
    queue_.fill(0xFF);
    counts_.fill(0);
    slot_memory_.write(slots_.data(), slots_.size() * sizeof(Slot));
    for (u64 i = 0; i < areas_.size(); ++i) {
      if (plan.sinks[i].form != SinkForm::Rows) continue;
      rows_[i] = std::make_unique<DeviceArray>(row_capacity * (plan.sinks[i].columns + 1) * 8);
      areas_[i] = {rows_[i]->as<u64>(), row_capacity, counts_.as<u64>() + i};
    }
    area_memory_.write(areas_.data(), areas_.size() * sizeof(RowArea));
  }

  /// Runs the kernel to its end. `frame` has the addresses of the device.
  void run(void* frame) {
    Shared shared{};
    Launch launch = launch_of(shared);
    room_.open(frame, schedule_, launch);
    shared.live = launch.deal.tile != 0 ? launch.deal.tiles : plan_.positions;
    shared.queue_room = launch.queue.capacity;
    shared_.write(&shared, sizeof shared);
    void* arguments[] = {frame, &launch};
    u64 block = u64(kernel_.block);
    u64 blocks = (workers_ * kernel_.group + block - 1) / block;
    need(cudaLaunchKernel(kernel_.function, dim3(unsigned(blocks)), dim3(unsigned(block)), arguments, 0, nullptr),
         "the kernel cannot be started");
    need(cudaDeviceSynchronize(), "the kernel failed");
    shared_.read(&shared, sizeof shared);
    host_.check(shared);
    check_whole(plan_, shared);
    splits_ = shared.splits;
    room_.note(host_.facts(), shared, lists_.scratch_bytes);
    note_lists(host_.facts(), plan_, workers_,
               stacks_ * lists_.scratch_bytes + std::min(shared.pages_taken, pages_) * kPageBytes);
  }

  /// `rows_wanted`: receives the capacity that would have been enough; rows beyond the actual one are left out.
  RegionValues values(u64& rows_wanted) {
    host_.facts().positions += plan_.positions;
    host_.facts().splits += splits_;
    slot_memory_.read(slots_.data(), slots_.size() * sizeof(Slot));
    std::vector<ExactSum> sums(exact_sums(plan_) * stacks_);
    sums_.read(sums.data(), sums.size() * sizeof(ExactSum));
    RegionValues values = merge_slots(plan_, slots_, sums);
    for (u64 i = 0; i < rows_.size(); ++i) {
      if (rows_[i] == nullptr) continue;
      u64 count = 0;
      counts_.read(&count, 8, i * 8);
      rows_wanted = std::max(rows_wanted, count);
      if (count > row_capacity_) continue;
      u64 columns = plan_.sinks[i].columns;
      std::vector<u64> words((columns + 1) * count);
      for (u64 c = 0; c <= columns; ++c) rows_[i]->read(words.data() + c * count, count * 8, c * row_capacity_ * 8);
      values.rows[i] = ordered_rows(words.data(), count, count, columns);
    }
    return values;
  }

 private:
  Launch launch_of(Shared& shared) {
    Launch launch = host_.top_launch(shared);
    launch.shared = shared_.as<Shared>();
    launch.original_ids = gpu_.place(launch.original_ids, launch.universe);
    launch.lanes = plan_.lanes_level == 0 ? usual_lanes(plan_.positions, workers_, u64(kernel_.group)) : 1;
    u64 chunk = lists_.counts ? 1 : usual_chunk(plan_.positions, workers_, launch.lanes);
    launch.chunk = schedule_.chunk != 0 ? schedule_.chunk : chunk;
    launch.deal = deal();
    launch.workers = workers_;
    set_stealing(plan_, schedule_, gpu_.ticks_per_us(), launch);
    if (launch.stealing == kTimeout && (launch.tau == 0 || schedule_.queue == 0)) launch.split = 0;
    launch.block = block_;
    launch.boards = boards_.as<u64>();
    launch.idle = idle_.as<u64>();
    const bool queues = launch.split != 0 && launch.stealing != kKernel;
    launch.queue = queue_of(queue_.as<u64>(), queues ? schedule_.queue : 0, launch.shared);
    launch.scratch = scratch_.as<u8>();
    launch.scratch_bytes = lists_.scratch_bytes;
    launch.buffers = buffers_.as<BufferPlan>();
    launch.arena = arena_.as<u8>();
    launch.arena_pages = pages_;
    if (shared_words_ != 0) launch.row_states = row_states_.as<RowsState>();
    launch.row_words = row_words_.as<u64>();
    launch.row_capacity = shared_words_;
    launch.slots = slot_memory_.as<Slot>();
    launch.sinks = plan_.sinks.size();
    launch.rows = area_memory_.as<RowArea>();
    return launch;
  }

  Deal deal() {
    constexpr u64 kArcsAtATime = 64;
    u64 arcs = plan_.dealt_graph != nullptr ? plan_.dealt_graph->arc_count : 0;
    u64 tile = schedule_.tile != kUsualTile
                   ? schedule_.tile
                   : usual_tile(arcs, workers_, plan_.lanes_level == 1, plan_.bit_loops, plan_.light_arcs);
    Deal deal = deal_of(plan_, tile, std::max<u64>(kArcsAtATime / std::max<u64>(tile, 1), 1), workers_);
    if (deal.tile == 0) return deal;
    const std::vector<u32> starts = tile_starts(deal);
    tiles_.emplace(starts.size() * sizeof(u32)).write(starts.data(), starts.size() * sizeof(u32));
    deal.starts = tiles_->as<u32>();
    deal.offsets = gpu_.place(deal.offsets, plan_.dealt_graph->universe + 1);
    deal.vertices = gpu_.place(deal.vertices, deal.vertex_count);
    return deal;
  }

  Host& host_;
  const RegionPlan& plan_;
  const Kernel& kernel_;
  u64 row_capacity_;
  Gpu& gpu_ = Gpu::of(host_);
  const Schedule& schedule_ = host_.settings().schedule;
  ListPlan lists_;
  u64 workers_;
  u64 kernels_;                                       ///< Kernels that may run at the same time.
  u64 stacks_ = workers_ + kernels_ * kKernelGroups;  ///< Number of groups of the region and of its started kernels.
  u64 pages_;
  u64 block_ = std::max<u64>(u64(kernel_.block) / kernel_.group, 1);
  u64 splits_ = 0;
  std::optional<DeviceArray> tiles_;  ///< Starts of tiles.
  DeviceArray shared_{sizeof(Shared)};
  DeviceArray queue_{ring_words(schedule_.queue) * 8};
  DeviceArray boards_{(schedule_.steal == kHalf ? workers_ * kBoardWords : 0) * 8};
  DeviceArray idle_{(workers_ / block_ / 64 + 1) * 8};
  KernelRoom room_{kernels_, kernel_};
  DeviceArray scratch_{lists_.scratch_bytes * stacks_};
  DeviceArray arena_{pages_ * kPageBytes};
  u64 shared_words_ = plan_row_words(gpu_, plan_);
  DeviceArray row_words_{shared_words_ * 8};
  DeviceArray row_states_{(shared_words_ != 0 ? plan_.positions * plan_.shared_rows : 0) * sizeof(RowsState)};
  DeviceArray buffers_{lists_.buffers.size() * sizeof(BufferPlan)};
  DeviceArray sums_{exact_sums(plan_) * stacks_ * sizeof(ExactSum)};
  std::vector<Slot> slots_;
  DeviceArray slot_memory_{slots_.size() * sizeof(Slot)};
  DeviceArray counts_{plan_.sinks.size() * 8};
  std::vector<std::unique_ptr<DeviceArray>> rows_;
  std::vector<RowArea> areas_;
  DeviceArray area_memory_{areas_.size() * sizeof(RowArea)};
};

/// Runs a region. `frame` has the addresses of the device.
inline RegionValues run_region(Host& host, const RegionPlan& plan, const Kernel& kernel, void* frame) {
  u64 capacity = host.settings().schedule.rows;
  while (true) {
    RegionOnGpu region(host, plan, kernel, capacity);
    region.run(frame);
    u64 wanted = 0;
    RegionValues values = region.values(wanted);
    if (wanted <= capacity) return values;
    capacity = wanted;
  }
}

}  // namespace matcha_program
