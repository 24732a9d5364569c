// The state of a worker's tasks.
#pragma once

#include "runtime/common/deal.h"

namespace matcha_program {

inline constexpr u64 kAllTaken = ~0ull;

/// The state of a worker's tasks, which loops seldom read. Loops are short of registers, so a group has one state, in
/// memory that its lanes share; the first lane alone writes it.
struct TaskState {
  Task task;   ///< The task that the worker walks.
  u64 weight;  ///< Its part of `live`: outermost positions, tiles or a queued task.
  bool given;  ///< The task was given to the worker when its kernel was started, and has not begun.
  TileWalk tile;
  u64 taken;     ///< Fresh work taken by all workers, when this one last took some; or kAllTaken.
  u64 share;     ///< Tiles taken last,
  u64 begun;     ///< and the time.
  u64 started;   ///< The time from which `tau` counts.
  u64 looked;    ///< The last time that `offload_each` looked for idle workers.
  u64 finished;  ///< Outermost positions done, not yet added to `positions_done`.
  u64 flushed;   ///< The last time that the counters were flushed.
  u64 pending;   ///< Done, not yet subtracted from `live`.
};

/// Whether the worker has a task that was given to it, which is no longer given then.
MATCHA_FN bool take_given(TaskState& state) {
  const bool given = state.given;
  state.given = false;
  return given;
}

}  // namespace matcha_program
