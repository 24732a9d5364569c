#pragma once

#include <cstdint>

#include "engines/identities/ranked_graph.h"
#include "engines/identities/sum.h"
#include "engines/identities/triangles.h"
#include "engines/identities/vertex_loop.h"
#include "runtime/graph/buffer.h"

namespace matcha::runtime::motif {

/// The longest bit rows of neighbourhoods, in words; larger neighbourhoods use lists.
inline constexpr std::uint64_t kMostRowWords = 64;

/// The sums to compute in a pass over the wedges, besides the 4-cycles.
struct WedgeRequest {
  bool by_edge = false;  ///< 4-cycles by edge.
  bool five_cycles = false;
  bool pairs = false;    ///< All common neighbours of each pair, including those of high ranks.
  bool inside = false;   ///< Edges between them; needs `pairs` and lists of triangles.
  bool wheels = false;   ///< Needs lists of triangles.
  bool cliques = false;  ///< The sums over 4-cliques of each triangle; needs lists of triangles.
  std::uint64_t most_row_words = kMostRowWords;
};

/// Sums over the wedges of a graph.
struct WedgeSums {
  Sum four_cycles;
  /// Over edges cd and vertices a above both: the number of paths from a over a lower vertex to c, times those to d.
  Sum closed;
  /// Over edges ad, d < a: the number of such paths from a to d, times the neighbours of d below a.
  Sum returned;
  Sum pairs;   ///< Over pairs with c common neighbours: c (c - 1) (c - 2).
  Sum inside;  ///< Over pairs: c - 2 for each edge between two of these neighbours.
  Sum wheels;  ///< 4-cycles among the neighbours of a vertex.
  /// Over triangles uvw with K 4-cliques on each, where t is the triangles on an edge and d the degree.
  Sum tails;         ///< K (d_u + d_v + d_w - 9).
  Sum clique_on;     ///< K times the sum of t - 2 over the edges.
  Sum clique_pairs;  ///< K (K - 1) / 2.

  void add(const WedgeSums& other);
};

/// By arc: the 4-cycles of its edge are the sum of this cell and that of its twin.
using CyclesOfArcs = Buffer<std::uint64_t>;

/// A pass over the wedges between each vertex and lower ones. Adds 4-cycles by edge to `cycles`, initially zeros, if
/// requested. Throws: std::bad_alloc.
WedgeSums walk_wedges(const RankedGraph& graph, const Triangles& triangles, const WedgeRequest& wants,
                      const SetKernels& sets, VertexLoop& loop, CyclesOfArcs& cycles);

}  // namespace matcha::runtime::motif
