// How a worker gets its tasks and splits them: fresh chunks of the outermost loop, a queue of what stragglers handed on
// (T-DFS, section III), and what idle workers steal. A piece of work is *live* from when it exists until it is done, so
// workers leave when none is.
#pragma once

#include "runtime/common/hand_on.h"

namespace matcha_program {

/// A worker tells what it has done when it has nothing to do, or after so many ticks: all write the same words.
inline constexpr i64 kTellTicks = 100'000;
/// A worker with several long lists to count looks whether others wait for work after so many ticks.
inline constexpr u64 kLookTicks = 30'000;
inline constexpr u64 kAllTaken = ~0ull;
/// Nanoseconds that a worker without work waits; each time twice as long, so that those who work are not disturbed.
inline constexpr u32 kShortestPause = 1600;
inline constexpr u32 kLongestPause = 6400;

template <typename Group>
class TaskWalk {
 public:
  MATCHA_MEMBER TaskWalk(const Launch& launch, Group group, u64 index)
      : launch_(launch), group_(group), index_(index), half_(launch, group, index) {}

  /// Runs `walk_task(task)` until nothing is live: first fresh chunks, or `tiles` if the region may be dealt out in
  /// them, then what was handed on (T-DFS, Algorithm 4).
  template <bool tiles, typename F>
  MATCHA_MEMBER void run(F walk_task) {
    Task task;
    while (!left_) {
      u64 weight = next<tiles>(task);
      if (weight == 0) {
        settle();
        if (!wait_for_work()) return;
        continue;
      }
      pause_ = kShortestPause;
      bool more = !tiles || task.depth != kTileDepth || tile_.open(launch_.deal, task, task);
      while (more && !left_) {
        walk_task(task);
        more = tiles && tile_.next(launch_.deal, task);
      }
      if (left_) break;  // What it left stays live, so nobody takes the run for a whole one.
      owed_ += weight;
      if (i64(group_.broadcast(started_ - told_)) < kTellTicks) continue;
      settle();
      left_ = stopped();
    }
    settle();
  }

  MATCHA_MEMBER bool stopped() const { return read_together(group_, &launch_.shared->stop) != 0; }

  /// The positions of the loop at `level`, whose lists have `size` items.
  MATCHA_MEMBER Walk walk(const Task& task, u32 level, u64 size) const {
    if (level < task.depth) {
      u64 at = level == 0 ? task.at[0] : task.at[1];
      return {at, at + 1};
    }
    if (level > task.depth) return {0, level == 1 ? smaller(tile_.limit, size) : size};
    return {task.begin, smaller(task.end, size)};
  }

  /// Before position `at` of the loop at `level` below the positions at0, at1. True: leave the loop, because of an
  /// error or because others got all of the rest, `at` included. Looks around when `tau` has passed.
  MATCHA_MEMBER bool leave(const Task& task, u32 level, Walk& walk, u64 at0, u64 at1, u64 at) {
    return leave_here<true>(task, level, walk, at0, at1, at);
  }
  /// The same where lanes take positions, `at` and some behind it: half stealing, which takes single positions of a
  /// loop while it is walked, leaves such a loop alone.
  MATCHA_MEMBER bool leave_lanes(const Task& task, u32 level, Walk& walk, u64 at0, u64 at1, u64 at) {
    return leave_here<false>(task, level, walk, at0, at1, at);
  }

  /// If others wait for work: hands on the positions `from` and a lane of `lanes` of a loop at `level`, a task each, as
  /// far as there is room. Gives the lanes whose positions are somebody else's now.
  MATCHA_MEMBER u32 hand_on_each(const Task& task, u32 level, u64 at0, u64 at1, u64 from, u32 lanes) {
    if (stealing_of(launch_) != kTimeout || level < task.depth || level >= launch_.split) return 0;
    if (!launch_.eager && group_.broadcast(Group::now() - looked_) < kLookTicks) return 0;
    looked_ = Group::now();
    const u32 gone = hand_on_lanes(launch_, group_, level, at0, at1, from, lanes);
    if (level == 0) finished_ -= Group::bits(gone);  // Counted with those that the worker keeps.
    return gone;
  }

  /// So many positions of the outermost loop are done, unless a loop below was left because the run is to stop.
  MATCHA_MEMBER void finish_positions(const Task& task, u64 count) {
    if (task.depth == 0 && !left_) finished_ += count;
  }

 private:
  template <bool shown>
  MATCHA_MEMBER bool leave_here(const Task& task, u32 level, Walk& walk, u64 at0, u64 at1, u64 at) {
    if (level == 0 && launch_.tau == 0 && must_stop()) return true;  // Else looking around sees to it.
    bool first = at == walk.begin;  // Always walked, so that every task gets something done.
    bool half = stealing_of(launch_) == kHalf;
    if (shown && half && level >= task.depth && level < launch_.split) {
      if (first) half_.show(level, walk, at0, at1);
      if (!first && !half_.begin_next(level)) return true;
    }
    if (first || level < task.depth || launch_.tau == 0) return false;
    if (group_.broadcast(Group::now() - started_) < launch_.tau) return false;
    const Seen seen = look_around(launch_, group_, index_, level, at0, at1, at, walk.end);
    started_ = seen.since;
    left_ = left_ || seen.stop;
    walk.end = seen.end;
    return left_ || walk.end == at;
  }

