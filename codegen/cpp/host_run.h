// Regions of a program that was compiled ahead of time, on threads.
#pragma once

#include "codegen/cpp/host.h"

namespace matcha_program {

/// Adds one worker's slot to the total.
inline void merge_slot(SinkForm form, Slot& total, const Slot& part) {
  const auto number = [](u64 word) { return __builtin_bit_cast(f64, word); };
  switch (form) {
    case SinkForm::SumInt: {
      u64 low = total.low + part.low;
      total.high += part.high + (low < total.low ? 1 : 0);
      total.low = low;
      return;
    }
    case SinkForm::SumFloat:
      exact_sum_merge(*reinterpret_cast<ExactSum*>(total.low), *reinterpret_cast<const ExactSum*>(part.low));
      return;
    case SinkForm::MinInt:
      if (part.high != 0 && (total.high == 0 || i64(part.low) < i64(total.low))) total = part;
      return;
    case SinkForm::MaxInt:
      if (part.high != 0 && (total.high == 0 || i64(total.low) < i64(part.low))) total = part;
      return;
    case SinkForm::MinFloat:
      if (part.high != 0 && (total.high == 0 || number(part.low) < number(total.low))) total = part;
      return;
    case SinkForm::MaxFloat:
      if (part.high != 0 && (total.high == 0 || number(total.low) < number(part.low))) total = part;
      return;
    case SinkForm::Any: total.low |= part.low; return;
    case SinkForm::All: total.low &= part.low; return;
    case SinkForm::Rows: return;
  }
}

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

/// The rows of an area in order of their outermost positions; rows of one position are in order already.
inline std::vector<std::vector<u64>> ordered_rows(const std::vector<u64>& words, u64 capacity, u64 count, u64 columns) {
  std::vector<u64> order(count);
  std::iota(order.begin(), order.end(), 0ull);
  std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) { return words[a] < words[b]; });
  std::vector<std::vector<u64>> result(columns, std::vector<u64>(count));
  for (u64 column = 0; column < columns; ++column) {
    for (u64 row = 0; row < count; ++row) result[column][row] = words[(column + 1) * capacity + order[row]];
  }
  return result;
}

/// Tiles of a graph's arcs; none when whole vertices have to be dealt out.
inline Deal deal_of(const Graph* graph, u64 tile) {
  if (graph == nullptr || graph->slots != nullptr || graph->arc_count == 0 || tile == 0) return Deal{};
  u64 tiles = (graph->arc_count + tile - 1) / tile;
  return Deal{graph->offsets, graph->vertex_list, graph->vertex_count, graph->arc_count, tile, tiles, 1};
}

template <typename F>
RegionValues Host::run_region(const RegionPlan& plan, F work_on_region) {
  u64 row_capacity = settings_.rows;
  while (true) {
    RegionValues values;
    u64 rows_wanted = 0;
    if (try_region(plan, work_on_region, row_capacity, values, rows_wanted)) return values;
    row_capacity = rows_wanted;
  }
}

/// As the planner of a GPU does, but memory that nobody touches costs nothing.
inline ListMemory Host::plan_lists(const RegionPlan& plan) const {
  ListMemory memory;
  const auto in_lines = [](u64 bytes) { return (bytes + 63) / 64 * 64; };
  u64 pages = 0;
  for (const auto& [items, item_bytes] : plan.buffers) {
    memory.buffers.push_back({memory.scratch_bytes, items});
    u64 wanted = (items + page_items(item_bytes) - 1) / page_items(item_bytes) * paged_columns(item_bytes);
    pages += wanted;
    memory.scratch_bytes += in_lines(plan.paged ? wanted * sizeof(void*) : items * item_bytes);
  }
  u64 workers = settings_.threads;
  memory.scratch.reset(new u8[memory.scratch_bytes * workers + 64]);
  if (!plan.paged) return memory;
  std::fill_n(memory.scratch.get(), memory.scratch_bytes * workers, u8{0});
  u64 machine = u64(sysconf(_SC_PHYS_PAGES)) * u64(sysconf(_SC_PAGE_SIZE));
  memory.pages = std::min(pages * workers, std::min(settings_.arena_bytes, machine) / kPageBytes);
  memory.arena.reset(new u8[memory.pages * kPageBytes + 64]);
  return memory;
}

/// Rows are told apart by their outermost position, so one thread finds all of a position.
inline bool has_rows(const RegionPlan& plan) {
  return std::any_of(plan.sinks.begin(), plan.sinks.end(),
                     [](const SinkPlan& sink) { return sink.form == SinkForm::Rows; });
}

