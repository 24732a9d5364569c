#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// restrict: conditions on the item of a loop become slices, look-ups and set operations on what the loop walks.
///
/// What.
/// - In `for x in s { if c { … } }` the parts of `c` that do not read x move in front of the loop; `x < u` and `u < x`
///   become `below(s, u)` and `above(s, u)` where s ascends, `x <= u` and `u <= x` spans; `x == u` becomes
///   `contains(s, u)` where nothing repeats. A part moves only when no part before it may trap.
/// - Slices go through set operations onto both operands, and slices of one kind meet. What loops say about the order
///   of their variables decides `min(u, v)`.
/// - A slice at the loop's own variable is a span up to the loop's position: no search.
/// - A stored set of which only a slice is ever read is stored sliced.
/// - Where only the number or the list of the items is wanted, `contains(t, x)` makes `intersect(s, t)`, its negation
///   `diff(s, t)`, and `x != u` one item less. A literal that is taken off inside a set operation is taken off its
///   size, unless an outer loop can do it once for all.
///
/// Why. Symmetry conditions halve the work at each level when they are slices (Matcha 3.6.1, T-DFS III).
///
/// Before:
///     for %v in neighbors(%G, %u) {
///       if (%v < %u) { for %w in intersect(neighbors(%G, %u), neighbors(%G, %v)) { if (%w < %v) { yield %n, 1 } } }
///     }
/// After (with fuse):
///     for %v at %i in below(neighbors(%G, %u), %u) {
///       yield %n, size(intersect(span(neighbors(%G, %u), 0, %i), below(neighbors(%G, %v), %v)))
///     }
///
/// Requires and ensures: stage loop. No trap comes or goes.
/// Gives up on: loops over several lists; conditions behind one that may trap, such as a label's.
ir::Module restrict_loops(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
