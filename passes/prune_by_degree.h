#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// prune-by-degree: skips vertices and edges whose degree is too small for the inner loops.
///
/// What. A sum grows only if the sets that are counted are not empty. From there sizes follow outward: an intersection
/// needs as many items in each of its lists, the items before position i need i of them, a loop over the common
/// neighbours of its own items needs one more than its body, since no vertex is its own neighbour, and `c * (c - 1)`
/// grows from a count of two on. A loop over a list that needs two items or more, and a body whose sets need as many
/// and that walks another loop, get a condition in front.
///
/// Why. Degree filtering of the first levels (T-DFS III, G2Miner): of a sparse graph most vertices and edges are in no
/// clique, and they are left without reading their neighbours.
///
/// Before:  for %v at %i in lower_neighbors(%G, %u) {
///            yield %n, size(intersect(span(lower_neighbors(%G, %u), 0, %i), lower_neighbors(%G, %v)))
///          }
/// After:   if (2 <= size(lower_neighbors(%G, %u))) {
///            for %v at %i in lower_neighbors(%G, %u) {
///              if (1 <= %i) {
///                yield %n, size(intersect(span(lower_neighbors(%G, %u), 0, %i), lower_neighbors(%G, %v)))
///              }
///            }
///          }
///
/// Requires and ensures: stage loop. Gives up on: loops over several lists or whose body may trap, lists and sinks
/// other than sums of ints.
ir::Module prune_by_degree(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
