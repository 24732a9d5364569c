// How a group matches labelled patterns: the search of engines/search/search.h, without recursion. Parts of long
// searches are given to idle groups, and long-running parts are queued after all work that has not begun. Sums are
// exact, or marked `refused`.
#pragma once

#include "engines/search/device/match_choice.h"
#include "engines/search/device/match_count.h"

namespace matcha_program {

template <typename Group>
class MatchWorker : MatchCounter<Group> {
 public:
  MATCHA_MEMBER MatchWorker(const MatchLaunch& launch, u64 index, MatchState& state)
      : MatchCounter<Group>(launch, index, state), index_(index) {}

  /// Runs until all units and tasks of the launch are finished, or it should stop.
  MATCHA_MEMBER void work() {
    bool fresh = true;  // There are unclaimed units.
    for (;;) {
      u64 unit = 0;
      if (fresh) {
        unit = tasks_.next_units();
        fresh = unit < launch_.unit_count;
        if (!tasks_.poll()) return;
      }
      if (fresh) {
        begin_unit(unit);
      } else {
        const auto read = [this](const volatile MatchPart& part) { begin_part(part); };
        if (!tasks_.take(read)) return;
      }
      const bool goes_on = is_done() || search();
      flush();
      if (!goes_on) return;
      if (group_.leads()) atomic_add(&sum().left, ~0ull);
      tasks_.finish(1);
    }
  }

 private:
  using Base = MatchCounter<Group>;
  using Base::enter, Base::finish, Base::flush, Base::put, Base::query, Base::sum;
  using Base::group_, Base::here_, Base::launch_, Base::lists_, Base::query_, Base::state_, Base::sum_, Base::tasks_,
      Base::reported_;

  MATCHA_MEMBER void begin(u32 query) {
    if (query != query_) lists_.forget();
    query_ = query;
    lists_.begin(this->query());
    // Groups that search a limited number of matches use different orders: one of them may find matches early.
    order_ = this->query().most != 0 ? u32(index_ % kMatchOrders) : u32(kMatchFewest);
    given_ = 0;
    here_ = reported_ = 0;
    sum_ = {0, 0};
  }
  MATCHA_MEMBER void begin_unit(u64 unit) {
    u64 low = 0, high = launch_.query_count;  // The last pattern that begins at or before the unit.
    while (high - low > 1) {
      const u64 middle = (low + high) / 2;
      if (launch_.queries[middle].first_unit <= unit) {
        low = middle;
      } else {
        high = middle;
      }
    }
    begin(u32(low));
    const u32 at = u32(unit - query().first_unit);
    base_ = 0;
    enter(0, query().root, at, at + 1);
  }
  /// Assigns the images of the offloaded part. None of them fails, in any order: the remaining lists are the same.
  MATCHA_MEMBER void begin_part(const volatile MatchPart& part) {
    begin(part.query);
    base_ = part.depth;
    for (u32 depth = 0; depth < base_; ++depth) {
      const u32 u = part.vertices[depth];
      put(state_.vertices[depth], u);
      lists_.assign(depth, u, part.images[depth]);
    }
    enter(base_, part.vertices[base_], part.first, part.last);
  }

  MATCHA_MEMBER void blame(u32 depth, u64 vertices) const {
    group_.sync();
    if (group_.leads()) state_.blame[depth] |= vertices;
    group_.sync();
  }

  /// True if other groups have found enough.
  MATCHA_MEMBER bool is_done() const { return group_.broadcast(group_.leads() ? atomic_read(&sum().done) : 0) != 0; }

  /// Searches the current part; false: the launch should end.
  MATCHA_MEMBER bool search() {
    u32 depth = base_, tried = 0;
    for (;;) {
      const u32 at = state_.at[depth];
      if (at >= state_.end[depth]) {
        if (depth == base_) return true;
        const u64 failed = result(depth);
        --depth;
        back(depth, failed);
        continue;
      }
      ++here_;
      if (++tried >= launch_.tried) {
        tried = 0;
        if (!tasks_.poll()) return false;
        if (query().most != 0) flush();
        if (is_done()) return true;
        share(depth);
      }
      const u32 u = state_.vertices[depth];
      const u32 image = lists_.list(u).items[at];
      put(state_.at[depth], at + 1);
      const u32 owner = lists_.owner(image);
      if (owner != 0) {
        blame(depth, match_bit(owner - 1));
        continue;
      }
      u64 failed = lists_.assign(depth, u, image);
      if (failed == 0) {
        const u32 next = MatchChoice<Group>(group_, lists_, state_, query(), order_).choose();
        if (next != kNoVertex) {
          enter(++depth, next, 0, ~0u);
          continue;
        }
        if (!finish(depth, failed)) return false;
      }
      back(depth, failed);
    }
  }

  /// If groups are idle, gives away half of the rest of the first loop with enough of it. Otherwise, if this part takes
  /// long and other work has not begun, queues the whole rest after that work.
  MATCHA_MEMBER void share(u32 depth) {
    const bool half = tasks_.is_wanted();
    if (!half && (here_ < launch_.patience || !tasks_.more_waits())) return;
    for (u32 d = base_; d <= depth; ++d) {
      const u32 at = state_.at[d], end = state_.end[d], left = end - at;
      // The group keeps at least one image.
      const u32 kept = d == depth ? 1 : 0;
      const u32 given = half ? (left + 1 - kept) / 2 : left - kept;
      if (given == 0) continue;
      const auto fill = [&](MatchPart& part) {
        part.query = query_;
        part.depth = d;
        part.first = end - given;
        part.last = end;
        for (u32 i = 0; i <= d; ++i) part.vertices[i] = state_.vertices[i];
        for (u32 i = 0; i < d; ++i) part.images[i] = state_.images[state_.vertices[i]];
        atomic_add(&sum().left, 1);
      };
      if (!tasks_.push(fill)) return;
      given_ |= match_bit(d);
      put(state_.end[d], end - given);
      if (half) return;
    }
  }

  /// The vertices to blame when all images of a vertex were tried.
  MATCHA_MEMBER u64 result(u32 depth) {
    const u64 blamed = state_.blame[depth];
    const bool given = (given_ >> depth & 1) != 0;
    given_ &= ~match_bit(depth);
    return given || blamed == kBlameAll ? kBlameAll : blamed & ~match_bit(state_.vertices[depth]);
  }
  /// Backtracks from the image of a vertex; if the vertex is not to blame, its other images are skipped.
  MATCHA_MEMBER void back(u32 depth, u64 failed) {
    const u32 u = state_.vertices[depth];
    lists_.unassign(depth, u);
    const bool ends = (failed >> u & 1) == 0;
    if (group_.leads()) {
      state_.blame[depth] = ends ? failed : state_.blame[depth] | failed;
      if (ends) state_.at[depth] = state_.end[depth];
    }
    group_.sync();
  }

  u64 index_;
  u32 order_ = 0;
  u32 base_ = 0;   ///< The depth of the current part.
  u64 given_ = 0;  ///< Depths with images given away, whose failure is unknown here.
};

/// Writes masks from the host to their places, as thread `thread` of `threads`.
MATCHA_FN void place_masks(const MatchPlace* places, u64 count, u64* masks, u64 thread, u64 threads) {
  for (u64 i = thread; i < count; i += threads) masks[places[i].place] = places[i].mask;
}

}  // namespace matcha_program
