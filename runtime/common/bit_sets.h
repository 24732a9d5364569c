// Bit sets that a group counts, iterates over and stores: as arrays, in any kind of stack.
#pragma once

#include "runtime/common/bit_walks.h"
#include "runtime/common/checked.h"
#include "runtime/common/rooms.h"

namespace matcha_program {

template <typename Group>
class BitSets : public Checked<Group> {
 public:
  MATCHA_MEMBER BitSets(const Launch& launch, Group group) : Checked<Group>(launch), group_(group) {}

  /// An iteration over a set in which each lane has its share.
  template <typename A>
  MATCHA_MEMBER auto walk_lanes(const A& set) const {
    if constexpr (Group::kWidth == 1) {
      return walk_bits(set);
    } else {
      return LaneWalk<Group, A>{set, 0, 0, 0, 0, i64(group_.lane) - Group::kWidth, group_.mask};
    }
  }
  /// An iteration by each of `lanes` over its own set; no other lane calls.
  template <typename A>
  MATCHA_MEMBER OwnWalk<Group, A> walk_own(const A& set, u32 lanes) const {
    return {walk_bits(set), lanes, 0, -1};
  }
  /// An iteration over the items of all lanes, of which this lane has `own`.
  MATCHA_MEMBER PairWalk<Group> walk_pairs(u32 own) const {
    const u32 end = up_to_or_most(group_, own);
    const u32 taken = larger(Group::bits(group_.ballot(end <= PairWalk<Group>::kMany)), 1u);
    return {group_, end - own, end, taken, group_.from(end, taken - 1), 0, false, 0, 0, 0};
  }
  /// The mask of those of `lanes` with the flag; all of them converge here.
  MATCHA_MEMBER static u32 among(u32 lanes, bool flag) { return Group::among(lanes, flag); }

  /// This lane's share of the number of positions.
  template <typename A>
  MATCHA_MEMBER i64 share_bits(const A& set) const {
    u32 count = 0;
    MATCHA_ROLLED for (u32 k = group_.lane; k < set.words; k += Group::kWidth) count += bit_count(set.word(k));
    return count;
  }
  /// The number of positions. For a few words each lane counts all of them, which is faster than adding shares.
  template <typename A>
  MATCHA_MEMBER i64 size_of_bits(const A& set) const {
    constexpr u32 kFew = 4;
    if (Group::kWidth == 1 || set.words <= kFew) return count_bits(set);
    return i64(group_.total(u32(share_bits(set))));
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

 private:
  Group group_;
};

}  // namespace matcha_program
