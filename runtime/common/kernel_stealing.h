// New-kernel stealing (EGSM, as described in T-DFS, section I). A group that reaches a loop of many positions starts a
// kernel whose groups process them, and continues after the loop. Groups of a kernel have their own stacks, in *places*
// that the host reserved; without a free place, or if the device refuses the kernel, the group runs the loop itself. No
// group waits: one that finds no fresh work returns, and the device ends the first kernel when all kernels started from
// it have ended.
//
// Only texts with MATCHA_KERNELS have the code; they define `start_kernel` after this header.
#pragma once

#include "runtime/common/offload.h"
#include "runtime/common/task_state.h"

namespace matcha_program {

#ifdef MATCHA_KERNELS

inline constexpr u64 kNoPlace = ~0ull;

/// Starts a kernel. False: the device has no room for it.
MATCHA_NOINLINE bool start_kernel(const Launch& launch, const KernelStart& start);

/// A free place for a kernel, searched from that of `index` on; kNoPlace: all are taken.
MATCHA_FN u64 take_place(const KernelPlaces& places, u64 index) {
  const u64 words = (places.count + 63) / 64;
  for (u64 i = 0; i < words; ++i) {
    const u64 word = (index + i) % words;
    u64 seen = atomic_read(places.free + word);
    while (seen != 0) {
      const u32 bit = lowest_bit(seen);
      seen = atomic_and(places.free + word, ~(1ull << bit));
      if ((seen >> bit & 1) == 0) continue;
      atomic_read_first(places.free + word);  // The memory writes of its last kernel are visible.
      return word * 64 + bit;
    }
  }
  return kNoPlace;
}

MATCHA_FN void give_place_back(const KernelPlaces& places, u64 place) {
  atomic_add_between(places.free + place / 64, 1ull << (place & 63));
}

/// A group of a kernel has ended; the last one releases the place.
MATCHA_FN void leave_place(const KernelPlaces& places, u64 place) {
  if (atomic_add_between(places.running + place, ~0ull) == 1) give_place_back(places, place);
}

/// Starts one kernel for the last positions of the positions [0, end) of a task: its share if all remaining kernels get
/// equal shares. Returns their number; 0: there was no room. Its groups' tasks count as live before the kernel starts.
MATCHA_FN u64 start_one(const Launch& launch, u64 index, Task task, u64 end) {
  const u64 piece = larger<u64>(launch.kernels.fanout / kKernelGroups, 1);
  const u64 kernels = (end + kKernelGroups * piece - 1) / (kKernelGroups * piece);
  const u64 positions = (end + kernels - 1) / kernels;
  const u64 groups = (positions + piece - 1) / piece;
  const u64 place = take_place(launch.kernels, index);
  if (place == kNoPlace) return 0;
  task.end = end;
  task.begin = end - positions;
  atomic_exchange(launch.kernels.running + place, groups);
  atomic_add(&launch.shared->live, groups);
  fence();
  if (start_kernel(launch, KernelStart{task, place, groups, piece})) {
    atomic_add(&launch.shared->splits, groups);
    atomic_add(&launch.shared->kernels, 1);
    return positions;
  }
  atomic_add(&launch.shared->live, ~groups + 1);  // It does not reach 0, as the current task is live.
  atomic_exchange(launch.kernels.running + place, 0);
  give_place_back(launch.kernels, place);
  return 0;
}

/// Starts kernels for the `size` positions of the loop at `level` below the positions at0, at1, while there is room.
/// Returns the number of first positions that stay with the group.
template <typename Group>
MATCHA_NOINLINE u64 start_kernels(const Launch& launch, Group group, u64 index, u32 level, u64 at0, u64 at1, u64 size) {
  if (group.leads() && atomic_read(&launch.shared->stop) == 0) {
    u64 taken = 1;
    while (size != 0 && taken != 0) {
      taken = start_one(launch, index, Task{level, {at0, at1}, 0, 0}, size);
      size -= taken;
    }
    if (taken == 0) atomic_add(&launch.shared->kernels_refused, 1);
  }
  return group.broadcast(size);
}

/// The same for `walk`, before its first position, if it is long enough and may be split. True: nothing is left of it.
template <typename Group, typename Size>
MATCHA_FN bool give_away(const Launch& launch, Group group, u64 index, u32 level, u64 at0, u64 at1, Walk<Size>& walk) {
  if (level >= launch.split || u64(walk.end) <= launch.kernels.fanout) return false;
  walk.end = Size(start_kernels(launch, group, index, level, at0, at1, u64(walk.end)));
  return walk.end == 0;
}

/// Makes the part of group `number` of a kernel its only task. The worker of `state` is a new one of that kernel.
template <typename Group>
MATCHA_FN void take_part(Group group, TaskState& state, const KernelStart& start, u64 number) {
  if (!group.leads()) return;
  state.task = start.task;
  state.task.begin += number * start.piece;
  state.task.end = smaller(state.task.begin + start.piece, start.task.end);
  state.taken = kAllTaken;
  state.given = true;
}
/// The last call of a group of a kernel.
template <typename Group>
MATCHA_FN void end_part(Group group, const Launch& launch, const KernelStart& start) {
  group.sync();
  if (group.leads()) leave_place(launch.kernels, start.place);
}

#else

template <typename Group, typename Size>
MATCHA_FN bool give_away(const Launch&, Group, u64, u32, u64, u64, Walk<Size>&) {
  return false;
}

#endif

}  // namespace matcha_program
