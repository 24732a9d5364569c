// Memory of a region's workers: initial slots, and the merged values of sinks.
#pragma once

#include "codegen/c_family/host/host.h"

namespace matcha_program {

/// Memory of one worker's lists.
struct ListPlan {
  std::vector<BufferPlan> buffers;
  u64 scratch_bytes = 0;  ///< Its arrays, or its page tables.
  u64 pages = 0;          ///< At most.
  u64 tables = 0;         ///< Page tables, each of which needs at least one page.
  bool counts = false;    ///< It has counters.
};

inline ListPlan plan_lists(const RegionPlan& plan) {
  constexpr u64 kLine = 64;
  ListPlan lists;
  for (const auto& [items, item_bytes, array, counters] : plan.buffers) {
    lists.counts = lists.counts || counters;
    lists.buffers.push_back({lists.scratch_bytes, std::min<u64>(items, kMostItems)});
    u64 bytes = 0;
    bool fits = !__builtin_mul_overflow(items, item_bytes, &bytes) && bytes < (1ull << 60);
    if (!fits) throw Failure{5, "an intermediate list of up to " + std::to_string(items) + " items is too large"};
    if (plan.paged && !array) {
      u64 pages = (items + page_items(item_bytes) - 1) / page_items(item_bytes) * paged_columns(item_bytes);
      lists.pages += pages;
      lists.tables += paged_columns(item_bytes);
      bytes = pages * sizeof(void*);
    }
    lists.scratch_bytes += (bytes + kLine - 1) / kLine * kLine;
  }
  return lists;
}

/// Records the lists of the region in which they took most memory.
inline void note_lists(Facts& facts, const RegionPlan& plan, u64 workers, u64 bytes) {
  facts.paged = plan.paged;
  if (facts.workers != 0 && bytes <= facts.list_bytes) return;
  facts.workers = workers;
  facts.list_bytes = bytes;
}

inline bool has_rows(const RegionPlan& plan) {
  for (const SinkPlan& sink : plan.sinks) {
    if (sink.form == SinkForm::Rows) return true;
  }
  return false;
}

/// Tiles of the arcs of the region's graph, without their starts. A worker takes at most `grab` tiles at a time. No
/// tiles if whole vertices have to be dealt.
inline Deal deal_of(const RegionPlan& plan, u64 tile, u64 grab, u64 workers) {
  const Graph* graph = plan.dealt_graph;
  if (graph == nullptr || graph->slots != nullptr || graph->arc_count == 0 || tile == 0) return Deal{};
  u64 tiles = (graph->arc_count + tile - 1) / tile;
  return Deal{graph->offsets, graph->vertex_list,    graph->vertex_count, graph->arc_count, tile, tiles, grab,
              nullptr,        share_bits_of(workers)};
}

/// Where its tiles begin; empty if it has none.
inline std::vector<u32> tile_starts(const Deal& deal) {
  std::vector<u32> starts(deal.tile != 0 ? deal.tiles + 1 : 0);
  find_tile_starts(deal, starts.data(), 0, starts.size());
  return starts;
}

/// Sets the positions of a launch and the levels that can be stolen. Regions with rows keep an order: they are split
/// only at the levels that their places record.
inline void set_stealing(const RegionPlan& plan, const Schedule& schedule, u64 ticks_per_us, Launch& launch) {
  u64 tau_us = schedule.tau_us.value_or(schedule.steal == kHalf ? kUsualLookUs : kUsualTauUs);
  bool whole = !plan.parallel || schedule.steal == kNoStealing;
  launch.positions = plan.positions;
  launch.place_bits = place_bits(plan.positions);
  launch.stealing = schedule.steal;
  launch.split = whole ? 0 : std::min(plan.split, schedule.split);
  if (has_rows(plan)) launch.split = std::min(launch.split, kOrderedLevels);
  launch.tau = tau_us * ticks_per_us;
  launch.eager = schedule.eager;
}

/// A queue for `capacity` tasks; `shared` is its address for the workers.
inline TaskQueue queue_of(u64* words, u64 capacity, Shared* shared) {
  return {words,
          capacity,
          ring_shift(capacity),
          &shared->queue_ready,
          &shared->queue_room,
          &shared->queue_front,
          &shared->queue_back};
}

/// Number of exact sums of each worker.
inline u64 exact_sums(const RegionPlan& plan) {
  u64 count = 0;
  for (const SinkPlan& sink : plan.sinks) count += sink.form == SinkForm::SumFloat ? 1 : 0;
  return count;
}

/// The initial slots of all workers. The sums of worker w begin at `sums + w * exact_sums(plan)`, possibly a device
/// address.
inline std::vector<Slot> empty_slots(const RegionPlan& plan, u64 workers, u64 sums) {
  std::vector<Slot> slots;
  slots.reserve(workers * plan.sinks.size());
  for (u64 worker = 0; worker < workers; ++worker) {
    for (const SinkPlan& sink : plan.sinks) {
      u64 low = sink.form == SinkForm::All ? 1 : 0;
      if (sink.form == SinkForm::SumFloat) {
        low = sums;
        sums += sizeof(ExactSum);
      }
      slots.push_back({low, 0});
    }
  }
  return slots;
}

/// Adds one worker's slot to the total; not for exact sums.
inline void merge_slot(SinkForm form, Slot& total, const Slot& part) {
  const auto number = [](u64 word) { return __builtin_bit_cast(f64, word); };
  switch (form) {
    case SinkForm::SumInt: {
      u64 low = total.low + part.low;
      total.high += part.high + (low < total.low ? 1 : 0);
      total.low = low;
      return;
    }
    case SinkForm::MinInt:
      if (part.high != 0 && (total.high == 0 || i64(part.low) < i64(total.low))) total = part;
      return;
    case SinkForm::MaxInt:
      if (part.high != 0 && (total.high == 0 || i64(total.low) < i64(part.low))) total = part;
      return;
    case SinkForm::MinFloat:
      if (part.high != 0 && (total.high == 0 || beats<true>(number(part.low), number(total.low)))) total = part;
      return;
    case SinkForm::MaxFloat:
      if (part.high != 0 && (total.high == 0 || beats<false>(number(part.low), number(total.low)))) total = part;
      return;
    case SinkForm::Any: total.low |= part.low; return;
    case SinkForm::All: total.low &= part.low; return;
    case SinkForm::SumFloat:
    case SinkForm::Rows: return;
  }
}

/// The values of the sinks other than rows, from the slots of all workers and their exact sums.
inline RegionValues merge_slots(const RegionPlan& plan, const std::vector<Slot>& slots,
                                const std::vector<ExactSum>& sums) {
  RegionValues values;
  u64 sinks = plan.sinks.size();
  u64 exact = exact_sums(plan);
  u64 next_exact = 0;
  values.rows.resize(sinks);
  for (u64 i = 0; i < sinks; ++i) {
    Slot total = slots[i];
    for (u64 at = i + sinks; at < slots.size(); at += sinks) merge_slot(plan.sinks[i].form, total, slots[at]);
    if (plan.sinks[i].form == SinkForm::SumFloat) {
      ExactSum sum;
      exact_sum_clear(sum);
      for (u64 at = next_exact; at < sums.size(); at += exact) exact_sum_merge(sum, sums[at]);
      total.low = __builtin_bit_cast(u64, exact_sum_round(sum));
      ++next_exact;
    }
    values.slots.push_back(total);
  }
  return values;
}

/// The rows of an area ordered by place; rows of one place are already in order.
inline std::vector<std::vector<u64>> ordered_rows(const u64* words, u64 capacity, u64 count, u64 columns) {
  std::vector<u64> order(count);
  std::iota(order.begin(), order.end(), 0ull);
  std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) { return words[a] < words[b]; });
  std::vector<std::vector<u64>> result(columns, std::vector<u64>(count));
  for (u64 column = 0; column < columns; ++column) {
    for (u64 row = 0; row < count; ++row) result[column][row] = words[(column + 1) * capacity + order[row]];
  }
  return result;
}

/// Throws if a region that was not stopped left a position or a task undone.
inline void check_whole(const RegionPlan& plan, const Shared& shared) {
  if (shared.positions_done == plan.positions && shared.live == 0) return;
  throw Failure{4, "internal error: not every position was walked"};
}

}  // namespace matcha_program
