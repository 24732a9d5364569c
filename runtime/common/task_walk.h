// How a worker gets its tasks and splits them: fresh chunks of the outermost loop, a queue of tasks offloaded by
// stragglers (T-DFS, section III), and tasks stolen by idle workers. A piece of work is *live* from its creation until
// it is done; workers return when none is live.
#pragma once

#include "runtime/common/kernel_stealing.h"

namespace matcha_program {

/// A worker reports its progress when it is idle, or after this many ticks: all workers write the same words.
inline constexpr i64 kFlushTicks = 100'000;
/// A worker with several long lists to count checks for idle workers after this many ticks.
inline constexpr u64 kLookTicks = 30'000;
/// A task of fewer ticks costs about as much as getting one.
inline constexpr u64 kAtOnceTicks = 30'000;
/// The first pause of an idle worker in nanoseconds. Each pause is twice the last, so that busy workers are not
/// disturbed.
inline constexpr u32 kShortestPause = 1600;
inline constexpr u32 kLongestPause = 6400;

template <typename Group>
class TaskWalk {
 public:
  MATCHA_MEMBER TaskWalk(const Launch& launch, Group group, u64 index, TaskState& state)
      : launch_(launch), group_(group), index_(index), state_(state), half_(launch, group, index) {
    if (!group.leads()) return;
    state = TaskState{};
    state.tile.limit = kNoEnd;
  }

  /// Runs `walk_task(task)` until nothing is live: first fresh chunks, or `tiles` if the region may be divided into
  /// them, then offloaded tasks (T-DFS, Algorithm 4).
  template <bool tiles, typename F>
  MATCHA_MEMBER void run(F walk_task) {
    u32 pause = kShortestPause;
    while (!left_) {
      if (!next<tiles>()) {
        flush_counters();
        if (!wait_for_work(pause)) return;
        continue;
      }
      bool more = !tiles || state_.task.depth != kTileDepth || next_of_tile<true>();
      while (more && !left_) {
        walk_task(state_.task);
        more = tiles && next_of_tile<false>();
      }
      if (left_) break;  // Its work stays live, so that the run is not mistaken for a complete one.
      pause = kShortestPause;
      bool tell = false;
      if (group_.leads()) {
        state_.pending += state_.weight;
        tell = i64(state_.started - state_.flushed) >= kFlushTicks;
      }
      if (!agreed(tell)) continue;
      flush_counters();
      left_ = stopped();
    }
    flush_counters();
  }

  MATCHA_MEMBER bool stopped() const { return read_together(group_, &launch_.shared->stop) != 0; }

  /// The positions of the loop at `level`, whose lists have `size` items.
  template <typename Size>
  MATCHA_MEMBER Walk<Size> walk(const Task& task, u32 level, Size size) const {
    if (level < task.depth) {
      const Size at = Size(level == 0 ? task.at[0] : task.at[1]);
      return {at, at + 1};
    }
    if (level > task.depth) return {0, level == 1 ? Size(smaller(state_.tile.limit, u64(size))) : size};
    return {Size(task.begin), Size(smaller(task.end, u64(size)))};
  }

  /// Before position `at` of the loop at `level` below the positions at0, at1. True: leave the loop, because of an
  /// error or because the rest, `at` included, was offloaded. Polls when `tau` has passed.
  template <typename Size>
  MATCHA_MEMBER bool leave(const Task& task, u32 level, Walk<Size>& walk, u64 at0, u64 at1, Size at) {
    return leave_here<true>(task, level, walk, at0, at1, at);
  }
  /// The same if lanes take positions, `at` and some after it. Half stealing, which takes single positions of a running
  /// loop, skips such a loop.
  template <typename Size>
  MATCHA_MEMBER bool leave_lanes(const Task& task, u32 level, Walk<Size>& walk, u64 at0, u64 at1, Size at) {
    return leave_here<false>(task, level, walk, at0, at1, at);
  }

  /// If other workers are idle: queues the position of each lane of `lanes` (`from` plus the lane) of a loop at `level`
  /// as a task, while there is room. Returns the mask of lanes whose work was offloaded.
  MATCHA_MEMBER u32 offload_each(const Task& task, u32 level, u64 at0, u64 at1, u64 from, u32 lanes) {
    if (stealing_of(launch_) != kTimeout || level < task.depth || level >= launch_.split) return 0;
    if (!launch_.eager && !passed(state_.looked, kLookTicks)) return 0;
    if (group_.leads()) state_.looked = Group::now();
    const u32 offloaded = offload_lanes(launch_, group_, level, at0, at1, from, lanes);
    if (level == 0 && group_.leads()) state_.finished -= Group::bits(offloaded);  // Counted with the kept ones.
    return offloaded;
  }

  /// Before an iteration of a loop in which no task begins: true if the run should stop, which ends the task.
  MATCHA_MEMBER bool must_stop() {
    left_ = left_ || stopped();
    return left_;
  }

  /// Counts `count` positions of the outermost loop as done, unless a loop below was left because the run should stop.
  MATCHA_MEMBER void finish_positions(const Task& task, u64 count) {
    if (group_.leads() && task.depth == 0 && !left_) state_.finished += count;
  }

