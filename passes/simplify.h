#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// simplify: leaves nothing between the other passes and the patterns that they look for.
///
/// What. Values that are cheap to make again (variables, constants, comparisons of variables, whole neighbour lists)
/// take the place of their names; a value that is read once, in the same loop, moves to its reader. A set of which only
/// the size is read becomes that number. What is never read goes, unless it may trap. Nested ifs become one; negations
/// move inward; vertices that are compared as original ids are compared as ranks.
///
/// Why. Lowering names everything, and fusion leaves names behind; patterns are easier to see in whole expressions.
///
/// Before:
///     let %s = neighbors(%G, %u)
///     let %c = intersect(%s, neighbors(%G, %v))
///     let %k = size(%c)
///     if (convert<i64>(%v) < convert<i64>(%u)) { yield %n, %k }
/// After:
///     if (%v < %u) { yield %n, size(intersect(neighbors(%G, %u), neighbors(%G, %v))) }
///
/// Requires and ensures: stage loop. No trap is lost but the overflow of sums that nobody reads.
/// Gives up on: values that may trap and whose reader may not be reached.
ir::Module simplify(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
