#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// batch: defers counts of set operations that are only added, and does many of them at a time.
///
/// What. Applies to a yield into a sum of ints of the region, whose value consists of one `size(intersect(…))` or
/// `size(diff(…))` and constants. It becomes `yield batched` if both lists are views of graphs or top-level lists,
/// which stay valid. The count may have a name if only this yield reads it.
///
/// Why. On sparse graphs the lists are short, and the cost of a count is the wait for its second list. A branch on the
/// length of a list that has not arrived is mispredicted and discards the processor's work. Batching collects the lists
/// first and fetches them while others are counted, so many arrive at once (the batched look-ups of hash joins: group
/// prefetching, Chen et al., "Improving hash join performance through prefetching", section 4).
///
/// Before:  for %v in %near {
///            let %c = size(intersect(%near, neighbors(%G, %v)))
///            yield %n, ((%c * (%c - 1)) / 2)
///          }
/// After:   for %v in %near {
///            let %c = size(intersect(%near, neighbors(%G, %v)))
///            yield batched %n, ((%c * (%c - 1)) / 2)
///          }
///
/// Requires and ensures: stage kernel. Gives up on: stored sets, whose buffer is overwritten; lists that are not
/// ascending sets of vertices; values that read anything else.
ir::Module batch(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
