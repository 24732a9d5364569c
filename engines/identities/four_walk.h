#pragma once

#include "engines/identities/motif.h"
#include "engines/identities/sum.h"
#include "engines/identities/vertex_loop.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::runtime::motif {

/// The largest degree of a vertex with 16-bit counters.
inline constexpr std::uint64_t kMostNarrow = 65535;

/// A graph with ranks by degree, the largest first, for the motifs of 3 and 4 vertices. A vertex is lighter than all
/// earlier ones; its row begins with the heavier neighbours.
struct FourGraph {
  Graph graph;
  std::uint64_t size = 0;
  const std::uint64_t* offsets = nullptr;
  const std::uint32_t* near = nullptr;
  /// By vertex, the number of edges before its own; the edges of a vertex are those to heavier vertices.
  Buffer<std::uint64_t> edges;

  std::uint64_t degree(std::uint64_t vertex) const { return offsets[vertex + 1] - offsets[vertex]; }
  const std::uint32_t* begin(std::uint64_t vertex) const { return near + offsets[vertex]; }
  const std::uint32_t* end(std::uint64_t vertex) const { return near + offsets[vertex + 1]; }
  std::uint64_t heavier(std::uint64_t vertex) const { return edges[vertex + 1] - edges[vertex]; }
  /// The start of the lighter neighbours.
  const std::uint32_t* lighter(std::uint64_t vertex) const { return begin(vertex) + heavier(vertex); }
};

/// Requires: an undirected simple graph without edge information and without a hash index. Uses a stored order as it
/// is. Errors: Resource when out of memory.
Result<FourGraph> rank_for_four(const Graph& graph);

/// The sums behind the motifs of 3 and 4 vertices; d is the degree, t the number of triangles on an edge.
struct FourSums {
  Sum wedges;       ///< Over vertices: d (d - 1) / 2.
  Sum three_stars;  ///< Over vertices: d (d - 1)(d - 2) / 2.
  Sum ways;         ///< Over edges: (d - 1)(d' - 1).
  Sum triangles;    ///< Over edges: t.
  Sum tails;        ///< Over edges: t (d + d' - 4).
  Sum diamonds;     ///< Over edges: t (t - 1) / 2.
  Sum four_cycles;
  Sum four_cliques;

  void add(const FourSums& other);
};

/// True if only these motifs are requested, including 4-cycles: without 4-cycles a pass over triangles alone is
/// shorter.
bool are_for_four(const MotifSet& wanted);

/// By edge, in the order of `FourGraph::edges`: triangles whose third vertex is lighter than the heavier end.
using LighterThirds = Buffer<std::uint32_t>;

/// A pass over the wedges between each vertex and lighter ones: adds `four_cycles`, and returns the thirds if
/// requested. `most_narrow`: at most kMostNarrow; does not affect the result. Incomplete if `loop` was ended. Throws:
/// std::bad_alloc.
LighterThirds walk_lighter(const FourGraph& graph, bool thirds, std::uint64_t most_narrow, VertexLoop& loop,
                           FourSums& sums);
/// A pass over the edges between the heavier neighbours of each vertex: adds all other sums. Incomplete if `loop` was
/// ended. Throws: std::bad_alloc.
void walk_heavier(const FourGraph& graph, const LighterThirds& thirds, VertexLoop& loop, FourSums& sums);

}  // namespace matcha::runtime::motif
