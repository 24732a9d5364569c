// The number of ways in which interchangeable vertices get distinct images, given a list for each and no other
// constraint: by inclusion and exclusion over the partitions of the vertices (a block of b vertices with one image has
// the sign of b - 1 and (b - 1)! cycles), where vertices with equal lists are counted together.
#pragma once

#include "runtime/common/few_leaves.h"

namespace matcha_program {

/// The most distinct lists; if there are several, the most vertices with one list, and the most states: the number of
/// vertices of each list that have images.
inline constexpr u32 kLeafLists = 8, kLeafTimes = 31, kLeafStates = 1024;

/// Memory of a group.
struct LeafRoom {
  ItemSet lists[kLeafLists];
  u32 times[kLeafLists];         ///< Vertices with this list.
  u32 strides[kLeafLists];       ///< The stride of each list in the numbering of states.
  u64 common[1u << kLeafLists];  ///< By set of lists: images in these and no others; then: in all of these.
  u128 cycles[64 + 1];           ///< By size of a block.
  u128 ways[kLeafStates];
};

template <typename Group>
class LeafWays {
 public:
  MATCHA_MEMBER LeafWays(Group group, LeafRoom& room) : group_(group), room_(room) {}

  /// Adds the list of a vertex; false: there is no room for another distinct list.
  MATCHA_MEMBER bool add(ItemSet list) {
    u32 i = 0;
    while (i < count_ && !is_same(room_.lists[i], list)) ++i;
    if (i == kLeafLists) return false;
    const u32 times = i < count_ ? room_.times[i] : 0;
    group_.sync();
    if (group_.leads()) {
      room_.lists[i] = list;
      room_.times[i] = times + 1;
    }
    group_.sync();
    if (i == count_) ++count_;
    ++vertices_;
    states_ = states_ / (times + 1) * (times + 2);
    most_times_ = larger(most_times_, times + 1);
    return count_ == 1 || (states_ <= kLeafStates && most_times_ <= kLeafTimes);
  }

  /// The ways if the vertices `taken`, which are other ones, have images already.
  MATCHA_NOINLINE MatchWays ways(const u32* images, u64 taken, bool& is_known) {
    count_images(images, taken);
    is_known = true;
    MatchWays all{1, 1};
    if (count_ == 1) {
      const u64 free = room_.common[1];
      for (u32 i = 0; i < vertices_; ++i) {
        const u64 left = free > i ? free - i : 0;
        all.number *= left;
        all.bound = product(all.bound, f64(left));
      }
      return all;
    }
    f64 least = 1;  // Each vertex has at least this many, whatever the others have.
    for (u32 i = 0; i < count_; ++i) {
      const u64 free = room_.common[1u << i], left = free >= vertices_ ? free - vertices_ + 1 : 0;
      for (u32 time = 0; time < room_.times[i]; ++time) {
        all.bound = product(all.bound, f64(free > time ? free - time : 0));
        least = product(least, f64(left));
      }
    }
    return ways_below(all.bound, least, is_known, [&] { return sum_of_partitions(); });
  }

 private:
  MATCHA_MEMBER bool is_same(ItemSet first, ItemSet second) const {
    if (first.size != second.size) return false;
    return first.items == second.items ||
           count_items(group_, first, [&](u32 i, u32 x) { return second.items[i] != x; }) == 0;
  }
  MATCHA_MEMBER static void add_to(u64& word, u64 value) {
    if constexpr (Group::kWidth == 1) {
      word += value;
    } else {
      atomic_add(&word, value);
    }
  }
  /// The mask of the lists from `first` on that contain an image.
  MATCHA_MEMBER u32 holders(u32 first, u32 image) const {
    u32 mask = 0;
    for (u32 i = first; i < count_; ++i) mask |= u32(room_.lists[i].holds(image)) << i;
    return mask;
  }

  /// Fills `common`, without images in use.
  MATCHA_MEMBER void count_images(const u32* images, u64 taken) const {
    const u32 sets = 1u << count_;
    for (u32 set = group_.lane; set < sets; set += Group::kWidth) room_.common[set] = 0;
    group_.sync();
    for (u32 i = 0; i < count_; ++i) {
      const ItemSet list = room_.lists[i];
      for (u32 at = group_.lane; at < list.size; at += Group::kWidth) {
        const u32 image = list.items[at];
        bool is_first = true;  // An image counts in the first list that has it.
        for (u32 j = 0; j < i && is_first; ++j) is_first = !room_.lists[j].holds(image);
        if (is_first) add_to(room_.common[1u << i | holders(i + 1, image)], 1);
      }
    }
    group_.sync();
    for (u32 u = group_.lane; u < 64; u += Group::kWidth) {
      const u32 mask = (taken >> u & 1) != 0 ? holders(0, images[u]) : 0;
      if (mask != 0) add_to(room_.common[mask], ~0ull);
    }
    group_.sync();
    for (u32 i = 0; i < count_; ++i) {
      for (u32 set = group_.lane; set < sets; set += Group::kWidth) {
        if ((set >> i & 1) == 0) room_.common[set] += room_.common[set | 1u << i];
      }
      group_.sync();
    }
  }

