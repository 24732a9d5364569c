#pragma once

#include "engines/identities/sum.h"
#include "engines/identities/triangles.h"

namespace matcha::runtime::motif {

/// The sums to compute in a pass over the triangles.
struct TriangleRequest {
  bool terms = false;         ///< `hats`, `fans` and `above`.
  bool cliques = false;       ///< `four_cliques`.
  bool five_cliques = false;  ///< Needs `cliques`.
};

/// Sums over the triangles uvw of a graph; t is the number of triangles on an edge, d the degree.
struct TriangleSums {
  Sum hats;   ///< Over edges: (t - 1)(d - 2), d of the third vertex.
  Sum fans;   ///< Over pairs of edges: (t - 1)(t' - 1).
  Sum above;  ///< Over corners: neighbours above all three.
  Sum four_cliques;
  Sum five_cliques;

  void add(const TriangleSums& other);
};

/// Throws: std::bad_alloc.
TriangleSums walk_triangles(const RankedGraph& graph, const Triangles& triangles, const TriangleRequest& wants,
                            VertexLoop& loop);

}  // namespace matcha::runtime::motif
