// Polling, once in `tau`: a worker checks whether the run should stop, and whether idle workers wait for a part of its
// remaining positions (T-DFS, section III). These functions are not inlined: a region has several loops that call them.
#pragma once

#include "runtime/common/half_stealing.h"

namespace matcha_program {

/// The most tasks that remaining positions are split into.
inline constexpr u64 kPieces = 64;
/// Positions are offloaded when the queue has no more tasks than a fraction 1 / kFewTasks of the workers.
inline constexpr u64 kFewTasks = 4;

/// The first lane's view of a word that others change, so that all lanes go the same way.
template <typename Group>
MATCHA_FN u64 read_together(const Group& group, const u64* word) {
  return group.broadcast(group.leads() ? atomic_read(word) : 0);
}

/// The words of the run that a worker polls.
struct RunSnapshot {
  bool stop;         ///< The run should stop.
  bool others_wait;  ///< Idle workers wait: no fresh work is left, and the queue has few tasks.
};
/// Each word is read by another lane, so that the latencies overlap.
template <typename Group>
MATCHA_FN RunSnapshot read_run_state(const Launch& launch, const Group& group) {
  const Shared& shared = *launch.shared;
  u64 stop, taken, ready;
  if constexpr (Group::kWidth >= 4) {
    const u64* word = group.lane == 0 ? &shared.stop : group.lane == 1 ? &shared.next : &shared.queue_ready;
    const u64 found = group.lane < 3 ? atomic_read(word) : 0;
    stop = group.from(found, 0);
    taken = group.from(found, 1);
    ready = group.from(found, 2);
  } else {
    stop = read_together(group, &shared.stop);
    taken = read_together(group, &shared.next);
    ready = read_together(group, &shared.queue_ready);
  }
  const bool few = tasks_in(ready) <= launch.workers / kFewTasks;
  return {stop != 0, launch.eager || (launch.queue.capacity != 0 && few && all_taken(launch, taken))};
}

/// Consecutive slots of the queue.
struct QueueSlots {
  u64 first, count;
};

/// Reserves slots for at most `count` tasks, as many as there is room for; they count as live from now on.
template <typename Group>
MATCHA_NOINLINE QueueSlots reserve_slots(const Launch& launch, Group group, u64 count) {
  u64 first = 0;
  if (group.leads()) {
    count = launch.queue.reserve(count);
    if (count != 0) {
      atomic_add(&launch.shared->live, count);
      fence();
      atomic_add(&launch.shared->splits, count);
      first = launch.queue.ticket(count);
    }
  }
  return {group.broadcast(first), group.broadcast(count)};
}

/// Puts [begin, end) into the queue in pieces, the last ones first, each lane some of them; returns the number of
/// positions that found room.
template <typename Group>
MATCHA_FN u64 offload(const Launch& launch, const Group& group, Task task, u64 begin, u64 end) {
  const u64 piece = larger<u64>((end - begin + kPieces - 1) / kPieces, 1);
  const QueueSlots places = reserve_slots(launch, group, (end - begin + piece - 1) / piece);
  if (places.count == 0) return 0;
  for (u64 i = group.lane; i < places.count; i += Group::kWidth) {
    task.end = end - i * piece;
    task.begin = task.end - begin < piece ? begin : task.end - piece;
    launch.queue.put(places.first + i, task);
  }
  group.sync();
  if (group.leads()) launch.queue.publish(places.count);
  return smaller(places.count * piece, end - begin);
}

/// The time from which `tau` counts while workers are idle: an eighth of it is left. Offloaded tasks are mostly long
/// too, and each would otherwise wait for a whole `tau` before it is split.
template <typename Group>
MATCHA_FN u64 shortened_deadline(const Launch& launch) {
  return Group::now() - launch.tau / 8 * 7;
}

/// The outcome of polling.
struct PollResult {
  u64 end;    ///< The end of the positions that the worker keeps.
  u64 since;  ///< The time from which `tau` counts again.
  bool stop;  ///< The run is to stop.
};

/// Polls before worker `index` processes the positions [at, end) of the loop at `level` below the positions at0, at1.
template <typename Group>
MATCHA_NOINLINE PollResult poll(const Launch& launch, Group group, u64 index, u32 level, u64 at0, u64 at1, u64 at,
                                u64 end) {
  const RunSnapshot snapshot = read_run_state(launch, group);
  if (snapshot.stop) return {end, 0, true};
  if (stealing_of(launch) == kHalf && group.leads()) HalfStealing<Group>(launch, group, index).give();
  if (stealing_of(launch) != kTimeout || level >= launch.split || !snapshot.others_wait)
    return {end, Group::now(), false};
  const u64 offloaded = offload(launch, group, Task{level, {at0, at1}, 0, 0}, at, end);
  return {end - offloaded, offloaded != 0 ? shortened_deadline<Group>(launch) : Group::now(), false};
}

/// If other workers are idle: queues the position of each lane of `lanes` (`from` plus the lane) of the loop at `level`
/// as a task, while there is room. Returns the mask of lanes whose work was offloaded.
template <typename Group>
MATCHA_NOINLINE u32 offload_lanes(const Launch& launch, Group group, u32 level, u64 at0, u64 at1, u64 from, u32 lanes) {
  if (!read_run_state(launch, group).others_wait) return 0;
  const QueueSlots places = reserve_slots(launch, group, Group::bits(lanes));
  if (places.count == 0) return 0;
  u32 rank = Group::bits(lanes & ((1u << group.lane) - 1));
  bool mine = (lanes >> group.lane & 1) != 0 && rank < places.count;
  if (mine) {
    launch.queue.put(places.first + rank, Task{level, {at0, at1}, from + group.lane, from + group.lane + 1});
  }
  group.sync();
  if (group.leads()) launch.queue.publish(places.count);
  return group.ballot(mine);
}

}  // namespace matcha_program