 private:
  template <bool shown, typename Size>
  MATCHA_MEMBER bool leave_here(const Task& task, u32 level, Walk<Size>& walk, u64 at0, u64 at1, Size at) {
    if (level == 0 && launch_.tau == 0 && must_stop()) return true;  // Otherwise polling handles it.
    // The first position is always processed, so that every task makes progress. The start of a task is in the state,
    // not in a register.
    const bool first = at == (level > task.depth ? 0 : Size(task.begin));
    if (shown && stealing_of(launch_) == kHalf && level >= task.depth && level < launch_.split) {
      if (first) half_.show(level, walk.begin, walk.end, at0, at1);
      if (!first && !half_.begin_next(level)) return true;
    }
    if (first && level > task.depth && give_away(launch_, group_, index_, level, at0, at1, walk)) return true;
    if (level < task.depth || first || launch_.tau == 0) return false;
    if (!passed(state_.started, launch_.tau)) return false;
    const PollResult polled = poll(launch_, group_, index_, level, at0, at1, at, walk.end);
    if (group_.leads()) state_.started = polled.since;
    left_ = left_ || polled.stop;
    walk.end = Size(polled.end);
    return left_ || walk.end == at;
  }

  /// The first lane's value.
  MATCHA_MEMBER bool agreed(bool said) const { return (group_.ballot(said) & 1) != 0; }
  /// True if `ticks` have passed since a time in the state.
  MATCHA_MEMBER bool passed(const u64& time, u64 ticks) const {
    return agreed(group_.leads() && Group::now() - time >= ticks);
  }

  /// Puts the next piece of work into the state; false if there is none now. Fresh work comes first: it costs one read
  /// of a word that all workers write, and no worker offloads before it is gone.
  template <bool tiles>
  MATCHA_MEMBER bool next() {
    group_.sync();  // All lanes have read the previous task.
    u64 weight = 0;
    if (group_.leads()) {
      weight = fresh<tiles>(state_.task);
      state_.started = Group::now();
      if (weight == 0 && stealing_of(launch_) == kKernel && take_given(state_)) weight = 1;
      if (weight == 0 && launch_.queue.pop(state_.task)) {
        weight = 1;
        if (stealing_of(launch_) == kTimeout) state_.started = shortened_deadline<Group>(launch_);
      }
      if (weight == 0 && stealing_of(launch_) == kHalf) weight = steal(state_.task);
    }
    if (group_.leads()) state_.weight = weight;
    const bool found = agreed(weight != 0);
    group_.sync();
    return found;
  }

  /// The next task of the current tiles; `opens`: the first one. False: all tiles are done.
  template <bool opens>
  MATCHA_MEMBER bool next_of_tile() {
    group_.sync();
    bool more = false;
    if (group_.leads()) {
      more = opens ? state_.tile.open(launch_.deal, state_.task, state_.task)
                   : state_.tile.next(launch_.deal, state_.task);
    }
    more = agreed(more);
    group_.sync();
    return more;
  }

  /// The number of tiles to take when `taken` are gone: twice the last number if those were done quickly, so that
  /// workers do not wait for the shared word; half if not, so that no worker is left with many long ones.
  MATCHA_MEMBER u64 share(u64 taken) {
    const u64 now = Group::now();
    const bool at_once = now - state_.begun < kAtOnceTicks;
    state_.begun = now;
    state_.share = at_once ? smaller(2 * state_.share, launch_.deal.grab) : larger(state_.share / 2, 1ull);
    return smaller(state_.share, launch_.deal.share(taken));
  }

  /// Takes the next chunk, or tiles; 0 when all are taken.
  template <bool may_tile>
  MATCHA_MEMBER u64 fresh(Task& task) {
    if (state_.taken == kAllTaken) return 0;
    const bool tiles = may_tile && launch_.deal.tile != 0;
    const u64 all = tiles ? launch_.deal.tiles : launch_.positions;
    const u64 count = !tiles                       ? launch_.chunk
                      : launch_.other_devices != 0 ? launch_.deal.grab
                                                   : share(smaller(state_.taken, all));
    state_.taken = atomic_add(&launch_.shared->next, count);
    const u64 begin = tiles ? dealt_tile(launch_, state_.taken) : dealt_position(launch_, state_.taken);
    if (begin >= all) {
      state_.taken = kAllTaken;
      return 0;
    }
    const u64 end = smaller(begin + count, all);
    task = Task{tiles ? kTileDepth : 0, {0, 0}, begin, end};
    return end - begin;
  }

  /// Returns 1 after a steal; otherwise requests work from other blocks.
  MATCHA_MEMBER u64 steal(Task& task) const {
    if (launch_.split == 0) return 0;
    if (half_.steal(task)) return 1;
    half_.ask();
    return 0;
  }

  /// Waits until there may be work again. False: nothing is live any more, the run should stop, or no worker can
  /// offload. Idle workers poll one word, rarely: polling by thousands slows busy workers. `pause`: the waiting time.
  MATCHA_MEMBER bool wait_for_work(u32& pause) {
    if (launch_.split == 0 || stealing_of(launch_) == kKernel) return false;
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

  /// Adds this worker's progress since the last flush to the shared counters: once for many tasks, since all workers
  /// write the same two words.
  MATCHA_MEMBER void flush_counters() {
    if (!group_.leads() || (state_.pending == 0 && state_.finished == 0)) return;
    if (state_.finished != 0) atomic_add(&launch_.shared->positions_done, state_.finished);
    fence();  // The tasks created from the finished ones are live by now.
    if (state_.pending != 0 && atomic_add(&launch_.shared->live, ~state_.pending + 1) == state_.pending)
      launch_.queue.end();
    state_.finished = 0;
    state_.pending = 0;
    state_.flushed = state_.started;
  }

 protected:
  const Launch& launch_;
  Group group_;

 private:
  u64 index_;
  TaskState& state_;
  HalfStealing<Group> half_;
  bool left_ = false;  ///< A task was left unfinished.
};

}  // namespace matcha_program
