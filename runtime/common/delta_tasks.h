// How groups that count what changed edges do share their work: units and tasks of a launch.
#pragma once

#include "runtime/common/atomics.h"
#include "runtime/common/delta_data.h"
#include "runtime/common/group.h"

namespace matcha_program {

template <typename Group>
class DeltaTasks {
 public:
  MATCHA_MEMBER DeltaTasks(const DeltaLaunch& launch, Group group) : launch_(launch), group_(group) {}

  /// The first of `launch.chunk` units that nobody else has; none is left behind the last one.
  MATCHA_MEMBER u64 next_units() const {
    return group_.broadcast(group_.leads() ? atomic_add(&launch_.shared->next, launch_.chunk) : 0);
  }
  /// So many units or tasks are done, and what they found is told.
  MATCHA_MEMBER void finish(u64 units) const {
    group_.sync();
    if (group_.leads()) atomic_add(&launch_.shared->live, 0 - units);
  }

  /// False: the launch is to end. The host's word is far away, so one look in many goes there.
  MATCHA_MEMBER bool look() {
    u64 stop = 0;
    if (group_.leads()) {
      stop = atomic_read(&launch_.shared->stop);
      if (stop == 0 && ++looks_ % kLooksBetweenWishes == 0 && atomic_read(launch_.wish) != 0) {
        atomic_exchange(&launch_.shared->stop, 1);
        stop = 1;
      }
    }
    return group_.broadcast(stop) == 0;
  }

  /// The same without a look at the host's word, for the many that wait.
  MATCHA_MEMBER bool goes_on() const {
    return group_.broadcast(group_.leads() ? atomic_read(&launch_.shared->stop) : 0) == 0;
  }

  /// Waits for a task; false: there will be none.
  MATCHA_MEMBER bool take(DeltaPart& part) {
    DeltaShared& shared = *launch_.shared;
    const u64 idle = group_.broadcast(group_.leads() ? atomic_add(&shared.idle, 1) : 0);
    // The more wait, the longer each of them sleeps, so that they do not hold up those at work by looking.
    constexpr u64 kNapOfEach = 8, kShortNap = 100, kMiddleNap = 500, kLongNap = 32000;
    const u32 longest = u32(smaller(larger(idle * kNapOfEach, kMiddleNap), kLongNap));
    u32 nanoseconds = kShortNap;
    for (;;) {
      if (!goes_on()) return false;
      u64 found = 0;  // A task's place and 2; 1: there will be none.
      if (group_.leads()) {
        const u64 popped = atomic_read(&shared.popped);
        if (popped < tasks()) {
          if (atomic_exchange_if(&shared.popped, popped, popped + 1) == popped) found = popped + 2;
        } else if (atomic_read(&shared.live) == 0) {
          found = 1;
        }
      }
      found = group_.broadcast(found);
      if (found == 1) return false;
      if (found == 0) {
        nap(nanoseconds);
        nanoseconds = smaller(2 * nanoseconds, longest);
        continue;
      }
      const DeltaTask& task = launch_.tasks[found - 2];
      if (group_.leads()) {
        while (atomic_read_first(&task.ready) != launch_.number) nap(kShortNap);
        atomic_add(&shared.idle, ~0ull);
      }
      group_.sync();
      const volatile DeltaPart& there = task.part;
      part = {there.unit, there.depth, there.place, there.first, there.last};
      return true;
    }
  }

  /// Puts a task where others find it; false: there is no room.
  MATCHA_MEMBER bool push(const DeltaPart& part) {
    u64 pushed = 0;
    if (group_.leads()) {
      DeltaShared& shared = *launch_.shared;
      const u64 at = tasks() < launch_.task_capacity ? atomic_add(&shared.pushed, 1) : launch_.task_capacity;
      if (at < launch_.task_capacity) {
        atomic_add(&shared.live, 1);
        launch_.tasks[at].part = part;
        publish(&launch_.tasks[at].ready, launch_.number);
        pushed = 1;
      }
    }
    return group_.broadcast(pushed) != 0;
  }
  /// Whether groups wait for whom no task is there.
  MATCHA_MEMBER bool is_wanted() const {
    u64 waits = 0;
    if (group_.leads()) {
      const DeltaShared& shared = *launch_.shared;
      const u64 popped = atomic_read(&shared.popped), waiting = tasks();
      waits = atomic_read(&shared.idle) > (waiting > popped ? waiting - popped : 0) ? 1 : 0;
    }
    return group_.broadcast(waits) != 0;
  }
  /// The launch ends, and its numbers are not used.
  MATCHA_MEMBER void refuse() const {
    if (!group_.leads()) return;
    atomic_exchange(&launch_.shared->refused, 1);
    atomic_exchange(&launch_.shared->stop, 1);
  }

 private:
  static constexpr u32 kLooksBetweenWishes = 16;

  MATCHA_MEMBER u64 tasks() const { return smaller(atomic_read(&launch_.shared->pushed), launch_.task_capacity); }

  const DeltaLaunch& launch_;
  Group group_;
  u32 looks_ = 0;
};

}  // namespace matcha_program
