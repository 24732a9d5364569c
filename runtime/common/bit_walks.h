// Iteration over the positions of bit sets: by one thread, by lanes of a group each over its own set, or by all lanes
// over one set, or over many sets as if they were one.
#pragma once

#include "runtime/common/bits.h"
#include "runtime/common/lane_search.h"

namespace matcha_program {

/// Position number `n` of a set with more than n positions.
template <typename A>
MATCHA_FN i64 nth_position(const A& set, u32 n) {
  u32 k = 0;
  u64 word = set.word(0);
  MATCHA_ROLLED for (u32 count = bit_count(word); n >= count; count = bit_count(word)) {
    n -= count;
    word = set.word(++k);
  }
  return i64(k * kWordBits + nth_bit(word, n));
}

/// An iteration over the positions of a set: in `while (walk.next())` the current one is `position`, the `index`th.
template <typename A>
struct BitWalk {
  A set;
  u64 left;
  u32 word;  ///< The next word.
  i64 position;
  i64 index;
  MATCHA_MEMBER bool next() {
    while (left == 0) {
      if (word == set.words) return false;
      left = set.word(word++);
    }
    position = i64((word - 1) * kWordBits + lowest_bit(left));
    left &= left - 1;
    ++index;
    return true;
  }
};
template <typename A>
MATCHA_FN BitWalk<A> walk_bits(const A& set) {
  return {set, 0, 0, 0, -1};
}
/// The same, starting with the `begin`th position.
template <typename A>
MATCHA_FN BitWalk<A> walk_bits_from(const A& set, u64 begin) {
  BitWalk<A> walk = walk_bits(set);
  u64 before = 0;
  for (; walk.word < set.words; ++walk.word) {
    const u64 count = bit_count(set.word(walk.word));
    if (before + count > begin) break;
    before += count;
  }
  if (before < begin && walk.word < set.words) {
    walk.left = set.word(walk.word++);
    for (; before < begin; ++before) walk.left &= walk.left - 1;
  }
  walk.index = i64(before) - 1;
  return walk;
}

// Lanes that leave an inner loop one after the other would stay diverged up to the group's next whole word. So the
// lanes with a position left converge at each position.

/// An iteration of each of some lanes over its own set.
template <typename Group, typename A>
struct OwnWalk {
  BitWalk<A> walk;
  u32 lanes;  ///< Lanes at a position.
  i64 position;
  i64 index;
  MATCHA_MEMBER bool next() {
    bool more = walk.next();
    lanes = Group::among(lanes, more);
    position = walk.position;
    index = walk.index;
    return more;
  }
};

/// The same for the lanes of a group with one set: of every `kWidth` consecutive positions each lane gets one.
template <typename Group, typename A>
struct LaneWalk {
  A set;
  u64 bits;    ///< The bits of the word with the last position.
  u32 before;  ///< Positions before that word.
  u32 word;    ///< The next word.
  i64 position;
  i64 index;
  u32 lanes;  ///< Lanes at a position.
  MATCHA_MEMBER bool next() {
    index += Group::kWidth;
    bool more = true;
    while (more && u32(index) >= before + bit_count(bits)) {
      more = word != set.words;
      before += bit_count(bits);
      bits = more ? set.word(word++) : 0;
    }
    lanes = Group::among(lanes, more);
    if (more) position = i64((word - 1) * kWordBits + nth_bit(bits, u32(index) - before));
    return more;
  }
};

/// The lanes of a group each have some items and process the items of all lanes together, so that a lane with few items
/// is never idle (a worklist of parent and child: gMatch, PVLDB 2026). If there are many items, only those of the first
/// lanes are taken, so that the group polls soon.
template <typename Group>
struct PairWalk {
  static constexpr u32 kMany = 8 * Group::kWidth;
  Group group;
  u32 begin;  ///< The start of the lane's own items among those of all.
  u32 end;
  u32 taken;   ///< The lanes with the items that are processed.
  u32 all;     ///< The number of their items.
  u32 at;      ///< The next item.
  bool there;  ///< True if the lane is at an item now, and then:
  u32 owner;   ///< The lane that owns the item,
  u32 rank;    ///< its index among the items of the owner,
  u32 lanes;   ///< and the lanes at an item.
  MATCHA_MEMBER bool next() {
    const u32 left = all - at;
    if (left == 0) return false;
    const u32 item = at + group.lane;
    at += smaller(left, u32(Group::kWidth));
    there = group.lane < left;
    owner = lanes_below(group, end, item + 1);
    rank = item - group.from(begin, owner);
    lanes = Group::among(group.mask, there);
    return true;
  }
  /// The value of `kept` in the lane that owns the item; all lanes call.
  template <typename T>
  MATCHA_MEMBER T of_owner(T kept) const {
    return group.from(kept, owner);
  }
  MATCHA_MEMBER bool of_owner(bool kept) const { return group.from(u32(kept), owner) != 0; }
};

}  // namespace matcha_program
