#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// legalize: reduces a schedule to the abilities of the target.
///
/// What. The width of a group becomes at most `TargetInfo::max_group` (1 on a CPU, which walks loops without lanes). A
/// region splits long tasks at most at as many levels as the target supports and as it has loops that feed the region's
/// own sinks. A loop inside a nested collect cannot be split, since its result is needed at once. Work stealing, paged
/// stacks and shared rows are only for targets that hand on work as tasks.
///
/// Why. DESIGN.md section 3: target limits are handled here and not in other passes or in back ends.
///
/// Before:  region (parallel, split=2, group=8) { collect %n: sum i128 { for %u in … { yield %n, … } } }
/// After:   region (parallel, split=1, group=1) { collect %n: sum i128 { for %u in … { yield %n, … } } }
///
/// Requires and ensures: stage kernel. Gives up on: nothing.
ir::Module legalize(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
