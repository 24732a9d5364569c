// Walks over the positions of sets of bits: by one thread, by lanes of a group each over its own, or by all of them
// over one, or over many as if they were one.
#pragma once

#include "runtime/common/bits.h"
#include "runtime/common/lane_search.h"

namespace matcha_program {

/// Position number `n` of a set that has more.
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

/// A walk over the positions of a set: `while (walk.next())` one is at `position`, the `index`th.
template <typename A>
struct BitWalk {
  A set;
  u64 left;
  u32 word;  ///< The next one.
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
/// The same from the `begin`th position on.
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

// Lanes that come to the end of an inner loop one after the other would go on so, each alone, up to the next word of
// the whole group. So they come together at each position, those that have one left.

/// A walk of each of some lanes over a set of its own.
template <typename Group, typename A>
struct OwnWalk {
  BitWalk<A> walk;
  u32 lanes;  ///< Those that are at a position.
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

/// The same for the lanes of a group, of which each has its own share: of every `kWidth` positions in a row, one.
template <typename Group, typename A>
struct LaneWalk {
  A set;
  u64 bits;    ///< Of the word that the last position was in.
  u32 before;  ///< Positions in front of that word.
  u32 word;    ///< The next one.
  i64 position;
  i64 index;
  u32 lanes;  ///< Those that are at a position.
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

/// The lanes of a group, each of which has so many items of its own, walk the items of all of them: a lane with few
/// items keeps none waiting (a worklist of parent and child: gMatch, PVLDB 2026). Where they are many, only those of
/// the first lanes, so that the group soon looks around again.
template <typename Group>
struct PairWalk {
  static constexpr u32 kMany = 8 * Group::kWidth;
  Group group;
  u32 begin;  ///< Of the lane's own items among those of all.
  u32 end;
  u32 taken;   ///< Lanes whose items are walked.
  u32 all;     ///< Items of those.
  u32 at;      ///< The next of them.
  bool there;  ///< Whether the lane is at one now, and then:
  u32 owner;   ///< the lane that has it,
  u32 rank;    ///< which of its items it is,
  u32 lanes;   ///< and the lanes that are at one.
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
  /// What the lane that has the item keeps; all lanes ask.
  template <typename T>
  MATCHA_MEMBER T of_owner(T kept) const {
    return group.from(kept, owner);
  }
  MATCHA_MEMBER bool of_owner(bool kept) const { return group.from(u32(kept), owner) != 0; }
};

}  // namespace matcha_program