  /// Whether the run is to stop, which then ends this worker's task in the middle.
  MATCHA_MEMBER bool must_stop() {
    left_ = left_ || stopped();
    return left_;
  }

  /// The next piece of work and how much of `live` it stands for; 0 if there is none now. What is fresh comes first: it
  /// costs one look at a word that all workers write, and nobody hands anything on before it is gone.
  template <bool tiles>
  MATCHA_MEMBER u64 next(Task& task) {
    u64 weight = 0;
    if (group_.leads()) {
      weight = fresh<tiles>(task);
      started_ = Group::now();
      if (weight == 0 && launch_.queue.pop(task)) {
        weight = 1;
        if (stealing_of(launch_) == kTimeout) started_ = hurried<Group>(launch_);
      }
      if (weight == 0 && stealing_of(launch_) == kHalf) weight = steal(task);
    }
    weight = group_.broadcast(weight);
    if (weight == 0) return 0;
    task.depth = u32(group_.broadcast(task.depth));
    task.at[0] = group_.broadcast(task.at[0]);
    task.at[1] = group_.broadcast(task.at[1]);
    task.begin = group_.broadcast(task.begin);
    task.end = group_.broadcast(task.end);
    return weight;
  }

  /// The next chunk, or tiles; 0 when all are taken.
  template <bool may_tile>
  MATCHA_MEMBER u64 fresh(Task& task) {
    if (taken_ == kAllTaken) return 0;
    const bool tiles = may_tile && launch_.deal.tile != 0;
    const u64 all = tiles ? launch_.deal.tiles : launch_.positions;
    const u64 count = !tiles                       ? launch_.chunk
                      : launch_.other_devices != 0 ? launch_.deal.grab
                                                   : launch_.deal.share(smaller(taken_, all), launch_.workers);
    taken_ = atomic_add(&launch_.shared->next, count);
    const u64 begin = tiles ? dealt_tile(launch_, taken_) : dealt(launch_, taken_, count);
    if (begin >= all) {
      taken_ = kAllTaken;
      return 0;
    }
    const u64 end = smaller(begin + count, all);
    task = Task{tiles ? kTileDepth : 0, {0, 0}, begin, end};
    return end - begin;
  }

  /// 1 when it stole; else asks other blocks.
  MATCHA_MEMBER u64 steal(Task& task) const {
    if (launch_.split == 0) return 0;
    if (half_.steal(task)) return 1;
    half_.ask();
    return 0;
  }

  /// Waits until there may be work again. False: nothing is live any more, the run is to stop, or nobody will ever hand
  /// anything on. Thousands of workers wait while the last ones work, and all look at the same word, which is then slow
  /// for those too: so it is one word, and seldom.
  MATCHA_MEMBER bool wait_for_work() {
    if (launch_.split == 0) return false;
    while (true) {
      nap(pause_);
      const bool longest = pause_ == kLongestPause;
      pause_ = smaller(2 * pause_, kLongestPause);
      const u64 ready = read_together(group_, &launch_.shared->queue_ready);
      if (is_over(ready)) return false;
      if (longest && (stopped() || read_together(group_, &launch_.shared->live) == 0)) return false;
      if (i64(ready) > 0 || stealing_of(launch_) == kHalf) return true;
    }
  }

  /// Tells the others what this worker has done since it last did: once for many tasks, since all workers write the
  /// same two words.
  MATCHA_MEMBER void settle() {
    if (group_.leads()) {
      if (finished_ != 0) atomic_add(&launch_.shared->positions_done, finished_);
      fence();  // What came of the tasks is live by now.
      if (owed_ != 0 && atomic_add(&launch_.shared->live, ~owed_ + 1) == owed_) launch_.queue.end();
    }
    finished_ = 0;
    owed_ = 0;
    told_ = started_;
  }

 protected:
  const Launch& launch_;
  Group group_;

 private:
  u64 index_;
  TileWalk tile_;
  HalfStealing<Group> half_;
  u32 pause_ = kShortestPause;
  u64 taken_ = 0;      ///< Of what is fresh, by all workers, when this one last took some; or kAllTaken.
  u64 started_ = 0;    ///< From when `tau` counts, as the first lane knows it.
  u64 looked_ = 0;     ///< When `hand_on_each` last did.
  u64 finished_ = 0;   ///< Outermost positions that are done and not yet told.
  u64 told_ = 0;       ///< When it was told.
  u64 owed_ = 0;       ///< What of `live` is done and not yet told.
  bool left_ = false;  ///< A task was left in the middle.
};

}  // namespace matcha_program
