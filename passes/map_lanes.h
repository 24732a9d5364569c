#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// map-lanes: sets the number of threads that work together on a position, and how they divide loops.
///
/// What. Gives each region the width of its groups: the requested width, else all lanes of the target if they have work
/// to divide (set operations, rows of bits, counters or the items of a loop), else 1. Then gives each loop its mode if
/// a group has several lanes: by items, pairs or arcs if one lane alone can execute the body; set operations in it are
/// counted by all lanes, for one item after the other.
///
/// Why. A group whose lanes all walk short lists together leaves most of them idle (STMatch 1.6; gMatch, PVLDB 2026).
///
/// Before:  region (parallel, split=2, group=1) { collect %n: sum i128 { for %u in vertices(%G) {
///            for %v in neighbors(%G, %u) { yield %n, size(intersect(neighbors(%G, %u), neighbors(%G, %v))) } } } }
/// After:   region (parallel, split=2, group=32) { collect %n: sum i128 { for %u in vertices(%G) by arcs {
///            for %v in neighbors(%G, %u) by items { yield %n, … } } } }
///
/// Requires and ensures: stage kernel. Gives up on: loops that lanes can only walk together (LaneModes).
ir::Module map_lanes(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