inline void Host::set_stealing(const RegionPlan& plan, Launch& launch) const {
  bool half = settings_.steal == kHalf;
  u64 tau_us = settings_.tau_us.value_or(half ? 10 : 100);
  launch.stealing = settings_.steal;
  launch.split = has_rows(plan) || settings_.steal == kNoStealing ? 0 : std::min(plan.split, settings_.split);
  launch.tau = has_rows(plan) ? 0 : tau_us * ticks_per_us();
  launch.block = settings_.block;
}

template <typename F>
bool Host::try_region(const RegionPlan& plan, F& work_on_region, u64 row_capacity, RegionValues& values,
                      u64& rows_wanted) {
  u64 workers = settings_.threads;
  u64 sinks = plan.sinks.size();
  Shared shared{};
  shared.live = plan.positions;
  std::vector<u64> queue_words(settings_.queue * kTaskWords, kEmptyWord);
  std::vector<u64> boards(settings_.steal == kHalf ? workers * kBoardWords : 0, 0);
  std::vector<u64> idle(workers / settings_.block / 64 + 1, 0);
  const ListMemory lists = plan_lists(plan);
  std::vector<Slot> slots(workers * sinks);
  std::deque<ExactSum> exact;
  std::vector<std::vector<u64>> row_words(sinks);
  std::vector<u64> row_counts(sinks, 0);
  std::vector<RowArea> areas(sinks);
  for (u64 i = 0; i < workers * sinks; ++i) {
    const SinkPlan& sink = plan.sinks[i % sinks];
    slots[i] = {sink.form == SinkForm::All ? 1ull : 0ull, 0};
    if (sink.form == SinkForm::SumFloat) {
      exact.emplace_back();
      exact_sum_clear(exact.back());
      slots[i].low = reinterpret_cast<u64>(&exact.back());
    }
    if (sink.form == SinkForm::Rows && i < sinks) {
      row_words[i].resize(row_capacity * (sink.columns + 1));
      areas[i] = {row_words[i].data(), row_capacity, &row_counts[i]};
    }
  }
  Launch launch = top_launch(shared);
  launch.positions = plan.positions;
  launch.chunk = settings_.chunk;
  launch.deal = has_rows(plan) ? Deal{} : deal_of(plan.dealt_graph, settings_.tile);
  if (launch.deal.tile != 0) shared.live = launch.deal.tiles;
  launch.workers = workers;
  set_stealing(plan, launch);
  launch.eager = settings_.eager;
  shared.queue_room = settings_.queue;
  launch.queue = {queue_words.data(), settings_.queue,     &shared.queue_ready,
                  &shared.queue_room, &shared.queue_front, &shared.queue_back};
  launch.boards = boards.data();
  launch.idle = idle.data();
  launch.scratch = lists.scratch.get();
  launch.scratch_bytes = lists.scratch_bytes;
  launch.buffers = lists.buffers.data();
  launch.arena = lists.arena.get();
  launch.arena_pages = lists.pages;
  launch.slots = slots.data();
  launch.sinks = sinks;
  launch.rows = areas.data();
  const auto work = [&](u64 index) {
    Worker worker(launch, index);
    work_on_region(worker);
  };
  std::vector<std::thread> threads;
  for (u64 index = 1; index < workers; ++index) threads.emplace_back(work, index);
  work(0);
  for (std::thread& thread : threads) thread.join();
  check(shared);
  if (shared.positions_done != plan.positions || shared.live != 0)
    throw Failure{4, "internal error: not every position was walked"};
  facts_.positions += plan.positions;
  facts_.splits += shared.splits;
  facts_.paged = plan.paged;
  facts_.list_bytes = std::max(facts_.list_bytes, workers * lists.scratch_bytes + shared.pages_taken * kPageBytes);
  values.slots.assign(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(sinks));
  values.rows.resize(sinks);
  for (u64 i = 0; i < sinks; ++i) {
    for (u64 worker = 1; worker < workers; ++worker)
      merge_slot(plan.sinks[i].form, values.slots[i], slots[worker * sinks + i]);
    if (plan.sinks[i].form == SinkForm::SumFloat) {
      f64 rounded = exact_sum_round(*reinterpret_cast<const ExactSum*>(values.slots[i].low));
      values.slots[i].low = __builtin_bit_cast(u64, rounded);
    }
    if (plan.sinks[i].form != SinkForm::Rows) continue;
    rows_wanted = std::max(rows_wanted, row_counts[i]);
    if (row_counts[i] <= row_capacity)
      values.rows[i] = ordered_rows(row_words[i], row_capacity, row_counts[i], plan.sinks[i].columns);
  }
  return rows_wanted <= row_capacity;
}

}  // namespace matcha_program
