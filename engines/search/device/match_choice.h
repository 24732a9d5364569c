// Chooses the vertex that a group matches next.
#pragma once

#include "engines/search/device/match_lists.h"

namespace matcha_program {

template <typename Group>
class MatchChoice {
  using Lists = MatchLists<Group>;

 public:
  /// `order`: a MatchOrder.
  MATCHA_MEMBER MatchChoice(Group group, const Lists& lists, const MatchState& state, const MatchQuery& query,
                            u32 order)
      : group_(group), lists_(lists), state_(state), query_(query), order_(order) {}

  /// The vertex to match next; none when the remaining ones are independent.
  MATCHA_MEMBER u32 choose() const {
    Cost best{~0u, 0, kNoVertex};
    const u64 left = lists_.left();
    for (u32 w = group_.lane; w < query_.size; w += Group::kWidth) {
      const u64 open = lists_.around(w) & left;
      if (((left & lists_.listed()) >> w & 1) == 0 || open == 0) continue;
      const Cost one = cost(w, Lists::bits_of(open));
      if (one < best) best = one;
    }
    for (u32 step = Group::kWidth / 2; step > 0; step /= 2) {
      const u32 lane = group_.lane ^ step;
      const Cost other{group_.from(best.above, lane), group_.from(best.below, lane), group_.from(best.vertex, lane)};
      if (other < best) best = other;
    }
    return best.vertex;
  }

 private:
  /// The cost of choosing a vertex, as a fraction.
  struct Cost {
    u64 above, below;
    u32 vertex;
    MATCHA_MEMBER bool operator<(const Cost& other) const {
      const u64 here = above * other.below, there = other.above * below;
      return here < there || (here == there && vertex < other.vertex);
    }
  };
  MATCHA_MEMBER Cost cost(u32 w, u64 open) const {
    constexpr u64 kBound = 1u << 12, kMost = 1u << 24;
    const u64 size = lists_.list(w).size, weight = state_.weights[w];
    if (size == 1) return {0, 1, w};
    switch (order_) {
      case kMatchFewestOpen: return {size, open * weight, w};
      case kMatchFewestDegree: return {size, weight * Lists::bits_of(lists_.around(w)), w};
      case kMatchMostBound: return {kMost - kBound * Lists::bits_of(query_.near[w] & lists_.assigned()) - open, 1, w};
      case kMatchPlain: return {size, open, w};
      default: return {size, weight, w};
    }
  }

  Group group_;
  const Lists& lists_;
  const MatchState& state_;
  const MatchQuery& query_;
  u32 order_;
};

}  // namespace matcha_program
