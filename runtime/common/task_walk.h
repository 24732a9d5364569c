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

/// What a worker keeps about its tasks, which loops seldom ask for. Registers are what they are short of, so a group
/// has one, in memory that its lanes share; the first lane alone writes it.
struct TaskBook {
  Task task;  ///< Which the worker walks.
  TileWalk tile;
  u64 taken;     ///< Of what is fresh, by all workers, when this one last took some; or kAllTaken.
  u64 started;   ///< From when `tau` counts.
  u64 looked;    ///< When `hand_on_each` last did.
  u64 finished;  ///< Outermost positions that are done and not yet told.
  u64 told;      ///< When it was told.
  u64 owed;      ///< What of `live` is done and not yet told.
};

template <typename Group>
class TaskWalk {
 public:
  MATCHA_MEMBER TaskWalk(const Launch& launch, Group group, u64 index, TaskBook& book)
      : launch_(launch), group_(group), index_(index), book_(book), half_(launch, group, index) {
    if (!group.leads()) return;
    book = TaskBook{};
    book.tile.limit = kNoEnd;
  }

  /// Runs `walk_task(task)` until nothing is live: first fresh chunks, or `tiles` if the region may be dealt out in
  /// them, then what was handed on (T-DFS, Algorithm 4).
  template <bool tiles, typename F>
  MATCHA_MEMBER void run(F walk_task) {
    u32 pause = kShortestPause;
    while (!left_) {
      const u64 weight = next<tiles>();
      if (weight == 0) {
        settle();
        if (!wait_for_work(pause)) return;
        continue;
      }
      bool more = !tiles || book_.task.depth != kTileDepth || next_of_tile<true>();
      while (more && !left_) {
        walk_task(book_.task);
        more = tiles && next_of_tile<false>();
      }
      if (left_) break;  // What it left stays live, so nobody takes the run for a whole one.
      pause = kShortestPause;
      bool tell = false;
      if (group_.leads()) {
        book_.owed += weight;
        tell = i64(book_.started - book_.told) >= kTellTicks;
      }
      if (group_.broadcast(tell) == 0) continue;
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
    if (level > task.depth) return {0, level == 1 ? smaller(book_.tile.limit, size) : size};
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
    if (!launch_.eager && ticks_since(book_.looked) < kLookTicks) return 0;
    if (group_.leads()) book_.looked = Group::now();
    const u32 gone = hand_on_lanes(launch_, group_, level, at0, at1, from, lanes);
    if (level == 0 && group_.leads()) book_.finished -= Group::bits(gone);  // Counted with those that it keeps.
    return gone;
  }

  /// So many positions of the outermost loop are done, unless a loop below was left because the run is to stop.
  MATCHA_MEMBER void finish_positions(const Task& task, u64 count) {
    if (group_.leads() && task.depth == 0 && !left_) book_.finished += count;
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
    if (ticks_since(book_.started) < launch_.tau) return false;
    const Seen seen = look_around(launch_, group_, index_, level, at0, at1, at, walk.end);
    if (group_.leads()) book_.started = seen.since;
    left_ = left_ || seen.stop;
    walk.end = seen.end;
    return left_ || walk.end == at;
  }

  /// Whether the run is to stop, which then ends this worker's task in the middle.
  MATCHA_MEMBER bool must_stop() {
    left_ = left_ || stopped();
    return left_;
  }

  /// The first lane's ticks since a time in the book.
  MATCHA_MEMBER u64 ticks_since(const u64& time) const {
    return group_.broadcast(group_.leads() ? Group::now() - time : 0);
  }

  /// Puts the next piece of work into the book; how much of `live` it stands for, or 0 if there is none now. What is
  /// fresh comes first: it costs one look at a word that all workers write, and nobody hands anything on before it is
  /// gone.
  template <bool tiles>
  MATCHA_MEMBER u64 next() {
    group_.sync();  // All have read the task before.
    u64 weight = 0;
    if (group_.leads()) {
      weight = fresh<tiles>(book_.task);
      book_.started = Group::now();
      if (weight == 0 && launch_.queue.pop(book_.task)) {
        weight = 1;
        if (stealing_of(launch_) == kTimeout) book_.started = hurried<Group>(launch_);
      }
      if (weight == 0 && stealing_of(launch_) == kHalf) weight = steal(book_.task);
    }
    weight = group_.broadcast(weight);
    group_.sync();
    return weight;
  }

  /// The same of the tiles that the task stands for, when they are opened or then. False: all of them are done.
  template <bool opens>
  MATCHA_MEMBER bool next_of_tile() {
    group_.sync();
    bool more = false;
    if (group_.leads()) {
      more = opens ? book_.tile.open(launch_.deal, book_.task, book_.task) : book_.tile.next(launch_.deal, book_.task);
    }
    more = group_.broadcast(more) != 0;
    group_.sync();
    return more;
  }

  /// The next chunk, or tiles; 0 when all are taken.
  template <bool may_tile>
  MATCHA_MEMBER u64 fresh(Task& task) {
    if (book_.taken == kAllTaken) return 0;
    const bool tiles = may_tile && launch_.deal.tile != 0;
    const u64 all = tiles ? launch_.deal.tiles : launch_.positions;
    const u64 count = !tiles                       ? launch_.chunk
                      : launch_.other_devices != 0 ? launch_.deal.grab
                                                   : launch_.deal.share(smaller(book_.taken, all), launch_.workers);
    book_.taken = atomic_add(&launch_.shared->next, count);
    const u64 begin = tiles ? dealt_tile(launch_, book_.taken) : dealt(launch_, book_.taken, count);
    if (begin >= all) {
      book_.taken = kAllTaken;
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
  /// for those too: so it is one word, and seldom. `pause`: how long it waits.
  MATCHA_MEMBER bool wait_for_work(u32& pause) {
    if (launch_.split == 0) return false;
    while (true) {
      nap(pause);
      const bool longest = pause == kLongestPause;
      pause = smaller(2 * pause, kLongestPause);
      const u64 ready = read_together(group_, &launch_.shared->queue_ready);
      if (is_over(ready)) return false;
      if (longest && (stopped() || read_together(group_, &launch_.shared->live) == 0)) return false;
      if (i64(ready) > 0 || stealing_of(launch_) == kHalf) return true;
    }
  }

  /// Tells the others what this worker has done since it last did: once for many tasks, since all workers write the
  /// same two words.
  MATCHA_MEMBER void settle() {
    if (!group_.leads()) return;
    if (book_.finished != 0) atomic_add(&launch_.shared->positions_done, book_.finished);
    fence();  // What came of the tasks is live by now.
    if (book_.owed != 0 && atomic_add(&launch_.shared->live, ~book_.owed + 1) == book_.owed) launch_.queue.end();
    book_.finished = 0;
    book_.owed = 0;
    book_.told = book_.started;
  }

 protected:
  const Launch& launch_;
  Group group_;

 private:
  u64 index_;
  TaskBook& book_;
  HalfStealing<Group> half_;
  bool left_ = false;  ///< A task was left in the middle.
};

}  // namespace matcha_program
