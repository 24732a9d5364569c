// How groups share the work of a launch: units, of which each group claims some at a time, and tasks, parts of units
// that busy groups give away. Used for deltas and for labelled patterns.
#pragma once

#include "runtime/common/atomics.h"
#include "runtime/common/group.h"

namespace matcha_program {

/// Words shared by all groups, on separate cache lines if many write them; zeros at the start, except `live`.
struct UnitShared {
  alignas(128) u64 next;    ///< The first unclaimed unit.
  alignas(128) u64 live;    ///< Unfinished units and tasks. No group returns before it is 0.
  alignas(128) u64 pushed;  ///< Tasks so far.
  alignas(128) u64 popped;  ///< Tasks claimed so far.
  alignas(128) u64 idle;    ///< Groups that wait for a task.
  alignas(128) u64 stop;    ///< Not 0: return soon.
  u64 refused;              ///< Not 0: a number is too large, so the host must count.
};

/// `Launch` has `shared`, `tasks` with `part` and `ready`, a ring of `task_capacity` of them, with all `ready` 0 at
/// first, its `number`, `chunk` (units that a group claims at a time), and `stop_word`.
template <typename Group, typename Launch>
class UnitTasks {
 public:
  MATCHA_MEMBER UnitTasks(const Launch& launch, Group group) : launch_(launch), group_(group) {}

  /// Claims `launch.chunk` units and returns the first; after the last one none is left.
  MATCHA_MEMBER u64 next_units() const {
    return group_.broadcast(group_.leads() ? atomic_add(&launch_.shared->next, launch_.chunk) : 0);
  }
  /// Counts `units` units or tasks as done, with their results written.
  MATCHA_MEMBER void finish(u64 units) const {
    group_.sync();
    if (group_.leads()) atomic_add(&launch_.shared->live, 0 - units);
  }

  /// False: the launch should end. Reads of the host's word are slow, so only one call in many reads it.
  MATCHA_MEMBER bool poll() {
    u64 stop = 0;
    if (group_.leads()) {
      stop = atomic_read(&launch_.shared->stop);
      if (stop == 0 && ++polls_ % kUnitsBetweenStopChecks == 0 && atomic_read(launch_.stop_word) != 0) {
        atomic_exchange(&launch_.shared->stop, 1);
        stop = 1;
      }
    }
    return group_.broadcast(stop) == 0;
  }

  /// The same without reading the host's word, for the many idle groups.
  MATCHA_MEMBER bool goes_on() const {
    return group_.broadcast(group_.leads() ? atomic_read(&launch_.shared->stop) : 0) == 0;
  }

  /// Waits for a task, and calls `read` with its place, which is reused afterwards. False: there will be none.
  template <typename Read>
  MATCHA_MEMBER bool take(Read read) {
    UnitShared& shared = *launch_.shared;
    const u64 idle = group_.broadcast(group_.leads() ? atomic_add(&shared.idle, 1) : 0);
    // The more groups wait, the longer each sleeps, so that polling does not slow busy groups.
    constexpr u64 kNapOfEach = 8, kShortNap = 100, kMiddleNap = 500, kLongNap = 32000;
    const u32 longest = u32(smaller(larger(idle * kNapOfEach, kMiddleNap), kLongNap));
    u32 nanoseconds = kShortNap;
    for (;;) {
      if (!goes_on()) return false;
      u64 found = 0;  // 2 + a task's place; 1: there will be none.
      if (group_.leads()) {
        const u64 popped = atomic_read(&shared.popped);
        if (popped < atomic_read(&shared.pushed)) {
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
      const u64 ticket = found - 2;
      auto& task = launch_.tasks[ticket % launch_.task_capacity];
      if (group_.leads()) {
        while (atomic_read_first(&task.ready) != mark(ticket)) nap(kShortNap);
        atomic_add(&shared.idle, ~0ull);
      }
      group_.sync();
      const auto& part = task.part;
      read(part);
      group_.sync();
      if (group_.leads()) publish(&task.ready, mark(ticket) + 1);
      return true;
    }
  }

  /// Offers a task to other groups; the first lane writes the part by `fill`. False: there is no room.
  template <typename Fill>
  MATCHA_MEMBER bool push(Fill fill) {
    u64 pushed = 0;
    if (group_.leads()) {
      UnitShared& shared = *launch_.shared;
      const u64 ticket = atomic_read(&shared.pushed);
      // The previous user of the place has received its ticket.
      const bool has_room = ticket < atomic_read(&shared.popped) + launch_.task_capacity;
      if (has_room && atomic_exchange_if(&shared.pushed, ticket, ticket + 1) == ticket) {
        atomic_add(&shared.live, 1);
        auto& task = launch_.tasks[ticket % launch_.task_capacity];
        const u64 before = ticket < launch_.task_capacity ? 0 : mark(ticket - launch_.task_capacity) + 1;
        while (before != 0 && atomic_read_first(&task.ready) != before) nap();
        fill(task.part);
        publish(&task.ready, mark(ticket));
        pushed = 1;
      }
    }
    return group_.broadcast(pushed) != 0;
  }
  /// True if a group could begin other work: a unit or a task.
  MATCHA_MEMBER bool more_waits() const {
    u64 more = 0;
    if (group_.leads()) {
      const UnitShared& shared = *launch_.shared;
      more = atomic_read(&shared.next) < launch_.unit_count || atomic_read(&shared.popped) < atomic_read(&shared.pushed)
                 ? 1
                 : 0;
    }
    return group_.broadcast(more) != 0;
  }
  /// True if idle groups outnumber waiting tasks.
  MATCHA_MEMBER bool is_wanted() const {
    u64 waits = 0;
    if (group_.leads()) {
      const UnitShared& shared = *launch_.shared;
      const u64 popped = atomic_read(&shared.popped), waiting = atomic_read(&shared.pushed);
      waits = atomic_read(&shared.idle) > (waiting > popped ? waiting - popped : 0) ? 1 : 0;
    }
    return group_.broadcast(waits) != 0;
  }
  /// Ends the launch. Returns false.
  MATCHA_MEMBER bool stop() const {
    if (group_.leads()) atomic_exchange(&launch_.shared->stop, 1);
    return false;
  }
  /// The same, and its results are not used.
  MATCHA_MEMBER void refuse() const {
    if (group_.leads()) atomic_exchange(&launch_.shared->refused, 1);
    stop();
  }

 private:
  static constexpr u32 kUnitsBetweenStopChecks = 16;

  /// The mark at a task's place once its part is written; one more: it was read. Marks of other launches differ.
  MATCHA_MEMBER u64 mark(u64 ticket) const {
    constexpr u32 kTicketBits = 36;
    return launch_.number << kTicketBits | (2 * ticket + 1);
  }

  const Launch& launch_;
  Group group_;
  u32 polls_ = 0;
};

}  // namespace matcha_program
