// Rows of a graph as of an update, whose items the lanes of a group share, and rows that move to other places.
#pragma once

#include "incremental/runtime/device/delta_data.h"
#include "runtime/common/item_sets.h"

namespace matcha_program {

/// True if an update sees an item with this stamp.
MATCHA_FN bool delta_sees(u32 update, u32 stamp) {
  return (update >= (stamp & ~kDeltaDeletes)) == (stamp < kDeltaDeletes);
}

/// A number above those of all updates.
inline constexpr u32 kDeltaAll = kDeltaDeletes - 1;

/// A part of a row, as of an update.
struct DeltaView {
  ItemSet own;        ///< As before all updates.
  ItemSet changes;    ///< Inserted and deleted items, ascending.
  const u32* stamps;  ///< The stamps of the changes.
  u32 update;

  MATCHA_MEMBER bool sees(u32 change) const { return delta_sees(update, stamps[change]); }
  /// True if a part of the row's own items contains `x`.
  MATCHA_MEMBER bool keeps(u32 x) const {
    if (changes.size == 0) return true;
    const u32 at = changes.from(x);
    return at == changes.size || changes.items[at] != x || sees(at);
  }
  /// An upper bound of the number of items.
  MATCHA_MEMBER u32 most() const { return own.size + changes.size; }
  /// True if a change inserts an item that is visible.
  MATCHA_MEMBER bool brings(u32 change) const { return stamps[change] < kDeltaDeletes && sees(change); }
  MATCHA_MEMBER bool holds(u32 x) const {
    if (changes.size != 0) {
      const u32 at = changes.from(x);
      if (at < changes.size && changes.items[at] == x) return sees(at);
    }
    return own.holds(x);
  }
  /// The items from `first` up to `last`.
  MATCHA_MEMBER DeltaView between(u32 first, u32 last) const {
    const u32 begin = own.from(first), end = own.from(last);
    if (changes.size == 0) return {{own.items + begin, end - begin}, changes, stamps, update};
    const u32 change = changes.from(first), change_end = changes.from(last);
    return {{own.items + begin, end - begin}, {changes.items + change, change_end - change}, stamps + change, update};
  }
};

MATCHA_FN DeltaView view_of(const DeltaRow& row, const u32* words, u32 update) {
  if (row.changes == 0) return {{row.items, row.size}, {nullptr, 0}, nullptr, update};
  const u32* const changes = words + row.changes;
  return {{row.items, row.size}, {changes + 1, changes[0]}, changes + 1 + changes[0], update};
}

/// Writes the items accepted by `wants(x)`, ascending, lanes in step; returns their number.
template <typename Group, typename Wants>
MATCHA_FN u32 filter_view(const Group& group, const DeltaView& view, u32* out, Wants wants) {
  const auto wanted_item = [&](u32, u32 x) { return wants(x); };
  if (view.changes.size == 0) return filter_items(group, view.own, out, wanted_item);
  const auto below = [](u32 lanes) { return lanes < 32 ? (1u << lanes) - 1 : ~0u; };
  u32 at = 0, change = 0, count = 0;
  while (at < view.own.size || change < view.changes.size) {
    const ItemSet items{view.own.items + at, smaller(view.own.size - at, Group::kWidth)};
    const ItemSet changes{view.changes.items + change, smaller(view.changes.size - change, Group::kWidth)};
    // Items above the last one of either list, if more follow, are handled in the next round.
    u32 last = ~0u;
    if (at + items.size < view.own.size) last = items.items[items.size - 1];
    if (change + changes.size < view.changes.size) last = smaller(last, changes.items[changes.size - 1]);
    const bool has_item = group.lane < items.size && items.items[group.lane] <= last;
    const bool has_change = group.lane < changes.size && changes.items[group.lane] <= last;
    const u32 x = has_item ? items.items[group.lane] : 0, y = has_change ? changes.items[group.lane] : 0;
    // The number of changes below the item, and of items below the change.
    const u32 before_x = has_item ? changes.from(x) : 0, before_y = has_change ? items.from(y) : 0;
    bool is_seen = has_item;
    if (has_item && before_x < changes.size && changes.items[before_x] == x) is_seen = view.sees(change + before_x);
    const u32 kept = group.ballot(is_seen && wants(x));
    const u32 brought = group.ballot(has_change && view.brings(change + group.lane) && wants(y));
    const u32 lane = 1u << group.lane;
    if ((kept & lane) != 0) {
      out[count + Group::bits(kept & (lane - 1)) + Group::bits(brought & below(before_x))] = x;
    }
    if ((brought & lane) != 0) {
      out[count + Group::bits(brought & (lane - 1)) + Group::bits(kept & below(before_y))] = y;
    }
    count += Group::bits(kept) + Group::bits(brought);
    at += Group::bits(group.ballot(has_item));
    change += Group::bits(group.ballot(has_change));
  }
  return count;
}

/// The same, only counting.
template <typename Group, typename Wants>
MATCHA_FN u32 count_view(const Group& group, const DeltaView& view, Wants wants) {
  u32 share = 0;
  for (u32 i = group.lane; i < view.own.size; i += Group::kWidth) {
    const u32 x = view.own.items[i];
    share += view.keeps(x) && wants(x) ? 1 : 0;
  }
  for (u32 i = group.lane; i < view.changes.size; i += Group::kWidth) {
    share += view.brings(i) && wants(view.changes.items[i]) ? 1 : 0;
  }
  return group.total(share);
}

/// Writes a part of a row to its new place, with all insertions and without deletions.
template <typename Group>
MATCHA_FN void move_row(const Group& group, const DeltaMove& move, const u32* words, DeltaRow* rows) {
  const DeltaView all = view_of(move.row, words, kDeltaAll);
  u32 change = 0, change_end = all.changes.size, before = 0;
  if (change_end != 0 && move.first != 0) change = all.changes.from(all.own.items[move.first]);
  if (change_end != 0 && move.last != all.own.size) change_end = all.changes.from(all.own.items[move.last]);
  for (u32 i = group.lane; i < change; i += Group::kWidth) before += all.stamps[i] < kDeltaDeletes ? 1 : ~0u;
  const DeltaView part{{all.own.items + move.first, move.last - move.first},
                       {all.changes.items + change, change_end - change},
                       all.stamps + change,
                       kDeltaAll};
  const u32 at = move.first + group.total(before);
  filter_view(group, part, move.to + at, [](u32) { return true; });
  if (group.leads() && move.first == 0) rows[move.slot] = {move.to, move.size, 0};
}

/// Moves rows to other places, as group `index` of `groups`.
template <typename Group>
MATCHA_FN void move_rows(const DeltaMove* moves, u64 count, const u32* words, DeltaRow* rows, u64 index, u64 groups) {
  const Group group = Group::here();
  for (u64 i = index; i < count; i += groups) move_row(group, moves[i], words, rows);
}

/// Writes rows of a graph, as thread `thread` of `threads`.
MATCHA_FN void apply_patches(const DeltaPatch* patches, u64 count, DeltaRow* rows, u64 thread, u64 threads) {
  for (u64 i = thread; i < count; i += threads) rows[patches[i].slot] = patches[i].row;
}

}  // namespace matcha_program
