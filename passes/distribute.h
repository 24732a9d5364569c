#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// distribute: gives loops that are side by side in an outermost loop an outermost loop each (loop distribution).
///
/// What. A collect of one loop, in whose body several statements have loops of their own, becomes one collect for each
/// of them, with the sinks that it yields into. Bindings of the body are copied; statements that share a sink stay
/// together.
///
/// Why. A task on a GPU names positions of an outermost loop and of the one loop that ends its body. A loop in front of
/// that is walked by one group for a whole vertex, however many neighbours it has. Six 4-motifs in one loop took 1.5 s,
/// but 20 ms one after the other. Reading the vertices once more costs microseconds.
///
/// Before:  collect %m: sum i128, %n: sum i128 {
///            for %u in vertices(%G) {
///              for %v at %i in lower_neighbors(%G, %u) { yield %m, %i }
///              for %w in neighbors(%G, %u) { yield %n, size(diff(neighbors(%G, %u), neighbors(%G, %w))) }
///            }
///          }
/// After:   collect %m: sum i128 {
///            for %u in vertices(%G) {
///              for %v at %i in lower_neighbors(%G, %u) { yield %m, %i }
///            }
///          }
///          collect %n: sum i128 {
///            for %u.2 in vertices(%G) {
///              for %w in neighbors(%G, %u.2) { yield %n, size(diff(neighbors(%G, %u.2), neighbors(%G, %w))) }
///            }
///          }
///
/// Requires and ensures: stage loop. Gives up on: bodies that bind a list whose collect also yields into another sink.
ir::Module distribute(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
