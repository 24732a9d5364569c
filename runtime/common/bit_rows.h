// Bit rows of a list: for each of its items, one bit per item that is its neighbour (GLUMIN, PPoPP 2025, section 3;
// Almasri et al., ICS 2022, section 4). A group whose task covers the whole list builds them in its own memory. If
// several tasks share a list, their groups build its rows together and wait for each other; a group that has claimed
// rows builds them without waiting.
#pragma once

#include "runtime/common/bit_sets.h"
#include "runtime/common/lane_search.h"

namespace matcha_program {

template <typename Group>
class BitRowMaker : public BitSets<Group> {
 public:
  MATCHA_MEMBER BitRowMaker(const Launch& launch, Group group)
      : BitSets<Group>(launch, group), launch_(launch), group_(group) {}

  /// The bit rows of an ascending list without repeats: all neighbours of its items, only those below, or only those
  /// above. `room` holds rows that are not shared.
  template <typename G, typename L>
  MATCHA_MEMBER auto bit_rows(const G& g, const L& list, Room<u64> room, RowsState* maybe_shared = nullptr) const {
    return rows_of<false>(list, room, maybe_shared, [&](u32 v) { return neighbors(g, v); });
  }
  template <typename L>
  MATCHA_MEMBER auto lower_bit_rows(const Graph& g, const L& list, Room<u64> room,
                                    RowsState* maybe_shared = nullptr) const {
    return rows_of<true>(list, room, maybe_shared, [&](u32 v) { return lower_neighbors(g, v); });
  }
  template <typename L>
  MATCHA_MEMBER auto upper_bit_rows(const Graph& g, const L& list, Room<u64> room,
                                    RowsState* maybe_shared = nullptr) const {
    return rows_of<false>(list, room, maybe_shared, [&](u32 v) { return upper_neighbors(g, v); });
  }

  /// Words shared by all groups that use state `number`, zeros at first; null for all groups when there is no room, or
  /// rows are not shared.
  MATCHA_MEMBER u64* shared_words(u64 number, u64 words) const {
    if (number == kNotShared || launch_.row_states == nullptr) return nullptr;
    const u64 place = group_.broadcast(group_.leads() ? place_of(launch_.row_states[number], words) : 0);
    return place != kNoRoom ? launch_.row_words + (place - kFirstPlace) : nullptr;
  }
  static constexpr u64 kNotShared = ~0ull;

 private:
  static constexpr u64 kClaimed = 1;
  static constexpr u64 kNoRoom = 2;
  static constexpr u64 kFirstPlace = 3;
  /// A list shorter by this factor is looked up in the other one.
  static constexpr u64 kShort = 8;

  template <bool lower, typename L, typename Near>
  MATCHA_MEMBER BitRows<lower> rows_of(const L& list, Room<u64> room, RowsState* maybe_shared, Near near_of) const {
    u64 words = row_words(list.size);
    if (maybe_shared != nullptr) {
      u64 place = group_.broadcast(group_.leads() ? place_of(*maybe_shared, words) : 0);
      if (place != kNoRoom) {
        u64* data = launch_.row_words + (place - kFirstPlace);
        make_together<lower>(list, *maybe_shared, data, near_of);
        return {data, u32(list.size), u32(row_stride(list.size))};
      }
    }
    if (words > room.capacity) {
      this->trap(kCapacityExceeded, 0, 0);
      return {room.data, 0, 0};
    }
    group_.sync();
    make<lower>(group_, list, 0, list.size, room.data, near_of);
    group_.sync();
    return {room.data, u32(list.size), u32(row_stride(list.size))};
  }

  /// The place of `words` words of shared rows. Runs on the first lane of a group only.
  MATCHA_MEMBER u64 place_of(RowsState& state, u64 words) const {
    u64 place = atomic_read(&state.place);
    if (place == 0 && atomic_exchange_if(&state.place, 0, kClaimed) == 0) {
      u64 begin = atomic_add(&launch_.shared->row_words_taken, words + words % 2);
      place = begin + words <= launch_.row_capacity ? kFirstPlace + begin : kNoRoom;
      atomic_exchange(&state.place, place);
      return place;
    }
    for (; place < kNoRoom; place = atomic_read(&state.place)) nap();
    return place;
  }

  /// Builds some rows at a time until none is left, then waits until the other groups have built theirs.
  template <bool lower, typename L, typename Near>
  MATCHA_MEMBER void make_together(const L& list, RowsState& state, u64* data, Near near_of) const {
    while (done(state) < list.size) {
      u64 begin = group_.broadcast(group_.leads() ? atomic_add(&state.next, Group::kWidth) : 0);
      if (begin >= list.size) break;
      u64 end = smaller(begin + Group::kWidth, u64(list.size));
      make<lower>(group_, list, begin, end, data, near_of);
      group_.sync();
      if (group_.leads()) atomic_add_last(&state.done, end - begin);
    }
    while (done(state) < list.size) nap();
    group_.sync();
  }
  MATCHA_MEMBER u64 done(const RowsState& state) const {
    return group_.broadcast(group_.leads() ? atomic_read_first(&state.done) : 0);
  }

  // Building rows is independent of the worker, so that it can be compiled separately.

