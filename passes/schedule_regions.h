#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// schedule-regions: says how workers share what a region does, and where their lists are.
///
/// What. On a target that hands work on as tasks, gives each region how idle workers get work of busy ones, at how many
/// loop levels, where its stored lists are, and how many rows of bits the tasks of an outermost position share. All but
/// the last come from the target, which has them from the command line. Stealing by halves shows two levels unless it
/// was asked for another number (STMatch's StopLevel), the other kinds as many as a task can name. A region whose stack
/// changes loses the modes of its loops; `map-lanes` gives new ones.
///
/// Why. The back ends of the C family print and launch what stands here, so that `--emit=kernel` shows what runs.
///
/// Before:  region (parallel, split=2, group=1) { … }
/// After:   region (parallel, split=3, group=1, steal=timeout) { … }
///
/// Requires and ensures: stage kernel. Gives up on: other targets, whose run time shares work by itself.
ir::Module schedule_regions(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
