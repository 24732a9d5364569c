// The sets of a search for what changed edges do: steps of a term, whose items the lanes of a group share.
#pragma once

#include "runtime/common/delta_data.h"
#include "runtime/common/item_sets.h"

namespace matcha_program {

/// What the lanes of a group know together, in shared memory.
struct DeltaState {
  const u32* items[kDeltaSets];
  u32 sizes[kDeltaSets];
  u32 places[kDeltaWalked];
  u32 at[kDeltaWalked], end[kDeltaWalked];  ///< Of the candidates of each vertex, those that are not tried yet.
};

using DeltaSet = ItemSet;

template <typename Group>
class DeltaSets {
 public:
  MATCHA_MEMBER DeltaSets(const DeltaLaunch& launch, Group group, u64 index, DeltaState& state)
      : launch_(launch), group_(group), state_(state), scratch_(launch.scratch + index * launch.scratch_words) {}

  /// From now on rows are as this update finds them.
  MATCHA_MEMBER void set_update(u32 update) { update_ = update; }

  /// All lanes have the word before, and none reads it later than it is written.
  MATCHA_MEMBER void put(u32& word, u32 value) const {
    group_.sync();
    if (group_.leads()) word = value;
    group_.sync();
  }
  MATCHA_MEMBER DeltaSet set(u32 number) const { return {state_.items[number], state_.sizes[number]}; }
  /// A row of a placed vertex; `backwards`: of its sources.
  MATCHA_MEMBER DeltaRow row(u32 backwards, u32 vertex) const {
    return (backwards != 0 ? launch_.before : launch_.after)[state_.places[vertex]];
  }
  /// Whether the update sees an item in it.
  MATCHA_MEMBER bool row_holds(const DeltaRow& row, u32 x) const {
    const u32 at = DeltaSet{row.items, row.size}.from(x);
    return at < row.size && row.items[at] == x && sees(row, at);
  }

  /// Does a step; false if a set that every match needs has no item.
  MATCHA_MEMBER bool run(const DeltaStep& step) const {
    DeltaSet to;
    switch (step.kind) {
      case kDeltaSlice: to = slice(step); break;
      case kDeltaBelow:
        to = set(step.from);
        to.size = to.from(state_.places[step.vertex]);
        break;
      case kDeltaAbove: {
        const DeltaSet from = set(step.from);
        const u32 begin = from.from(state_.places[step.vertex] + 1);
        to = {from.items + begin, from.size - begin};
        break;
      }
      default: to = combine(step); break;
    }
    put_set(step.to, to.items, to.size);
    return to.size != 0 || step.needed == 0;
  }

 private:
  MATCHA_MEMBER void put_set(u32 set, const u32* items, u32 size) const {
    group_.sync();
    if (group_.leads()) {
      state_.items[set] = items;
      state_.sizes[set] = size;
    }
    group_.sync();
  }
  /// Whether the update sees an item of a row.
  MATCHA_MEMBER bool sees(const DeltaRow& row, u32 at) const {
    if (row.stamps == 0) return true;
    const u32 stamp = row.items[at + row.stamps];
    return (update_ >= (stamp & ~kDeltaGoes)) == (stamp < kDeltaGoes);
  }

  MATCHA_MEMBER u32* room(const DeltaStep& step) const { return scratch_ + step.room * launch_.room_words; }

  MATCHA_MEMBER DeltaSet slice(const DeltaStep& step) const {
    const DeltaRow all = row(step.backwards, step.vertex);
    DeltaSet part{all.items, all.size};
    if (step.first != 0) {
      const u32 begin = part.from(step.first);
      part = {part.items + begin, part.size - begin};
    }
    if (step.last != ~0u) part.size = part.from(step.last);
    if (all.stamps == 0) return part;
    const u32 before = u32(part.items - all.items);
    u32* out = room(step);
    const u32 size = filter_items(group_, part, out, [&](u32 i, u32) { return sees(all, before + i); });
    return {out, size};
  }

  MATCHA_MEMBER DeltaSet combine(const DeltaStep& step) const {
    const DeltaSet from = set(step.from);
    const DeltaRow other = row(step.backwards, step.vertex);
    const auto in_row = [&](u32, u32 x) { return row_holds(other, x); };
    const auto not_in_row = [&](u32, u32 x) { return !row_holds(other, x); };
    const auto in_set = [&](u32 i, u32 x) { return sees(other, i) && from.holds(x); };
    u32* out = room(step);
    if (step.kind == kDeltaIntersect) {
      if (other.size < from.size) return {out, filter_items(group_, {other.items, other.size}, out, in_set)};
      return {out, filter_items(group_, from, out, in_row)};
    }
    if (step.kind == kDeltaRemove) return {out, filter_items(group_, from, out, not_in_row)};
    const u32 common = other.size < from.size ? count_items(group_, {other.items, other.size}, in_set)
                                              : count_items(group_, from, in_row);
    return {nullptr, step.kind == kDeltaCountCommon ? common : from.size - common};
  }

  const DeltaLaunch& launch_;
  Group group_;
  DeltaState& state_;
  u32* scratch_;
  u32 update_ = 0;
};

}  // namespace matcha_program
