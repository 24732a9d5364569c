// How the lanes of a group search a list together. `MATCHA_SEARCH` is the method that a text is compiled for:
//
//   plain    every lane searches on its own
//   cached   the top of the search tree is in the lanes: each reads one item, so the first steps of every search are
//            exchanges of registers (G2Miner caches it in shared memory, where each cached step is a read)
//   merging  as cached, and lists of similar length are merged: the searched one in windows of one item a lane, which
//            are read as a whole
#pragma once

#include "runtime/common/graphs.h"
#include "runtime/common/group.h"

namespace matcha_program {

enum Search : u32 { kPlainSearch, kCachedSearch, kMergingSearch };
#ifdef MATCHA_SEARCH
inline constexpr Search kSearch = MATCHA_SEARCH;
#else
inline constexpr Search kSearch = kPlainSearch;
#endif

/// A list less than this many times longer is merged by kMergingSearch: a window costs about two steps of a search, and
/// a search of a list of thousands has six steps after the lanes.
inline constexpr u64 kMergeRatio = 4;

template <typename L>
MATCHA_MEMBER const L& some_list();  // For types only: never called.
template <typename L>
using ItemOf = decltype(some_list<L>().at(0));

/// True for lists whose items ascend; a literal has its own search.
template <typename B>
inline constexpr bool can_merge = true;
template <u64 rows, typename T>
inline constexpr bool can_merge<Literal<rows, T>> = false;

/// A list in which all lanes of a group look up items, each its own, in step.
template <typename Group, typename B, Search search = kSearch, bool together = Group::kWidth != 1 && can_merge<B>>
struct Searched {
  const B& list;
  MATCHA_MEMBER Searched(const Group&, const B& searched) : list(searched) {}
  /// True if it has `x`; undefined when the lane is not `wanted`.
  template <typename T>
  MATCHA_MEMBER bool contains(T x, bool wanted) const {
    return wanted && matcha_program::contains(list, x);
  }
};

/// A list of neighbours that may have a bit row, which is found once.
template <typename Group, bool together>
struct Searched<Group, NearList, kPlainSearch, together> {
  const NearList& list;
  const u64* row;
  MATCHA_MEMBER Searched(const Group&, const NearList& searched) : list(searched), row(searched.row()) {}
  MATCHA_MEMBER bool contains(u32 x, bool wanted) const {
    if (row != nullptr) return wanted && contains_by(row, list, x);
    return wanted && matcha_program::contains<ShortList<u32>>(list, x);
  }
};

/// The number of the lane's items of `a` that are in `b`, two searches at a time.
template <typename Group, typename A, typename B>
MATCHA_FN u64 lane_members(const Group& group, const A& a, const B& b) {
  u64 members = 0;
  SizeOf<A> i = group.lane;
  if constexpr (can_merge<B>) {
    for (; i + Group::kWidth < a.size; i += 2 * Group::kWidth) {
      members += contains_both(b, a.at(i), a.at(i + Group::kWidth));
    }
  }
  for (; i < a.size; i += Group::kWidth) members += contains(b, a.at(i)) ? 1 : 0;
  return members;
}

/// The number of lanes whose word is below `x`; at most the width minus one. Requires: words ascend with the lanes.
template <typename Group, typename T>
MATCHA_FN u32 lanes_below(const Group& group, T word, T x) {
  u32 below = 0;
  for (u32 step = Group::kWidth / 2; step > 0; step /= 2) {
    below += group.from(word, below + step - 1) < x ? step : 0;
  }
  return below;
}

/// The top of the tree in the lanes: the list is divided into one part per lane, and each lane has the last item of its
/// part.
template <typename Group, typename B>
struct CachedTop {
  using Value = typename B::Value;
  const Group& group;
  const B& list;
  u64 part;
  Value last;
  MATCHA_MEMBER CachedTop(const Group& lanes, const B& searched)
      : group(lanes), list(searched), part((searched.size + Group::kWidth - 1) / Group::kWidth), last{} {
    if (list.size != 0) last = list.at(smaller((group.lane + 1) * part, u64(list.size)) - 1);
  }
  MATCHA_MEMBER bool contains(Value x, bool wanted) const {
    u64 begin = lanes_below(group, last, x) * part;
    u64 end = smaller(begin + part, u64(list.size));
    return wanted && begin < end && matcha_program::contains(list.part(begin, end), x);
  }
};
template <typename Group, typename B>
struct Searched<Group, B, kCachedSearch, true> : CachedTop<Group, B> {
  using CachedTop<Group, B>::CachedTop;
};
template <typename Group, typename B>
struct Searched<Group, B, kMergingSearch, true> : CachedTop<Group, B> {
  using CachedTop<Group, B>::CachedTop;
};

/// The inclusive prefix sum over the lanes.
template <typename Group>
MATCHA_FN u32 up_to(const Group& group, u32 word) {
  for (u32 step = 1; step < Group::kWidth; step *= 2) {
    u32 before = group.from(word, group.lane - smaller(step, group.lane));
    word += group.lane >= step ? before : 0;
  }
  return word;
}

/// The same for words of any size: ~0 on overflow.
template <typename Group>
MATCHA_FN u32 up_to_or_most(const Group& group, u32 word) {
  for (u32 step = 1; step < Group::kWidth; step *= 2) {
    u32 before = group.from(word, group.lane - smaller(step, group.lane));
    if (group.lane >= step) word = before > ~word ? ~0u : word + before;
  }
  return word;
}

/// Calls `take(x, inside, found)` for the items of `a` in order, lanes in step; `found`: it is in `b`. Requires: both
/// ascend, and `b` has items.
template <typename Group, typename A, typename B, typename Take>
MATCHA_FN void merge_in_step(const Group& group, const A& a, const B& b, Take take) {
  const auto last = b.size - 1;
  SizeOf<B> window = 0;
  auto item = b.at(smaller(SizeOf<B>(group.lane), last));
  for (SizeOf<A> first = 0; first < a.size; first += Group::kWidth) {
    const auto i = first + group.lane;
    bool inside = i < a.size;
    auto x = a.at(inside ? i : first);
    bool found = false;
    while (true) {
      bool here = group.from(item, lanes_below(group, item, x)) == x;
      found = found || here;
      bool beyond = group.from(item, Group::kWidth - 1) < x;
      if (group.ballot(inside && beyond) == 0 || window + Group::kWidth > last) break;
      window += Group::kWidth;
      item = b.at(smaller(window + group.lane, last));
    }
    take(x, inside, found);
  }
}

}  // namespace matcha_program
