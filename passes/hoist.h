#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// hoist: computes loop-invariant values in front of the loop, and computes named values only once.
///
/// What. Expressions that do not depend on a loop get a name in front of it, as far out as possible: neighbour lists
/// and their edge information (a hash look-up in sparse graphs), slices, set operations, their sizes, and searches.
/// Collects that do not depend on it move as a whole. Under an equality or a look-up, which few items pass, only values
/// that need no walk move; the label of a vertex is not such an equality. Values computed in one branch of a choice of
/// numbers stay there unless a loop is around the choice. If a statement always computes a set operation or its size,
/// and it or its block computes that again, the value gets a name before the statement.
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
