#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// legalize: brings a schedule within what the target can do.
///
/// What. The width of a group is at most `TargetInfo::max_group` (1 on a CPU, where loops are walked together); a
/// region splits stragglers at no more levels than the target supports and than it has loops that can be dealt again:
/// loops that feed the region's own sinks. A loop inside a nested collect cannot, since its result is needed at once.
/// How work is stolen, paged stacks and shared rows are for targets that hand work on as tasks.
///
/// Why. DESIGN.md section 3: the limits of a target live here and not in other passes or in back ends.
///
/// Before:  region (parallel, split=2, group=8) { collect %n: sum i128 { for %u in … { yield %n, … } } }
/// After:   region (parallel, split=1, group=1) { collect %n: sum i128 { for %u in … { yield %n, … } } }
///
/// Requires and ensures: stage kernel. Gives up on: nothing.
ir::Module legalize(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
