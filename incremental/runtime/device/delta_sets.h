// The sets of a search for matches of changed edges: steps of a term, whose items the lanes of a group share.
#pragma once

#include "incremental/runtime/device/delta_rows.h"
#include "runtime/common/atomics.h"

namespace matcha_program {

/// State shared by the lanes of a group, in shared memory.
struct DeltaState {
  const u32* items[kDeltaSets];
  u32 sizes[kDeltaSets];
  u32 places[kDeltaWalked];
  u32 at[kDeltaWalked], end[kDeltaWalked];  ///< The range of untried candidates of each vertex.
};

using DeltaSet = ItemSet;

template <typename Group>
class DeltaSets {
 public:
  MATCHA_MEMBER DeltaSets(const DeltaLaunch& launch, Group group, u64 index, DeltaState& state)
      : launch_(launch),
        group_(group),
        state_(state),
        scratch_(launch.scratch + index * launch.scratch_words),
        first_long_(index) {}

  /// From now on rows are seen as of this update.
  MATCHA_MEMBER void set_update(u32 update) { update_ = update; }

  /// Barriers on both sides: all lanes have read the old value, and none reads before the write.
  MATCHA_MEMBER void put(u32& word, u32 value) const {
    group_.sync();
    if (group_.leads()) word = value;
    group_.sync();
  }
  MATCHA_MEMBER DeltaSet set(u32 number) const { return {state_.items[number], state_.sizes[number]}; }
  /// The row of a placed vertex as of the update; `rows`: as in DeltaStep.
  MATCHA_MEMBER DeltaView row(u32 rows, u32 vertex) const {
    const u32 number = state_.places[vertex] * launch_.layers + rows / 2;
    const DeltaRow row = ((rows & 1) != 0 ? launch_.before : launch_.after)[number];
    if (launch_.reads != nullptr && row.size != 0) {
      const bool is_resident = launch_.resident <= row.items && row.items < launch_.resident_end;
      resident_ += is_resident ? 1 : 0;
      remote_ += is_resident ? 0 : 1;
    }
    return view_of(row, launch_.words, update_);
  }
  MATCHA_MEMBER bool is_adjacent(u32 rows, u32 vertex, u32 x) const { return row(rows, vertex).holds(x); }
  /// The number of neighbours of a place in a layer before all updates, an estimate of the number as of the update.
  MATCHA_MEMBER u32 neighbors(u32 place, u32 layer) const { return launch_.after[place * launch_.layers + layer].size; }
  /// True if the ends have the required arcs between them; `number`: the range of the arcs in `numbers` (DeltaTerm).
  MATCHA_MEMBER bool has_arcs(u32 number, u32 number_end) const {
    for (u32 i = number; i < number_end; i += 2) {
      const u32 source = launch_.terms.numbers[i + 1];
      if (!is_adjacent(launch_.terms.numbers[i], source, state_.places[1 - source])) return false;
    }
    return true;
  }
  /// Adds the number of rows read to the counters of the launch and resets it.
  MATCHA_MEMBER void add_reads() const {
    if (launch_.reads == nullptr || !group_.leads()) return;
    if (resident_ != 0) atomic_add(&launch_.reads[0], resident_);
    if (remote_ != 0) atomic_add(&launch_.reads[1], remote_);
    resident_ = remote_ = 0;
  }

  /// Appends the places of `vertices` vertices as a match of a term; false: there is no room for it.
  MATCHA_MEMBER bool add_match(u32 term, u32 vertices) const {
    const u64 at = group_.broadcast(group_.leads() ? atomic_add(launch_.match_count, 1) : 0);
    if (at >= launch_.match_room) return false;
    u32* const match = launch_.matches + at * launch_.match_words;
    if (group_.leads()) match[0] = term;
    for (u32 v = group_.lane; v < vertices; v += Group::kWidth) match[1 + v] = state_.places[v];
    return true;
  }

  /// Releases the long arrays for other groups. No set may be in them any more.
  MATCHA_MEMBER void give_back_long_rooms() const {
    if (long_rooms_ == nullptr) return;
    group_.sync();
    if (group_.leads()) publish(&launch_.long_taken[(long_rooms_ - launch_.long_rooms) / long_share()], 0);
    long_rooms_ = nullptr;
  }

  /// Does a step; false if a set that every match needs is empty.
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

  MATCHA_MEMBER u64 long_share() const { return launch_.arrays * launch_.long_words; }
  /// Waits for long arrays; their owners release them without waiting for others.
  MATCHA_MEMBER void take_long_rooms() const {
    u64 place = 0;
    if (group_.leads()) {
      for (u64 i = first_long_;; ++i) {
        place = i % launch_.long_count;
        u64* const taken = &launch_.long_taken[place];
        if (atomic_read_first(taken) == 0 && atomic_exchange_if(taken, 0, 1) == 0) {
          atomic_read_first(taken);
          break;
        }
        nap();
      }
    }
    long_rooms_ = launch_.long_rooms + group_.broadcast(place) * long_share();
  }
  /// An array for `items` items.
  MATCHA_MEMBER u32* room(const DeltaStep& step, u32 items) const {
    if (items <= launch_.room_words) return scratch_ + step.room * launch_.room_words;
    if (long_rooms_ == nullptr) take_long_rooms();
    return long_rooms_ + step.room * launch_.long_words;
  }

  MATCHA_MEMBER DeltaSet slice(const DeltaStep& step) const {
    DeltaView part = row(step.rows, step.vertex);
    if (step.first != 0 || step.last != ~0u) part = part.between(step.first, step.last);
    if (part.changes.size == 0) return part.own;
    u32* out = room(step, part.most());
    return {out, filter_view(group_, part, out, [](u32) { return true; })};
  }

  MATCHA_MEMBER DeltaSet combine(const DeltaStep& step) const {
    const DeltaSet from = set(step.from);
    const DeltaView other = row(step.rows, step.vertex);
    const auto in_row = [&](u32, u32 x) { return other.holds(x); };
    const auto not_in_row = [&](u32, u32 x) { return !other.holds(x); };
    const auto in_set = [&](u32 x) { return from.holds(x); };
    if (step.kind == kDeltaIntersect) {
      u32* out = room(step, smaller(from.size, other.most()));
      if (other.own.size < from.size) return {out, filter_view(group_, other, out, in_set)};
      return {out, filter_items(group_, from, out, in_row)};
    }
    if (step.kind == kDeltaRemove) {
      u32* out = room(step, from.size);
      return {out, filter_items(group_, from, out, not_in_row)};
    }
    const u32 common =
        other.own.size < from.size ? count_view(group_, other, in_set) : count_items(group_, from, in_row);
    return {nullptr, step.kind == kDeltaCountCommon ? common : from.size - common};
  }

  const DeltaLaunch& launch_;
  Group group_;
  DeltaState& state_;
  u32* scratch_;
  u64 first_long_;
  mutable u32* long_rooms_ = nullptr;  ///< Owned by this group; null: none.
  u32 update_ = 0;
  mutable u64 resident_ = 0, remote_ = 0;  ///< Resident and remote rows read since `add_reads`.
};

}  // namespace matcha_program
