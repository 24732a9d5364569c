#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// prune-by-degree: skips vertices and edges whose degree is too small for the inner loops.
///
/// What. A sum grows only if the counted sets are not empty. From these, sizes follow outward: an intersection needs as
/// many items in each of its lists; the items before position i need i of them; a loop over the common neighbours of
/// its own items needs one item more than its body, since no vertex is its own neighbour; `c * (c - 1)` grows from a
/// count of two on. A condition is added in front of a loop over a list that needs at least two items, and of a body
/// whose sets need as many and that walks another loop.
///
/// Why. Degree filtering of the first levels (T-DFS III, G2Miner): most vertices and edges of a sparse graph are in no
/// clique, and are skipped without reading their neighbours.
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
/// Requires and ensures: stage loop. Gives up on: loops over several lists or whose body may trap; lists and sinks
/// other than sums of ints.
ir::Module prune_by_degree(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
