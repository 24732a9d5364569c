#include "passes/pass.h"
#include "passes/restrict_steps.h"

/// restrict: turns conditions on the item of a loop into slices, look-ups and set operations on its list.
///
/// What.
/// - In `for x in s { if c { … } }` the parts of `c` that do not read x move in front of the loop; `x < u` and `u < x`
///   become `below(s, u)` and `above(s, u)` if s ascends, `x <= u` and `u <= x` spans; `x == u` becomes `contains(s,
///   u)` if s has no repeats. A part moves only if no part before it may trap.
/// - Slices move through set operations to both operands, and slices of one side are merged. Known orders of loop
///   variables decide `min(u, v)`.
/// - A slice at the loop's own variable becomes a span up to the loop's position, which needs no search.
/// - A stored set of which only a slice is read is stored as that slice.
/// - In a graph that the program builds, conditions on the information t on the edges of a vertex, such as `x < t`,
///   `t - x <= w` and `t <= x + w`, become a span of these edges in the order of t: of a second graph, in loops inside
///   another loop, where the order does not show. Sums and differences with t have no limit there: one that would trap
///   because it does not fit 64 bits is compared as it is.
/// - If only the number or the list of the items is used, `contains(t, x)` makes `intersect(s, t)`, its negation
///   `diff(s, t)`, and `x != u` one item less. A literal subtracted inside a set operation is subtracted from its size
///   instead, unless an outer loop can do that once for all.
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
/// Requires and ensures: stage loop. No trap is added, and none removed but those of sums and differences with times.
/// Gives up on: other loops over several lists; conditions behind one that may trap, such as one on a label.
namespace matcha::passes {

ir::Module restrict_loops(const ir::Module& module, PassContext& context) {
  ir::Module result = restrict_bounds(module, context);
  result = restrict_times(result, context);
  result = restrict_literals(result, context);
  result = restrict_members(result, context);
  ir::Module stores = restrict_stores(result, context);
  // Spans hide the bound of a slice, so they wait until stores have shrunk.
  return stores.body != result.body ? stores : restrict_spans(result, context);
}

}  // namespace matcha::passes
