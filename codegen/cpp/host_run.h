// Regions of a program that was compiled ahead of time, on threads.
#pragma once

#include "codegen/c_family/host/schedule.h"
#include "codegen/c_family/host/sinks.h"
#include "runtime/common/machine.h"

namespace matcha_program {

inline constexpr const char* kDevice = "cpu";
inline constexpr const char* kBackend = "cpp";
inline constexpr const char* kRunnerHelp =
    R"(  --threads N            default: as many as there are
  --block N              threads that steal from each other directly (default 8)
)";

inline constexpr bool kStealIsFixed = false;

inline Schedule default_schedule() {
  Schedule schedule;
  schedule.threads = usable_threads();
  schedule.chunk = 8;
  schedule.tile = 1024;
  schedule.queue = 4096;
  schedule.rows = 1 << 16;
  return schedule;
}

/// False if the option is not one of the thread runner.
inline bool take_runner(Schedule& schedule, const std::string& option, const std::string& value) {
  if (option == "--threads") {
    schedule.threads = unsigned(std::min<u64>(std::max<u64>(1, number_of(option, value)), 4096));
  } else if (option == "--block") {
    schedule.block = std::max<u64>(1, number_of(option, value));
  } else {
    return false;
  }
  return true;
}

inline std::string runner_facts(const Schedule& schedule) { return "\"threads\": " + std::to_string(schedule.threads); }

/// Ticks of `Group::now`, measured once against the clock.
inline u64 ticks_per_us() {
  static const u64 ticks = [] {
    const auto begin = std::chrono::steady_clock::now();
    u64 first = Group<1>::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(1)) {
    }
    return (Group<1>::now() - first) / 1000 + 1;
  }();
  return ticks;
}

/// The memory of all threads' intermediate lists. Pages are allocated by the system at their first use.
struct ListMemory {
  ListPlan plan;
  std::unique_ptr<u8[]> scratch;
  u64 pages = 0;
  std::unique_ptr<u8[]> arena;
};

inline ListMemory list_memory(const RegionPlan& plan, const Schedule& schedule) {
  ListMemory memory;
  memory.plan = plan_lists(plan);
  u64 workers = schedule.threads;
  memory.scratch.reset(new u8[memory.plan.scratch_bytes * workers + 64]);
  if (plan.paged || memory.plan.counts) std::fill_n(memory.scratch.get(), memory.plan.scratch_bytes * workers, u8{0});
  if (!plan.paged) return memory;
  const u64 machine = usable_memory();
  memory.pages = std::min(memory.plan.pages * workers, std::min(schedule.arena_bytes, machine) / kPageBytes);
  memory.arena.reset(new u8[memory.pages * kPageBytes + 64]);
  return memory;
}

/// Runs a region once, with a given capacity of rows. `rows_wanted`: receives the capacity that would have been enough.
template <typename F>
RegionValues try_region(Host& host, const RegionPlan& plan, F& work_on_region, u64 row_capacity, u64& rows_wanted) {
  const Schedule& schedule = host.settings().schedule;
  u64 workers = schedule.threads;
  u64 sinks = plan.sinks.size();
  Shared shared{};
  shared.live = plan.positions;
  std::vector<u64> queue_words(ring_words(schedule.queue), kEmptyWord);
  std::vector<u64> boards(schedule.steal == kHalf ? workers * kBoardWords : 0, 0);
  std::vector<u64> idle(workers / schedule.block / 64 + 1, 0);
  const ListMemory lists = list_memory(plan, schedule);
  std::vector<ExactSum> sums(exact_sums(plan) * workers);
  for (ExactSum& sum : sums) exact_sum_clear(sum);
  std::vector<Slot> slots = empty_slots(plan, workers, reinterpret_cast<u64>(sums.data()));
  std::vector<std::vector<u64>> row_words(sinks);
  std::vector<u64> row_counts(sinks, 0);
  std::vector<RowArea> areas(sinks);
  for (u64 i = 0; i < sinks; ++i) {
    if (plan.sinks[i].form != SinkForm::Rows) continue;
    row_words[i].resize(row_capacity * (plan.sinks[i].columns + 1));
    areas[i] = {row_words[i].data(), row_capacity, &row_counts[i], nullptr};
  }
  Launch launch = host.top_launch(shared);
  launch.chunk = std::max<u64>(schedule.chunk, 1);
  launch.deal = deal_of(plan, schedule.tile, 1, workers);
  const std::vector<u32> starts = tile_starts(launch.deal);
  launch.deal.starts = starts.data();
  if (launch.deal.tile != 0) shared.live = launch.deal.tiles;
  launch.workers = workers;
  set_stealing(plan, schedule, ticks_per_us(), launch);
  launch.block = schedule.block;
  launch.boards = boards.data();
  launch.idle = idle.data();
  shared.queue_room = schedule.queue;
  launch.queue = queue_of(queue_words.data(), schedule.queue, &shared);
  launch.scratch = lists.scratch.get();
  launch.scratch_bytes = lists.plan.scratch_bytes;
  launch.buffers = lists.plan.buffers.data();
  launch.arena = lists.arena.get();
  launch.arena_pages = lists.pages;
  launch.slots = slots.data();
  launch.sinks = sinks;
  launch.rows = areas.data();
  const auto work = [&](u64 index) {
    TaskState state;
    Worker worker(launch, index, state);
    work_on_region(worker);
  };
  std::vector<std::thread> threads;
  for (u64 index = 1; index < workers; ++index) threads.emplace_back(work, index);
  work(0);
  for (std::thread& thread : threads) thread.join();
  host.check(shared);
  check_whole(plan, shared);
  host.facts().positions += plan.positions;
  host.facts().splits += shared.splits;
  note_lists(host.facts(), plan, workers,
             workers * lists.plan.scratch_bytes + std::min(shared.pages_taken, lists.pages) * kPageBytes);
  RegionValues values = merge_slots(plan, slots, sums);
  for (u64 i = 0; i < sinks; ++i) {
    if (plan.sinks[i].form != SinkForm::Rows) continue;
    rows_wanted = std::max(rows_wanted, row_counts[i]);
    if (row_counts[i] > row_capacity) continue;
    values.rows[i] = ordered_rows(row_words[i].data(), row_capacity, row_counts[i], plan.sinks[i].columns);
  }
  return values;
}

/// Runs a region: `work_on_region(worker)` on threads.
template <typename F>
RegionValues run_region(Host& host, const RegionPlan& plan, F work_on_region) {
  u64 capacity = host.settings().schedule.rows;
  while (true) {
    u64 wanted = 0;
    RegionValues values = try_region(host, plan, work_on_region, capacity, wanted);
    if (wanted <= capacity) return values;
    capacity = wanted;
  }
}

}  // namespace matcha_program
