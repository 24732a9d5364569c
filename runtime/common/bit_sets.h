// Sets of bits as a group makes, counts and walks them, and the rows of a list: for each of its items, which of them
// are its neighbours (GLUMIN, PPoPP 2025, section 3; Almasri et al., ICS 2022, section 4). They are arrays in any kind
// of stack.
#pragma once

#include "runtime/common/bits.h"
#include "runtime/common/checked.h"
#include "runtime/common/lane_search.h"
#include "runtime/common/rooms.h"

namespace matcha_program {

template <typename Group>
class BitSets : public Checked<Group> {
 public:
  MATCHA_MEMBER BitSets(const Launch& launch, Group group) : Checked<Group>(launch, group), group_(group) {}

  /// A walk of which each lane has its share.
  template <typename A>
  MATCHA_MEMBER auto walk_lanes(const A& set) const {
    if constexpr (Group::kWidth == 1) {
      return walk_bits(set);
    } else {
      return LaneWalk<Group, A>{set, 0, 0, 0, 0, i64(group_.lane) - Group::kWidth};
    }
  }

  /// The lane's share of the number of positions.
  template <typename A>
  MATCHA_MEMBER i64 share_bits(const A& set) const {
    u32 count = 0;
    for (u32 k = group_.lane; k < set.words; k += Group::kWidth) count += bit_count(set.word(k));
    return count;
  }
  /// The number of positions. Of a few words, each lane counts all: that takes less than adding up shares.
  template <typename A>
  MATCHA_MEMBER i64 size_of_bits(const A& set) const {
    constexpr u32 kFew = 4;
    if (Group::kWidth == 1 || set.words <= kFew) return count_bits(set);
    return i64(group_.total(u64(share_bits(set))));
  }

  template <typename A>
  MATCHA_MEMBER StoredBits store_bits(const A& set, Room<u64> room) const {
    bool fits = set.words <= room.capacity;
    if (!fits) this->trap(kCapacityExceeded, 0, 0);
    u32 words = fits ? set.words : 0;
    group_.sync();
    for (u32 k = group_.lane; k < words; k += Group::kWidth) room.put(k, set.word(k));
    group_.sync();
    return {room.data, words};
  }

  /// The rows of the items of an ascending list without repeats: which of them are their neighbours, those below them,
  /// those above them.
  template <typename L>
  MATCHA_MEMBER auto bit_rows(const Graph& g, const L& list, Room<u64> room) const {
    return make_rows<false>(list, room, [&](u32 v) { return neighbors(g, v); });
  }
  template <typename L>
  MATCHA_MEMBER auto lower_bit_rows(const Graph& g, const L& list, Room<u64> room) const {
    return make_rows<true>(list, room, [&](u32 v) { return lower_neighbors(g, v); });
  }
  template <typename L>
  MATCHA_MEMBER auto upper_bit_rows(const Graph& g, const L& list, Room<u64> room) const {
    return make_rows<false>(list, room, [&](u32 v) { return upper_neighbors(g, v); });
  }

 private:
  /// A list that is so many times shorter is looked up in the other one.
  static constexpr u64 kShort = 8;

  /// Each lane finds the neighbours of one of the next items, so that the group does not wait for every one of them.
  template <bool lower, typename L, typename Near>
  MATCHA_MEMBER BitRows<lower> make_rows(const L& list, Room<u64> room, Near near_of) const {
    bool fits = row_words(list.size) <= room.capacity;
    if (!fits) this->trap(kCapacityExceeded, 0, 0);
    u64 size = fits ? u64(list.size) : 0;
    BitRows<lower> rows{room.data, size, u32(words_for(size))};
    group_.sync();
    for (u64 first = 0; first < size; first += Group::kWidth) {
      const List<u32> own = near_of(list.at(smaller(first + group_.lane, size - 1)));
      for (u64 i = first; i < smaller(first + Group::kWidth, size); ++i) {
        u64 data = group_.from(reinterpret_cast<u64>(own.data), u32(i - first));
        const List<u32> near{reinterpret_cast<const u32*>(data), group_.from(own.size, u32(i - first))};
        fill_row(list.part(0, lower ? i : size), near, room.data + i * rows.stride);
      }
    }
    group_.sync();
    return rows;
  }

  /// Sets the bits of `row`: which items of `list` are in `near`. Requires: both ascend without repeats.
  template <typename A, typename B>
  MATCHA_MEMBER void fill_row(const A& list, const B& near, u64* row) const {
    if constexpr (Group::kWidth == 1) {
      merge_row(list, near, row);
    } else if (near.size < list.size / kShort) {
      scatter_row(list, near, row);
    } else {
      gather_row(list, near, row);
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

  /// Each lane looks up some of `near`.
  template <typename A, typename B>
  MATCHA_MEMBER void scatter_row(const A& list, const B& near, u64* row) const {
    for (u64 k = group_.lane; k < words_for(list.size); k += Group::kWidth) row[k] = 0;
    group_.sync();
    for (u64 j = group_.lane; j < near.size; j += Group::kWidth) {
      u64 i = position(list, near.at(j));
      if (i < list.size && list.at(i) == near.at(j)) atomic_or(row + i / kWordBits, 1ull << i % kWordBits);
    }
  }

  /// The lanes look up `kWidth` items of `list` at a time, whose bits are their ballot.
  template <typename A, typename B>
  MATCHA_MEMBER void gather_row(const A& list, const B& near, u64* row) const {
    u64 word = 0;
    u64 end = 0;
    const auto take = [&](ItemOf<A>, bool inside, bool found) {
      word |= u64(group_.ballot(inside && found)) << end % kWordBits;
      end += Group::kWidth;
      if (end % kWordBits != 0 && end < list.size) return;
      if (group_.leads()) row[(end - 1) / kWordBits] = word;
      word = 0;
    };
    if (near.size != 0 && near.size / kMergeRatio < list.size) {
      merge_in_step(group_, list, near, take);
      return;
    }
    for (u64 first = 0; first < list.size; first += Group::kWidth) {
      u64 i = first + group_.lane;
      bool inside = i < list.size;
      auto x = list.at(inside ? i : first);
      take(x, inside, inside && contains(near, x));
    }
  }

  Group group_;
};

}  // namespace matcha_program
