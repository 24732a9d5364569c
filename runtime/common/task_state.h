// The state of a worker's tasks.
#pragma once

#include "runtime/common/deal.h"

namespace matcha_program {

inline constexpr u64 kAllTaken = ~0ull;

/// The state of a worker's tasks, which loops rarely read. Registers are scarce in loops, so a group has one state, in
/// memory that its lanes share; only the first lane writes it.
struct TaskState {
  Task task;   ///< The current task.
  u64 weight;  ///< Its part of `live`: outermost positions, tiles or a queued task.
  bool given;  ///< The task was assigned to the worker when its kernel started, and has not begun.
  TileWalk tile;
  u64 taken;     ///< Fresh work taken by all workers, when this one last took some; or kAllTaken.
  u64 share;     ///< Tiles taken last,
  u64 begun;     ///< and the time.
  u64 started;   ///< The start time for `tau`.
  u64 looked;    ///< The last time that `offload_each` looked for idle workers.
  u64 finished;  ///< Outermost positions done, not added to `positions_done` so far.
  u64 flushed;   ///< The last time that the counters were flushed.
  u64 pending;   ///< Done, not subtracted from `live` so far.
};

/// True if the worker has an assigned task; then takes it.
MATCHA_FN bool take_given(TaskState& state) {
  const bool given = state.given;
  state.given = false;
  return given;
}

}  // namespace matcha_program
