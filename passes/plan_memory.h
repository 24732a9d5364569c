#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// plan-memory: plans all memory, so that nothing is allocated inside loops.
///
/// What. Every collect at top level becomes a `region`, parallel if its work is one `for`. Lets and collects that run
/// once move in front of it; loops that fill different sinks become separate regions. Inside a region each stored
/// set gets a name and a buffer: a `let` of a set operation, and an operand that is not a slice, become `store`; a list
/// sink gets its buffer. Capacities come from `Facts::bound`, over values known before the region runs. Second operands
/// of set operations and lists of `contains` that do not ascend are sorted once, where they are bound. Literals stay as
/// second operands and in `contains`; elsewhere, and beyond `literal` items, they are stored too. A list chosen by
/// `select` is copied into a buffer, but for its size, slices and searches only the choice is evaluated first. If an
/// operand of `and`, `or` or `select` needs stores, the choice becomes an `if`, so that an operand that is not chosen
/// is not computed and cannot trap.
///
/// Why. Matcha 3.5.2 (memory pre-allocation); it keeps back ends simple.
///
/// Before:
///     collect %n: sum i128 {
///       for %u in vertices(%G) {
///         let %c = intersect(neighbors(%G, %u), neighbors(%H, %u))
///         for %v in %c { yield %n, size(intersect(%c, neighbors(%G, %v))) }
///       }
///     }
/// After:
///     region (parallel, split=2, group=1) {
///       buffer %c_buffer: list<vid>[max_degree(%G)]
///       collect %n: sum i128 {
///         for %u in vertices(%G) {
///           store %c in %c_buffer = intersect(neighbors(%G, %u), neighbors(%H, %u))
///           for %v in %c { yield %n, size(intersect(%c, neighbors(%G, %v))) }
///         }
///       }
///     }
///
/// Requires: stage loop, label words bound. Ensures: stage kernel and its rules (ir/README.md).
/// Gives up on: lists of lists (`stored-nest`) and lists without a bound (`unbounded-list`), with an error.
ir::Module plan_memory(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
