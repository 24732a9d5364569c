// Set operations of one group. A single thread merges or searches; with several lanes, each takes an item of the
// shorter list and searches the longer one, and a ballot gives the positions of the hits (G2Miner; T-DFS III).
// lane_search.h has other search methods.
#pragma once

#include "runtime/common/lane_search.h"
#include "runtime/common/launch.h"

namespace matcha_program {

/// From this ratio of lengths on, one thread searches the longer list instead of merging.
inline constexpr u64 kSearchRatio = 16;

template <typename Group>
class SetOperations {
 public:
  MATCHA_MEMBER explicit SetOperations(Group group) : group_(group) {}

  /// `list` below `x` for a set operation with `a`, all of whose items are below it. Lanes cut only lists that they
  /// scan more than once.
  template <typename A, typename L>
  MATCHA_MEMBER L cut_beside(const A& a, const L& list, typename L::Value x) const {
    constexpr bool together = Group::kWidth != 1;
    return together && (a.size <= Group::kWidth || list.size <= Group::kWidth) ? list : below(list, x);
  }

  // Counts. A *share* is one lane's part of a count: the shares of all lanes add up to it, so a sum of counts needs one
  // reduction at its end.

  /// Share of |a ∩ b| of ascending lists without repeats.
  template <typename A, typename B>
  MATCHA_MEMBER i64 share_intersect(const A& a, const B& b) const {
    if (walks_second(a, b)) return share_members(b, a);
    return share_members(a, b);
  }
  template <typename A, u64 rows, typename T>
  MATCHA_MEMBER i64 share_intersect(const A& a, const Literal<rows, T>& b) const {
    return search_count(a, b);
  }
  /// The same when `a` has any order and repeats.
  template <typename A, typename B>
  MATCHA_MEMBER i64 share_intersect_repeats(const A& a, const B& b) const {
    return search_count(a, b);
  }
  template <typename A, typename B>
  MATCHA_MEMBER i64 share_diff(const A& a, const B& b) const {
    return (group_.leads() ? i64(a.size) : 0) - share_intersect(a, b);
  }
  template <typename A, typename B>
  MATCHA_MEMBER i64 share_diff_repeats(const A& a, const B& b) const {
    return (group_.leads() ? i64(a.size) : 0) - share_intersect_repeats(a, b);
  }
  /// The sum of all lanes' shares.
  MATCHA_MEMBER i64 gather(i64 share) const { return i64(group_.total(u64(share))); }
  MATCHA_MEMBER i128 gather(i128 share) const { return group_.total_wide(share); }

  /// |a ∩ b| and |a \ b|; as above.
  template <typename A, typename B>
  MATCHA_MEMBER i64 count_intersect(const A& a, const B& b) const {
    return gather(share_intersect(a, b));
  }
  template <typename A, typename B>
  MATCHA_MEMBER i64 count_diff(const A& a, const B& b) const {
    return i64(a.size) - count_intersect(a, b);
  }
  template <typename A, typename B>
  MATCHA_MEMBER i64 count_intersect_repeats(const A& a, const B& b) const {
    return gather(share_intersect_repeats(a, b));
  }
  template <typename A, typename B>
  MATCHA_MEMBER i64 count_diff_repeats(const A& a, const B& b) const {
    return i64(a.size) - count_intersect_repeats(a, b);
  }

 protected:
  /// Calls `keep(x)` for the items of `a` that are in `b` (`wanted`) or not, in order; lanes in step.
  template <typename A, typename B, typename Keep>
  MATCHA_MEMBER void filter(const A& a, const B& b, bool wanted, Keep keep) const {
    look_up(a, b, [&](ItemOf<A> x, bool inside, bool found) { keep(x, inside && found == wanted); });
  }
  /// The same when `a` is ascending too.
  template <typename A, typename B, typename Keep>
  MATCHA_MEMBER void filter_ascending(const A& a, const B& b, bool wanted, Keep keep) const {
    look_up_ascending(a, b, [&](ItemOf<A> x, bool inside, bool found) { keep(x, inside && found == wanted); });
  }

 private:
  template <typename A, typename B>
  MATCHA_MEMBER i64 share_members(const A& a, const B& b) const {
    if (a.size == 0) return 0;
    if constexpr (Group::kWidth == 1) {
      if (b.size / a.size < kSearchRatio) return merge_count(a, b);
    } else if constexpr (kMovedRows && can_merge<B>) {
      // Both are scanned, rather than one be searched remotely.
      if (is_far(b) && b.size != 0 && b.size / kFarWalk <= a.size) {
        i64 count = 0;
        fetch_if_far(group_, a);
        fetch_if_far(group_, b);
        merge_in_step(group_, a, b, [&](ItemOf<A>, bool inside, bool found) { count += inside && found ? 1 : 0; });
        return count;
      }
    }
    if constexpr (Group::kWidth != 1 && kSearch == kMergingSearch) {
      i64 count = 0;
      look_up_ascending(a, b, [&](ItemOf<A>, bool inside, bool found) { count += inside && found ? 1 : 0; });
      return count;
    } else {
      return search_count(a, b);
    }
  }

  /// Calls `take(x, inside, found)` for the items of `a` in order, lanes in step; `inside` is false for lanes without
  /// an item.
  template <typename A, typename B, typename Take>
  MATCHA_MEMBER void look_up(const A& a, const B& b, Take take) const {
    if (a.size == 0) return;
    const Searched<Group, B> searched(group_, b);
    for (SizeOf<A> first = 0; first < a.size; first += Group::kWidth) {
      const auto i = first + group_.lane;
      bool inside = i < a.size;
      auto x = a.at(inside ? i : first);
      take(x, inside, searched.contains(x, inside));
    }
  }
  template <typename A, typename B, typename Take>
  MATCHA_MEMBER void look_up_ascending(const A& a, const B& b, Take take) const {
    if constexpr (Group::kWidth != 1 && kSearch == kMergingSearch && can_merge<B>) {
      if (b.size != 0 && b.size / kMergeRatio < a.size) return merge_in_step(group_, a, b, take);
    }
    if constexpr (Group::kWidth != 1 && kMovedRows && can_merge<B>) {
      if (is_far(b) && b.size != 0 && b.size / kFarWalk <= a.size) {
        fetch_if_far(group_, b);
        return merge_in_step(group_, a, b, take);
      }
    }
    look_up(a, b, take);
  }

  /// The lane's share: its items of `a` that are in `b`.
  template <typename A, typename B>
  MATCHA_MEMBER i64 search_count(const A& a, const B& b) const {
    if constexpr (Group::kWidth != 1 && kSearch != kPlainSearch) {
      i64 count = 0;
      look_up(a, b, [&](ItemOf<A>, bool inside, bool found) { count += inside && found ? 1 : 0; });
      return count;
    } else {
      return i64(lane_members(group_, a, b));
    }
  }

  template <typename A, typename B>
  MATCHA_MEMBER static i64 merge_count(const A& a, const B& b) {
    SizeOf<A> i = 0;
    SizeOf<B> j = 0;
    i64 count = 0;
    while (i < a.size && j < b.size) {
      auto x = a.at(i);
      auto y = b.at(j);
      count += x == y;
      i += x <= y;
      j += y <= x;
    }
    return count;
  }

 protected:
  Group group_;
};

}  // namespace matcha_program
