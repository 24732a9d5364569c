#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// nest-edges: turns a walk over the edges into a walk over vertices and their neighbours.
///
/// Why. Values that depend only on the source are then computed once a vertex, and conditions between the two ends
/// become slices of the neighbour list.
///
/// Before:  for %u, %v in edges(%G) { … }
/// After:   for %u in vertices(%G) { for %v in neighbors(%G, %u) { … } }
///
/// Requires and ensures: stage loop. The order of yields stays: edges ascend by source, then target.
/// Gives up on: loops that use the position or walk several lists.
ir::Module nest_edges(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
