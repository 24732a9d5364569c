#pragma once

#include <string>

#include "ir/nodes.h"

namespace matcha::ir {

/// The distances up to which a program reads around a vertex to find its yields there.
struct RootReads {
  /// Whole rows of neighbours are read of vertices up to this many steps away; -1: none.
  int rows = -1;
  /// Arcs are also tested between vertices up to `rows + 1` steps away that those rows do not decide: from a vertex
  /// `rows + 1` steps away; without directions, also to one.
  bool among = false;
  /// Numbers of neighbours are read of vertices up to this many steps away; not implied by `rows`.
  int degrees = -1;
  /// Labels are read of vertices up to this many steps away; -1: none.
  int labels = -1;
  std::string problem;  ///< Empty: the fields above hold.
  SourceLoc loc;        ///< Place of the problem; may be invalid.

  bool ok() const { return problem.empty(); }
};

/// Proves that all yields of a module come from single vertices, its roots, each of which is evaluated by itself:
///
///     collect %n: sum i128 {
///       for %v in vertices(%G) {
///         if (3 <= size(neighbors(%G, %v))) {          # degrees = 0: that of the root
///           for %w in neighbors(%G, %v) {              # rows = 0; %w is 1 step away
///             yield %n, size(intersect(neighbors(%G, %v), neighbors(%G, %w)))     # among: is %w adjacent to another
///           }                                          # vertex at its distance?
///         } } }
///
/// Steps are those along arcs. The yields for a root are then the same in two graphs if:
/// - the vertices up to `rows` steps from it, by either of the graphs, have the same rows in both;
/// - with `among`, of those up to `rows + 1` steps away the same are adjacent;
/// - those up to `degrees` steps away have as many neighbours in both; and
/// - those up to `labels` steps away have the same labels.
/// The reason: both runs read the same, so they reach the same next vertex and read the same there. (If only those
/// items of a row are kept that are in another, whole row, the row counts as read for these items only.)
///
/// Requires: stage loop, the output of the pipeline `nests`; a simple graph. Each step of the module's own block is a
/// `collect` of loops over all vertices, a `let` of a scalar, or `return`; the latter two only read collected values.
/// Gives up on values that a root cannot see: the number of vertices, other loops over all of them, computed ids,
/// information of edges, results of other steps, and graphs that the program builds. Not `directed`: each arc has its
/// reverse.
RootReads read_roots(const Module& module, bool directed);

/// `size(neighbors(g, v))`: it reads only the number of a vertex's neighbours.
bool is_degree(const Expr& e);

}  // namespace matcha::ir
