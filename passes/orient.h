#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// orient: turns neighbours cut at their own vertex into halves of a neighbour list, whose offsets are stored with the
/// graph.
///
/// What. `below(neighbors(g, v), v)` becomes `lower_neighbors(g, v)` and `above(neighbors(g, v), v)` becomes
/// `upper_neighbors(g, v)`; the span before the position of a loop over one half is a span of that half.
///
/// Why. A clique core under a total order walks oriented lists (G2Miner, kClist). Back ends find the half by an offset
/// stored for each vertex, without the search that takes most of the time on sparse graphs.
///
/// Before:  for %v at %i in below(neighbors(%G, %u), %u) {
///            yield %n, size(intersect(span(neighbors(%G, %u), 0, %i), below(neighbors(%G, %v), %v)))
///          }
/// After:   for %v at %i in lower_neighbors(%G, %u) {
///            yield %n, size(intersect(span(lower_neighbors(%G, %u), 0, %i), lower_neighbors(%G, %v)))
///          }
///
/// Requires and ensures: stage loop. Gives up on: graphs with a hash index or chosen at run time, which have no stored
/// offsets; `above` in a graph that may have loops.
ir::Module orient(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
