// Counts the matches of a group when the remaining vertices are independent, and sums them.
#pragma once

#include "engines/search/device/match_lists.h"

namespace matcha_program {

/// The part of MatchWorker that counts.
template <typename Group>
class MatchCounter {
 protected:
  using Lists = MatchLists<Group>;

  MATCHA_MEMBER MatchCounter(const MatchLaunch& launch, u64 index, MatchState& state)
      : launch_(launch),
        group_(Group::here()),
        state_(state),
        tasks_(launch, group_),
        lists_(launch, group_, index, state) {}

  MATCHA_MEMBER const MatchQuery& query() const { return launch_.queries[query_]; }
  MATCHA_MEMBER MatchSum& sum() const { return launch_.sums[query_]; }
  /// Barriers on both sides: all lanes have read the old value, and none reads before the write.
  MATCHA_MEMBER void put(u32& word, u32 value) const {
    group_.sync();
    if (group_.leads()) word = value;
    group_.sync();
  }

  /// Sets the range [first, last) of images of the vertex to try next.
  MATCHA_MEMBER void enter(u32 depth, u32 u, u32 first, u32 last) const {
    group_.sync();
    const u32 size = lists_.list(u).size;
    if (group_.leads()) {
      state_.vertices[depth] = u;
      state_.at[depth] = smaller(first, size);
      state_.end[depth] = smaller(last, size);
      state_.blame[depth] = lists_.blamed(u);
    }
    group_.sync();
  }
  /// The remaining vertices have lists and are independent except that images differ. Vertices that may share images
  /// are counted together, others multiplied. `failed`: the vertices that caused a failure. False: the launch should
  /// end.
  MATCHA_MEMBER bool finish(u32 depth, u64& failed) {
    MatchWays all{1, 1};
    failed = kBlameAll;
    for (u64 rest = lists_.left(); rest != 0;) {
      const u64 group = rest & query().alike[lowest_bit(rest)];
      rest &= ~group;
      MatchWays ways{0, 0};
      if (!ways_of(group, depth + 1, ways)) return false;
      if (ways.bound == 0) {
        failed = 0;
        for (u64 each = group; each != 0; each &= each - 1) {
          const u32 w = lowest_bit(each);
          failed |= lists_.blamed(w) | (query().alike[w] & lists_.assigned());
        }
        return true;
      }
      all.number *= ways.number;
      all.bound = product(all.bound, ways.bound);
    }
    add(all);
    return true;
  }

  /// The number of ways in which the vertices of `group` get distinct, unused images: images of one vertex after the
  /// other are tried until a formula gives the rest. `depth`: from here on the state's entries are free. False: the
  /// launch should end.
  MATCHA_MEMBER bool ways_of(u64 group, u32 depth, MatchWays& ways) {
    const u32 first = depth;
    u32 tried = 0;
    bool descends = true;
    for (;;) {
      if (descends) {
        bool is_known = false;
        const MatchWays some = lists_.ways_at_once(group, is_known);
        if (is_known) {
          ways.number += some.number;
          ways.bound += some.bound;
          descends = false;
        } else {
          u32 u = lowest_bit(group);
          for (u64 rest = group; rest != 0; rest &= rest - 1) {
            const u32 w = lowest_bit(rest);
            if (lists_.list(w).size < lists_.list(u).size) u = w;
          }
          enter(depth++, u, 0, ~0u);
          group &= ~match_bit(u);
        }
      }
      if (depth == first) return true;
      const u32 u = state_.vertices[depth - 1], at = state_.at[depth - 1];
      if (!descends) lists_.give_back(u);
      descends = false;
      if (at >= state_.end[depth - 1]) {
        group |= match_bit(u);
        --depth;
        continue;
      }
      ++here_;
      if (++tried >= launch_.tried) {
        tried = 0;
        if (!tasks_.poll()) return false;
      }
      const u32 image = lists_.list(u).items[at];
      put(state_.at[depth - 1], at + 1);
      if (lists_.owner(image) != 0) continue;
      lists_.take(u, image);
      descends = true;
    }
  }

  MATCHA_MEMBER void add(const MatchWays& ways) {
    const u64 most = query().most;
    if (ways.bound > kMostWays && most == 0) {
      if (group_.leads()) {
        atomic_exchange(&sum().refused, 1);
        atomic_exchange(&sum().done, 1);
      }
      return;
    }
    sum_.number += ways.bound > kMostWays ? u128(most) : ways.number;
    sum_.bound += ways.bound > kMostWays ? f64(most) : ways.bound;
    if (sum_.bound > kMostWays || (most != 0 && sum_.number >= most)) flush();
  }
  /// Adds the count to the sum of the pattern and updates whether it is enough.
  MATCHA_MEMBER void flush() {
    const u64 most = query().most;
    if (most != 0 && sum_.number > most) sum_.number = most;
    if (group_.leads() && (sum_.number != 0 || here_ != 0)) {
      const u128 reached = atomic_add_wide(&sum().low, &sum().high, sum_.number);
      if (most != 0 && reached >= most) atomic_exchange(&sum().done, 1);
      atomic_add(&sum().tried, here_ - reported_);
    }
    reported_ = here_;
    sum_ = {0, 0};
  }

  const MatchLaunch& launch_;
  Group group_;
  MatchState& state_;
  UnitTasks<Group, MatchLaunch> tasks_;
  Lists lists_;
  u32 query_ = ~0u;
  u64 here_ = 0;  ///< Images tried in this part; `reported_` of them are reported.
  u64 reported_ = 0;
  MatchWays sum_{0, 0};
};

}  // namespace matcha_program
