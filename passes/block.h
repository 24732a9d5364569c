#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// block: restricts each loop whose items' rows are read to one block of the vertices (loop tiling).
///
/// What. The module gets two int parameters for each such loop level, positions in the list of all vertices. A loop of
/// level k over a set walks only the items from the vertex at the first position up to, and without, that at the second
/// one. Yields outside the loops of a level happen only in the run of that level's first block. So the values of the
/// sinks, summed over all blocks of all levels, are those of the original module. The caller chooses the positions of
/// the outermost loop. With all vertices in one block, the module computes the same as before.
///
/// Why. A run then reads the rows of a few blocks, for every size of graph: those of the outermost loop's positions,
/// and one block for each level. All pairs of k blocks read the graph k times, in long pieces. Without blocks, loops in
/// the order of neighbours fetch single rows.
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
/// Requires and ensures: stage loop; the first position of each block is that of a vertex. Gives up, and leaves the
/// module unchanged, unless the module is one collect with a loop over the vertices of its only graph and without list
/// sinks. Also gives up on: values that are used in computations inside a loop whose items' rows were read for them;
/// rows of vertices that are not items of a loop; loops over unordered lists. Loops below the option `levels` walk all
/// items; with `deeper=0` modules that read rows of their items are left unchanged too.
ir::Module block_vertices(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
