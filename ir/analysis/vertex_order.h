#pragma once

#include <string>

#include "ir/nodes.h"

namespace matcha::ir {

/// What the order of the vertices is to a program.
struct VertexOrder {
  /// Every order of the vertices gives the same results.
  bool is_free = false;
  /// Ids are compared, so that the order decides which items the loops walk.
  bool is_used = false;
  /// Ids are compared in a nest of three items at least: which they are decides how long its lists are. Of two, each
  /// pair of neighbours is met once in any order.
  bool is_deep = false;
  /// Inner loops walk smaller ids more often than larger ones.
  bool walks_down = false;
  std::string why_not;  ///< Why it is not known to be free; empty if it is.
  SourceLoc loc;        ///< Of what `why_not` speaks; may be invalid.
};

/// Proves that a program cannot tell in which order the vertices of its graph are, where it can. Ids that break the
/// symmetry of a pattern are the usual case: of u < v < w on a triangle exactly one of six assignments holds, whatever
/// the ids are.
///
/// Each nest of `read_nests` is split by which of its items are the same vertex. What is left says of k different
/// vertices which are adjacent and what else holds (labels, sizes), and which comes before which. The first part has
/// automorphisms: permutations of the items that keep it and the value. For each of the k! orders of k vertices, those
/// are counted that put the items in an order that the second part admits; nests with the same first part are counted
/// together. The program is free if no count depends on the order. This is exact for what a nest counts; up to
/// automorphisms each order is tried once (at most 8!).
///
/// Requires: stage loop, before conditions become slices; neighbours are symmetric, simple and without loops. Gives up
/// on what `read_nests` calls a problem, on more than 8 items, and on order within sums that are multiplied or
/// compared. `maybe_labels`: as for `read_nests`.
VertexOrder vertex_order(const Module& module, const std::vector<std::string>* maybe_labels = nullptr);

}  // namespace matcha::ir
