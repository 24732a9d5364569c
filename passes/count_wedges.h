#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// count-wedges: replaces a sum of pairwise intersection sizes by wedge counters per endpoint.
///
/// What. Applies to a sum, over all pairs of items of a list, of their common neighbours below a vertex. A vertex that
/// is a neighbour of k items is in k * (k - 1) / 2 of these sets, and counters give k. So each neighbour of each item
/// is visited once, and not once for every other item (Chiba and Nishizeki, SIAM J. Comput. 1985, section 4; Wang et
/// al., VLDB 2019, section 3).
///
/// Why. The 4-cycles of a graph are found from its wedges. With vertices ranked by degree there are few of them: 8
/// million in dblp, while the pairs have 100 million items.
///
/// Before:  for %a at %i in %near {
///            let %below = below(neighbors(%G, %a), %u)
///            for %b in span(%near, 0, %i) {
///              yield %n, size(intersect(%below, below(neighbors(%G, %b), %u)))
///            }
///          }
/// After:   yield %n, common_below(%G, %near, %u, 0, 1)
///
/// If `symmetric` and `simple` may be assumed of the graph, 4-cycles counted by their largest vertex are counted by
/// their smallest one instead, and vice versa. Ranking by degree makes the list on one side of a vertex short; the
/// other side then has fewer wedges.
///
/// With `part`, the list of a hub is counted in parts, which are positions of a loop.
///
/// Requires and ensures: stage loop. Gives up on: neighbours without a cut, with different cuts for the two items, or
/// with repeats; loops with other effects.
ir::Module count_wedges(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
