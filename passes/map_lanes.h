#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// map-lanes: says how many threads work on a position together, and how they share loops.
///
/// What. Gives each region the width of its groups: what the target was asked for, else as many lanes as it has where
/// they have set operations, rows of bits, counters or the items of a loop to share, and 1 in other regions. Then gives
/// each loop of a group of several lanes its mode: by items, pairs or arcs where one lane alone can do what stands in
/// the loop; set operations there are counted by all lanes, for one item after the other.
///
/// Why. A group whose lanes all walk short lists together leaves most of them idle (STMatch 1.6; gMatch, PVLDB 2026).
///
/// Before:  region (parallel, split=2, group=1) { collect %n: sum i128 { for %u in vertices(%G) {
///            for %v in neighbors(%G, %u) { yield %n, size(intersect(neighbors(%G, %u), neighbors(%G, %v))) } } } }
/// After:   region (parallel, split=2, group=32) { collect %n: sum i128 { for %u in vertices(%G) by arcs {
///            for %v in neighbors(%G, %u) by items { yield %n, … } } } }
///
/// Requires and ensures: stage kernel. Gives up on: loops that only all lanes together can walk (LaneModes).
ir::Module map_lanes(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
