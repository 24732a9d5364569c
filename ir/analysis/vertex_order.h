#pragma once

#include <string>

#include "ir/analysis/nests.h"
#include "ir/nodes.h"

namespace matcha::ir {

/// The influence of the order of vertices on a program.
struct VertexOrder {
  /// Every order of the vertices gives the same results.
  bool is_free = false;
  /// Ids are compared, so the order affects which items the loops walk.
  bool is_used = false;
  /// Ids are compared in a nest of at least three items, so the order affects the lengths of its lists. With two items,
  /// each pair of neighbours is met once in any order.
  bool is_deep = false;
  /// Inner loops walk smaller ids more often than larger ones.
  bool walks_down = false;
  std::string why_not;  ///< The reason why it is not known to be free; empty if it is.
  SourceLoc loc;        ///< Place of that reason; may be invalid.
};

/// Proves, if possible, that the results of a program do not depend on the order of its graph's vertices. Comparisons
/// of ids that break the symmetry of a pattern are the usual case: of u < v < w on a triangle exactly one of six
/// assignments holds, for any ids.
///
/// Each nest of `read_nests` is split into cases of which items are the same vertex. A case has conditions on k
/// different vertices (adjacency, labels, sizes), and conditions on their order. The first part has automorphisms:
/// permutations of the items that keep it and the value. For each of the k! orders of k vertices, the automorphisms
/// that satisfy the order conditions are counted; nests with the same first part are counted together. The program is
/// free if no count depends on the order: of each sum, or else of those that a result adds up. This is exact for the
/// count of a nest; each order is tried once up to automorphisms (at most 8!).
///
/// Requires: stage loop, before conditions become slices; the graph is symmetric, simple and without loops. Gives up on
/// problems of `read_nests`, on more than 8 items, and on comparisons within sums that are multiplied or compared.
/// `maybe_labels`: as for `read_nests`.
VertexOrder vertex_order(const Module& module, const std::vector<std::string>* maybe_labels = nullptr);
/// The same for nests that were read.
VertexOrder vertex_order(const Module& module, ModuleNests read);

}  // namespace matcha::ir
