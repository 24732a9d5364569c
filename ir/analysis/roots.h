#pragma once

#include <string>

#include "ir/nodes.h"

namespace matcha::ir {

/// How far from a vertex a program looks to find what it yields there.
struct RootReads {
  /// Whole rows of neighbours are read of vertices that are up to so many steps away; -1: of none.
  int rows = -1;
  /// It is also asked whether there are arcs between vertices up to `rows + 1` steps away of which those rows do not
  /// tell: from one that is `rows + 1` steps away; without directions, also to such a one.
  bool among = false;
  /// Of vertices that are up to so many steps away it is read how many neighbours they have; `rows` need not tell.
  int degrees = -1;
  /// Labels are read of vertices that are up to so many steps away; -1: of none.
  int labels = -1;
  std::string problem;  ///< Empty: all above holds.
  SourceLoc loc;        ///< Of the problem; may be invalid.

  bool ok() const { return problem.empty(); }
};

/// Proves that all that a module yields comes from single vertices, its roots, each of which is looked at by itself:
///
///     collect %n: sum i128 {
///       for %v in vertices(%G) {
///         if (3 <= size(neighbors(%G, %v))) {          # degrees = 0: that of the root
///           for %w in neighbors(%G, %v) {              # rows = 0; %w is 1 step away
///             yield %n, size(intersect(neighbors(%G, %v), neighbors(%G, %w)))     # among: are %w and another one so
///           }                                          # near adjacent?
///         } } }
///
/// Steps are those along arcs. What is yielded for a root is then the same in two graphs if
/// - the vertices up to `rows` steps from it, by either of the graphs, have the same rows in both,
/// - with `among`, of those up to `rows + 1` steps away the same are adjacent,
/// - those up to `degrees` steps away have as many neighbours in both, and
/// - those up to `labels` steps away have the same labels.
/// For it runs alike: by what it has read so far it comes to the same vertex and reads the same there. (A row of which
/// only items that are in another, whole row are kept is asked about these items alone.)
///
/// Requires: stage loop, what the pipeline `nests` leaves; a simple graph. Of the module's own block each step is a
/// `collect` of loops over all vertices, a `let` of a scalar, or `return`, and what the latter have is made of what was
/// collected. Gives up on all that a root cannot see, such as how many vertices there are, other loops over all of
/// them, ids that are computed, information of edges, results of other steps, and graphs that are built. Not
/// `directed`: each arc has its reverse.
RootReads read_roots(const Module& module, bool directed);

/// `size(neighbors(g, v))`: of how many neighbours a vertex has nothing else is read.
bool is_degree(const Expr& e);

}  // namespace matcha::ir
