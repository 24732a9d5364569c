#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// simplify: brings programs into the forms that other passes look for.
///
/// What. Values that are cheap to recompute (variables, constants, comparisons of variables, whole neighbour lists)
/// replace their names; a value that is read once, in the same loop, moves to its reader. A set of which only the size
/// is read becomes that number. Unread values are removed unless they may trap. Nested ifs become one; negations move
/// inward; vertices compared as original ids are compared as ranks.
///
/// Why. Lowering names every value, and fusion leaves names behind; patterns are easier to match in whole expressions.
///
/// Before:
///     let %s = neighbors(%G, %u)
///     let %c = intersect(%s, neighbors(%G, %v))
///     let %k = size(%c)
///     if (convert<i64>(%v) < convert<i64>(%u)) { yield %n, %k }
/// After:
///     if (%v < %u) { yield %n, size(intersect(neighbors(%G, %u), neighbors(%G, %v))) }
///
/// Requires and ensures: stage loop. No trap is lost except overflows of unread sums. Gives up on: values that may trap
/// and whose reader may not be reached.
ir::Module simplify(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
