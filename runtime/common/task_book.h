// What a worker keeps about its tasks.
#pragma once

#include "runtime/common/deal.h"

namespace matcha_program {

inline constexpr u64 kAllTaken = ~0ull;

/// What a worker keeps about its tasks, which loops seldom ask for. Registers are what they are short of, so a group
/// has one, in memory that its lanes share; the first lane alone writes it.
struct TaskBook {
  Task task;   ///< Which the worker walks.
  u64 weight;  ///< How much of `live` it stands for, or the tiles that it is of.
  TileWalk tile;
  u64 taken;     ///< Of what is fresh, by all workers, when this one last took some; or kAllTaken.
  u64 share;     ///< Tiles that it took last,
  u64 begun;     ///< and when.
  u64 started;   ///< From when `tau` counts.
  u64 looked;    ///< When `hand_on_each` last did.
  u64 finished;  ///< Outermost positions that are done and not yet told.
  u64 told;      ///< When it was told.
  u64 owed;      ///< What of `live` is done and not yet told.
};

}  // namespace matcha_program
