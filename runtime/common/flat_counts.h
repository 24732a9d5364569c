// Counts of many small set operations at once: every lane of a group has two lists, and all lanes together
// look up the items of all the shorter ones, as if they were one list (a worklist of parent and child: gMatch, PVLDB
// 2026). So a short list leaves no lane idle, and the loads of all lanes overlap.
#pragma once

#include "runtime/common/graphs.h"
#include "runtime/common/lane_search.h"

namespace matcha_program {

/// The lists of one lane; `a` is looked up in `b`, which ascends.
struct Sides {
  const u32* a = nullptr;
  const u32* b = nullptr;
  u32 a_size = 0;
  u32 b_size = 0;
  u32 whole = 0;             ///< Items of the first list of a difference.
  bool there = false;        ///< The lane has lists.
  const u64* row = nullptr;  ///< The bit row of `b`.
#ifdef MATCHA_MOVED_ROWS
  bool far = false;  ///< `a` is in host memory.
#endif
};

/// Two ascending lists without repeats.
template <typename A, typename B>
MATCHA_FN Sides sides(const A& a, const B& b) {
  Sides found;
  if (walks_second(a, b)) {
    found = {b.data, a.data, u32(b.size), u32(a.size), u32(a.size), true, row_of(a)};
#ifdef MATCHA_MOVED_ROWS
    found.far = is_far(b);
#endif
    return found;
  }
  found = {a.data, b.data, u32(a.size), u32(b.size), u32(a.size), true, row_of(b)};
#ifdef MATCHA_MOVED_ROWS
  found.far = is_far(a);
#endif
  return found;
}
/// The same when `a` has any order and repeats.
template <typename A, typename B>
MATCHA_FN Sides sides_repeats(const A& a, const B& b) {
  return {a.data, b.data, u32(a.size), u32(b.size), u32(a.size), true, row_of(b)};
}

/// The position of arc `arc` in `list`, a part of the graph's arcs; not below its size if the arc is outside.
MATCHA_FN u64 place_of_arc(const Graph& g, u64 arc, const NearList& list) {
  return u64(arcs_around(g, list.vertex) + arc - list.data);
}

template <typename Group>
class FlatCounts {
 public:
  static constexpr u32 kLanes = Group::kWidth;

  MATCHA_MEMBER explicit FlatCounts(Group group) : flat_group_(group) {}

  MATCHA_MEMBER u32 lane() const { return flat_group_.lane; }

  /// The number of items of the lane's `a` that are in its `b`; all lanes of the group call it together.
  MATCHA_MEMBER i64 count_flat(Sides& mine) const { return count<true>(mine, no_offload); }
  /// A part of it: the parts of all lanes add up to the counts of all lanes.
  MATCHA_MEMBER i64 share_flat(Sides& mine) const { return count<false>(mine, no_offload); }

 protected:
  /// Lists from this length on are processed one after the other by all lanes.
  static constexpr u32 kLong = 2 * Group::kWidth;

  MATCHA_MEMBER static u32 no_offload(u32) { return 0; }

  /// `offload(lanes)` is called before each long list but the first: it returns the mask of lanes whose lists were
  /// offloaded; these then have none.
  template <bool each, typename HandOn>
  MATCHA_MEMBER i64 count(Sides& mine, HandOn offload) const {
    const Group& group = flat_group_;
    i64 found = 0;
    const bool rows = kHubs && group.ballot(mine.row != nullptr) != 0;
    const u32 long_ones = group.ballot(mine.a_size >= kLong);
    for (u32 rest = long_ones; rest != 0; rest &= rest - 1) {
      if (rest != long_ones) {
        u32 offloaded = offload(rest);
        if ((offloaded >> group.lane & 1) != 0) mine = Sides{};
        rest &= ~offloaded;
        if (rest == 0) break;
      }
      u32 owner = Group::bits((rest & (~rest + 1)) - 1);
      const ShortList<u32> a{pointer(mine.a, owner), group.from(mine.a_size, owner)};
      const ShortList<u32> b{pointer(mine.b, owner), group.from(mine.b_size, owner)};
      const u64* row = rows ? pointer(mine.row, owner) : nullptr;
      u32 hits = 0;
#ifdef MATCHA_MOVED_ROWS
      if (group.from(u32(mine.far), owner) != 0) fetch_far(group, a.data, a.size);
#endif
      if (row != nullptr) {
        for (u32 i = group.lane; i < a.size; i += Group::kWidth) hits += contains_by(row, b, a.at(i)) ? 1 : 0;
      } else {
        hits = u32(lane_members(group, a, b));
      }
      if constexpr (each) {
        i64 total = group.total(hits);
        found += group.lane == owner ? total : 0;
      } else {
        found += hits;
      }
    }
    const u32 size = mine.a_size >= kLong ? 0 : mine.a_size;
    const u32 end = up_to(group, size);
    const u32 begin = end - size;
    const u32 all = group.from(end, Group::kWidth - 1);
    for (u32 first = 0; first < all; first += Group::kWidth) {
      u32 item = first + group.lane;
      u32 owner = lanes_below(group, end, item + 1);
      const u32* a = pointer(mine.a, owner);
      const ShortList<u32> b{pointer(mine.b, owner), group.from(mine.b_size, owner)};
      u32 at = item - group.from(begin, owner);
      const u64* row = rows ? pointer(mine.row, owner) : nullptr;
      bool hit = item < all && (row != nullptr ? contains_by(row, b, a[at]) : contains(b, a[at]));
      if constexpr (each) {
        // The hits among the items of this lane in this round.
        u32 hits = group.ballot(hit);
        u32 from = larger(begin, first);
        u32 to = smaller(end, first + Group::kWidth);
        if (from < to) found += Group::bits(hits >> (from - first) & low_bits(to - from));
      } else {
        found += hit ? 1 : 0;
      }
    }
    return found;
  }

 private:
  /// `count` ones, 1…32.
  MATCHA_MEMBER static u32 low_bits(u32 count) { return ~0u >> (32 - count); }

  template <typename T>
  MATCHA_MEMBER const T* pointer(const T* mine, u32 owner) const {
    return reinterpret_cast<const T*>(flat_group_.from(reinterpret_cast<u64>(mine), owner));
  }

  Group flat_group_;
};

}  // namespace matcha_program
