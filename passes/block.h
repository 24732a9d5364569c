#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// block: has a run walk a block of the vertices in each loop whose items' neighbours are read (loop tiling).
///
/// What. The module gets two ints as parameters for each such loop level, places in the list of all vertices. A loop of
/// level k over a set walks only the items from the vertex at the first place on and before that at the second one.
/// What is yielded outside of the loops of a level is yielded by the run of that level's first block only. So the
/// values of the sinks, added up over all blocks of all levels, are those of the module before; what the outermost loop
/// walks is up to who runs it. With all vertices in one block, the module does what it did.
///
/// Why. A run then reads the rows of a few blocks, whatever the size of the graph: those of the positions that the
/// outermost loop walks, and those of the block of each level. All pairs of blocks read a graph of k blocks k times, in
/// long pieces, while loops that go through it in the order of its neighbours fetch row after row.
///
/// Before:  module loop "triangles" (%G: graph) {
///            collect %n: sum i128 {
///              for %u in vertices(%G) {
///                for %v in lower_neighbors(%G, %u) {
///                  yield %n, size(intersect(lower_neighbors(%G, %u), lower_neighbors(%G, %v)))
///                }
///              }
///            }
///            return %n
///          }
/// After:   module loop "triangles" (%G: graph, %first: i64, %end: i64) {
///            let %begin = at<0>(vertices(%G), %first)
///            …
///            collect %n: sum i128 {
///              for %u in vertices(%G) {
///                let %all = lower_neighbors(%G, %u)
///                for %v in span(%all, lower_bound(%all, %begin), …) { … }
///
/// Requires and ensures: stage loop; the first place of each block is one of a vertex. Gives up, and leaves the module
/// as it is, on: modules that are not one collect with a loop over the vertices of their one graph and no lists as
/// sinks; values that are not added up but computed with inside of a loop, where the rows of items of that loop were
/// read; rows of what is no item of a loop; loops whose items are in no order. Levels behind option `levels` walk all;
/// with `deeper=0` it gives up on modules that read rows of their items.
ir::Module block_vertices(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
