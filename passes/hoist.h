#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// hoist: what a loop would compute again each time is computed before it, and what has a name already is not computed
/// again.
///
/// What. Neighbour lists and their edge information (a hash look-up for sparse graphs), slices, set operations and
/// their sizes, and searches that do not depend on a loop get a name in front of it, as far out as they can; collects
/// that do not depend on it move there whole. Under an equality or a look-up, which few items pass, only what costs no
/// walk moves; the label of a vertex is no such equality. What one branch of a choice of numbers computes stays there
/// unless a loop is around it. A set operation, or its size, that a statement computes in any case and its block
/// computes again, or that statement does, gets a name before it.
///
/// Why. Matcha 3.6.2; Listing 1 of its paper becomes Listing 3.
///
/// Before:  for %v in %c { yield %n, size(intersect(below(neighbors(%G, %u), %u), neighbors(%G, %v))) }
/// After:   let %slice = below(neighbors(%G, %u), %u)
///          for %v in %c { yield %n, size(intersect(%slice, neighbors(%G, %v))) }
///
/// Requires and ensures: stage loop. Nothing that may trap moves.
/// Gives up on: arithmetic, which back ends move themselves; graphs that are built, which stand at top level anyway.
ir::Module hoist(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