  /// Assigns images to the vertices of one list after the other: a block with the last of them includes any of the
  /// others.
  MATCHA_MEMBER u128 sum_of_partitions() const {
    if (group_.leads()) {
      u128 cycles = 1;
      for (u32 size = 1; size <= vertices_; ++size) {
        room_.cycles[size] = cycles;
        cycles *= ~u128(size) + 1;
      }
      for (u32 i = 0, stride = 1; i < count_; ++i) {
        room_.strides[i] = stride;
        stride *= room_.times[i] + 1;
      }
      room_.ways[0] = 1;
    }
    group_.sync();
    u64 digits = 0;
    for (u32 i = 0; i < count_; ++i) {
      const u32 stride = room_.strides[i], times = room_.times[i];
      for (u32 time = 1; time <= times; ++time) {
        if (i + 1 == count_ && time == times) break;
        for (u32 low = group_.lane; low < stride; low += Group::kWidth) {
          const u64 state = digits_of(low, i) | u64(time) << (kDigit * i);
          room_.ways[time * stride + low] = blocks(state, i, 0, 1);
        }
        group_.sync();
      }
      digits |= u64(times) << (kDigit * i);
    }
    const i128 share = i128(blocks(digits, count_ - 1, group_.lane, Group::kWidth));
    return u128(group_.total_wide(share));
  }

  static constexpr u32 kDigit = 8;  ///< Bits of each number of vertices in a packed state.

  MATCHA_MEMBER u64 digits_of(u32 place, u32 lists) const {
    u64 digits = 0;
    for (u32 i = 0; i < lists; ++i) {
      digits |= u64(place % (room_.times[i] + 1)) << (kDigit * i);
      place /= room_.times[i] + 1;
    }
    return digits;
  }
  MATCHA_MEMBER static u32 digit(u64 digits, u32 i) { return u32(digits >> (kDigit * i)) & ((1u << kDigit) - 1); }

  /// The sum over the blocks with the last vertex of list `last`, the last list with a vertex in the state: every
  /// `step`-th block, starting with number `first`.
  MATCHA_MEMBER u128 blocks(u64 state, u32 last, u32 first, u32 step) const {
    u128 sum = 0;
    u64 block = 1ull << (kDigit * last);
    u32 set = 1u << last, size = 1, rest = 0;
    for (u32 i = 0; i <= last; ++i) rest += digit(state, i) * room_.strides[i];
    rest -= room_.strides[last];
    for (u32 number = 0;; ++number) {
      if (number % step == first) {
        const u128 one = room_.cycles[size] * room_.common[set] * room_.ways[rest];
        sum += one * choices(state, block, last);
      }
      u32 i = 0;  // The next block: one vertex more of the first list that has one, and none of earlier lists.
      while (i <= last && digit(block, i) == digit(state, i)) {
        const u32 none = i == last ? 1 : 0, fewer = digit(block, i) - none;
        block -= u64(fewer) << (kDigit * i);
        size -= fewer;
        rest += fewer * room_.strides[i];
        if (none == 0) set &= ~(1u << i);
        ++i;
      }
      if (i > last) return sum;
      block += 1ull << (kDigit * i);
      set |= 1u << i;
      ++size;
      rest -= room_.strides[i];
    }
  }

  /// The number of blocks with these numbers of vertices of each list: one of the last list is always included.
  MATCHA_MEMBER static u128 choices(u64 state, u64 block, u32 last) {
    u128 all = 1;
    for (u32 i = 0; i <= last; ++i) {
      const u32 fixed = i == last ? 1 : 0, of = digit(state, i) - fixed, some = digit(block, i) - fixed;
      if (some != 0 && some != of) all *= choose(of, smaller(some, of - some));
    }
    return all;
  }
  MATCHA_MEMBER static u64 choose(u32 of, u32 some) {
    u64 sets = of;
    for (u32 i = 2; i <= some; ++i) sets = sets * (of - i + 1) / i;
    return sets;
  }

  Group group_;
  LeafRoom& room_;
  u32 count_ = 0, vertices_ = 0;
  u32 states_ = 1, most_times_ = 0;
};

}  // namespace matcha_program
