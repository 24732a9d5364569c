// What a worker does once in `tau`: it looks whether it is to stop, and whether others wait for a part of what it has
// left (T-DFS, section III). All of it stands apart from the loops that ask for it, of which a region has several.
#pragma once

#include "runtime/common/half_stealing.h"

namespace matcha_program {

/// A rest of `n` positions is handed on in that many pieces at most.
inline constexpr u64 kPieces = 64;
/// A rest is handed on when no more tasks wait than there are workers, by this number.
inline constexpr u64 kHungry = 4;

/// The first lane's view of a word that others change, so that all lanes go the same way.
template <typename Group>
MATCHA_FN u64 read_together(const Group& group, const u64* word) {
  return group.broadcast(group.leads() ? atomic_read(word) : 0);
}

/// What a worker sees when it looks around.
struct Around {
  bool stop;    ///< The run is to stop.
  bool hungry;  ///< Others wait for work: nothing fresh is left, and few tasks are in the queue.
};
/// Each word is read by a lane of its own, so that one is as long on its way as all.
template <typename Group>
MATCHA_FN Around see_around(const Launch& launch, const Group& group) {
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
  const bool few = tasks_in(ready) <= launch.workers / kHungry;
  return {stop != 0, launch.eager || (launch.queue.capacity != 0 && few && all_taken(launch, taken))};
}

/// Neighbouring places in the queue.
struct Places {
  u64 first, count;
};

/// Places for at most `count` tasks, which are live from now on: as many as there is room for.
template <typename Group>
MATCHA_APART Places places_for(const Launch& launch, Group group, u64 count) {
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

/// Puts [begin, end) into the queue in pieces, the last ones first, each lane some of them; gives the number of
/// positions that found room.
template <typename Group>
MATCHA_FN u64 hand_on(const Launch& launch, const Group& group, Task task, u64 begin, u64 end) {
  const u64 piece = larger<u64>((end - begin + kPieces - 1) / kPieces, 1);
  const Places places = places_for(launch, group, (end - begin + piece - 1) / piece);
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

/// From when `tau` counts where others wait for work: an eighth of it is left. What was handed on is mostly not light
/// either, and halves of a long task would each wait for so long before they are split.
template <typename Group>
MATCHA_FN u64 hurried(const Launch& launch) {
  return Group::now() - launch.tau / 8 * 7;
}

/// What came of a look around.
struct Seen {
  u64 end;    ///< Of what the worker keeps of the loop that it walks.
  u64 since;  ///< From when `tau` counts until the next one.
  bool stop;  ///< The run is to stop.
};

/// Worker `index` is about to walk the positions [at, end) of the loop at `level` below the positions at0, at1.
template <typename Group>
MATCHA_APART Seen look_around(const Launch& launch, Group group, u64 index, u32 level, u64 at0, u64 at1, u64 at,
                              u64 end) {
  const Around around = see_around(launch, group);
  if (around.stop) return {end, 0, true};
  if (stealing_of(launch) == kHalf && group.leads()) HalfStealing<Group>(launch, group, index).give();
  if (stealing_of(launch) != kTimeout || level >= launch.split || !around.hungry) return {end, Group::now(), false};
  const u64 gone = hand_on(launch, group, Task{level, {at0, at1}, 0, 0}, at, end);
  return {end - gone, gone != 0 ? hurried<Group>(launch) : Group::now(), false};
}

/// If others wait for work: hands on the positions `from` and a lane of `lanes` of the loop at `level`, a task each, as
/// far as there is room. Gives the lanes whose positions are somebody else's now.
template <typename Group>
MATCHA_APART u32 hand_on_lanes(const Launch& launch, Group group, u32 level, u64 at0, u64 at1, u64 from, u32 lanes) {
  if (!see_around(launch, group).hungry) return 0;
  const Places places = places_for(launch, group, Group::bits(lanes));
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
