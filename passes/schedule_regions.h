#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// schedule-regions: sets how workers share a region's work, and where their lists are stored.
///
/// What. On a target that hands on work as tasks, sets for each region: how idle workers get work from busy ones; at
/// how many loop levels; the kind of stack of its stored lists; and the number of rows of bits that tasks of one
/// outermost position share. Except for the last, these are options of the target, which the command line sets.
/// Stealing by halves covers two levels unless another number was requested (STMatch's StopLevel), the other kinds as
/// many as a task can name. A region whose stack changes loses the modes of its loops; `map-lanes` sets new ones.
///
/// Why. The back ends of the C family print and launch exactly this schedule, so `--emit=kernel` shows it.
///
/// Before:  region (parallel, split=2, group=1) { … }
/// After:   region (parallel, split=3, group=1, steal=timeout) { … }
///
/// Requires and ensures: stage kernel. Gives up on: other targets, whose run time shares work itself.
ir::Module schedule_regions(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
