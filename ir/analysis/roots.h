#pragma once

#include <string>

#include "ir/nodes.h"

namespace matcha::ir {

/// How far from a vertex a program looks to find what it yields there.
struct RootReads {
  /// Whole rows of neighbours are read of vertices that are up to so many steps away; -1: of none.
  int rows = -1;
  /// It is also asked whether two vertices are adjacent of which both are `rows + 1` steps away.
  bool among = false;
  /// Labels are read of vertices that are up to so many steps away; -1: of none.
  int labels = -1;
  std::string problem;  ///< Empty: all above holds.
  SourceLoc loc;        ///< Of the problem; may be invalid.

  bool ok() const { return problem.empty(); }
};

/// Proves that all that a module yields comes from single vertices, its roots, each of which is looked at by itself:
///
///     collect %n: sum i128 {
///       for %v in vertices(%G) {                       # rows = 0: that of the root
///         if (3 <= size(neighbors(%G, %v))) {
///           for %w in neighbors(%G, %v) {              # %w is 1 step away
///             yield %n, size(intersect(neighbors(%G, %v), neighbors(%G, %w)))     # among: are %w and another one so
///           }                                          # near adjacent?
///         } } }
///
/// Steps are those along arcs. What is yielded for a root is then the same in two graphs if
/// - the vertices up to `rows` steps from it, by either of the graphs, have the same rows in both,
/// - with `among`, so have those at `rows + 1` steps but for vertices that are further away, and
/// - the vertices up to `labels` steps away have the same labels.
/// For it runs alike: by what it has read so far it comes to the same vertex and reads the same there. (A row of which
/// only items that are in another, whole row are kept is asked about these items alone.)
///
/// Requires: stage loop, what the pipeline `nests` leaves; a simple graph. Of the module's own block each step is a
/// `collect` of loops over all vertices, a `let` of a scalar, or `return`, and what the latter have is made of what was
/// collected. Gives up on all that a root cannot see, such
/// as how many vertices there are, other loops over all of them, ids that are computed, information of edges, results
/// of other steps, and graphs that are built.
RootReads read_roots(const Module& module);

}  // namespace matcha::ir
