#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// count-wedges: replaces a sum of pairwise intersection sizes by wedge counters per endpoint.
///
/// What. Over all pairs of items of a list, the neighbours below a vertex that both have are added up. A vertex that k
/// items of the list have as a neighbour is in k * (k - 1) / 2 of these sets, and counters say how many have it: each
/// neighbour of each item is looked at once, and not once for every other item (Chiba and Nishizeki, SIAM J. Comput.
/// 1985, section 4; Wang et al., VLDB 2019, section 3).
///
/// Why. The 4-cycles of a graph are found in its wedges: with vertices ranked by degree these are few, of dblp 8
/// million, where the pairs ask for 100 million items.
///
/// Before:  for %a at %i in %near {
///            let %below = below(neighbors(%G, %a), %u)
///            for %b in span(%near, 0, %i) {
///              yield %n, size(intersect(%below, below(neighbors(%G, %b), %u)))
///            }
///          }
/// After:   yield %n, common_below(%G, %near, %u, 0, 1)
///
/// Where `symmetric` and `simple` may be assumed of the graph, 4-cycles that are counted by their
/// largest vertex are counted by their smallest one, and the other way round. Ranks by degree are so that one side of a
/// vertex is short: then the other side is the one with the fewer wedges.
///
/// With `part`, the list of a hub is counted in parts, which are positions of a loop.
///
/// Requires and ensures: stage loop. Gives up on: neighbours that are not cut, are cut at another vertex for each of
/// the two, or may repeat; loops that do anything else.
ir::Module count_wedges(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