  /// Builds the rows [begin, end) in `data`. Each lane fetches the neighbour list of one of the next items, so that the
  /// group waits once for all of them.
  template <bool lower, typename L, typename Near>
  MATCHA_NOINLINE static void make(Group group, L list, u64 begin, u64 end, u64* data, Near near_of) {
    const u64 stride = row_stride(list.size);
    for (u64 first = begin; first < end; first += Group::kWidth) {
      const NearList own = near_of(list.at(smaller(first + group.lane, end - 1)));
      const u64* own_row = own.row();
      const bool rows = kHubs && group.ballot(own_row != nullptr) != 0;
      for (u64 i = first; i < smaller(first + Group::kWidth, end); ++i) {
        u64 items = group.from(reinterpret_cast<u64>(own.data), u32(i - first));
        const ShortList<u32> near{reinterpret_cast<const u32*>(items), group.from(own.size, u32(i - first))};
        const u64* hub_row =
            rows ? reinterpret_cast<const u64*>(group.from(reinterpret_cast<u64>(own_row), u32(i - first))) : nullptr;
        const bool far = kMovedRows && group.from(u32(is_far(own)), u32(i - first)) != 0;
        fill_row(group, list.part(0, lower ? i : u64(list.size)), near, hub_row, data + i * stride, far);
      }
    }
  }

  /// Sets the bits of `row` for the items of `list` that are in `near`, which may have a hub row. Requires: both ascend
  /// without repeats. `far`: `near` is in host memory.
  template <typename A, typename B>
  MATCHA_MEMBER static void fill_row(Group group, const A& list, const B& near, const u64* hub_row, u64* row,
                                     bool far = false) {
    if constexpr (Group::kWidth == 1) {
      merge_row(list, near, row);
    } else if (is_far(list) && hub_row == nullptr && near.size != 0 && near.size / kFarWalk <= list.size) {
      gather_row(group, list, near, hub_row, row, true);
    } else if (near.size < list.size / kShort || (far && hub_row == nullptr && near.size / kFarWalk <= list.size)) {
      if constexpr (kMovedRows) {
        if (far) return scatter_far_row(group, list, near, row);
      }
      scatter_row(group, list, near, row);
    } else {
      gather_row(group, list, near, hub_row, row, false);
    }
  }

  template <typename A, typename B>
  MATCHA_MEMBER static void merge_row(const A& list, const B& near, u64* row) {
    for (u64 k = 0; k < words_for(list.size); ++k) row[k] = 0;
    const auto set = [&](u64 i, bool found) { row[i / kWordBits] |= u64(found) << i % kWordBits; };
    if (near.size / kShort > list.size) {
      for (u64 i = 0; i < list.size; ++i) set(i, contains(near, list.at(i)));
      return;
    }
    for (u64 i = 0, j = 0; i < list.size && j < near.size;) {
      auto x = list.at(i);
      auto y = near.at(j);
      set(i, x == y);
      i += x <= y;
      j += y <= x;
    }
  }

  /// Each lane looks up some items of `near`.
  template <typename A, typename B>
  MATCHA_MEMBER static void scatter_row(Group group, const A& list, const B& near, u64* row) {
    MATCHA_ROLLED for (u64 k = group.lane; k < words_for(list.size); k += Group::kWidth) row[k] = 0;
    group.sync();
    for (SizeOf<B> j = group.lane; j < near.size; j += Group::kWidth) {
      u64 i = position(list, near.at(j));
      if (i < list.size && list.at(i) == near.at(j)) atomic_or(row + i / kWordBits, 1ull << i % kWordBits);
    }
  }

  /// The same from host memory: each lane has many loads in flight, as long as some items may be in `list`.
  template <typename A, typename B>
  MATCHA_MEMBER static void scatter_far_row(Group group, const A& list, const B& near, u64* row) {
    MATCHA_ROLLED for (u64 k = group.lane; k < words_for(list.size); k += Group::kWidth) row[k] = 0;
    group.sync();
    if (list.size == 0 || near.size == 0) return;
    constexpr u32 kItems = 8;
    const auto last = list.at(list.size - 1);
    for (SizeOf<B> first = group.lane; first < near.size; first += kItems * Group::kWidth) {
      ItemOf<B> items[kItems];
      // Those past the end repeat the last item, whose bit is set again.
      for (u32 k = 0; k < kItems; ++k) items[k] = near.at(smaller(first + k * Group::kWidth, near.size - 1));
      if (items[0] > last) break;
      for (u32 k = 0; k < kItems; ++k) {
        const u64 i = position(list, items[k]);
        if (i < list.size && list.at(i) == items[k]) atomic_or(row + i / kWordBits, 1ull << i % kWordBits);
      }
    }
  }

  /// The lanes look up `kWidth` items of `list` at a time; their ballot is the bits. `merges`: both lists are scanned,
  /// whatever their lengths.
  template <typename A, typename B>
  MATCHA_MEMBER static void gather_row(Group group, const A& list, const B& near, const u64* hub_row, u64* row,
                                       bool merges) {
    u64 word = 0;
    SizeOf<A> end = 0;
    const auto take = [&](ItemOf<A>, bool inside, bool found) {
      word |= u64(group.ballot(inside && found)) << end % kWordBits;
      end += Group::kWidth;
      if (end % kWordBits != 0 && end < list.size) return;
      if (group.leads()) row[(end - 1) / kWordBits] = word;
      word = 0;
    };
    if (merges || (hub_row == nullptr && near.size != 0 && near.size / kMergeRatio < list.size)) {
      merge_in_step(group, list, near, take);
      return;
    }
    for (SizeOf<A> first = 0; first < list.size; first += Group::kWidth) {
      const auto i = first + group.lane;
      bool inside = i < list.size;
      auto x = list.at(inside ? i : first);
      take(x, inside, inside && (hub_row != nullptr ? contains_by(hub_row, near, x) : contains(near, x)));
    }
  }

  const Launch& launch_;
  Group group_;
};

}  // namespace matcha_program
