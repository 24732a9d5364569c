#pragma once

#include "engines/identities/motif.h"
#include "engines/identities/sum.h"
#include "engines/identities/vertex_loop.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::runtime::motif {

/// The largest degree whose vertices have counters of 16 bits.
inline constexpr std::uint64_t kMostNarrow = 65535;

/// A graph with ranks by degree, the largest first, for the motifs of 3 and 4 vertices. A vertex is lighter than those
/// before it; its row begins with those that are heavier.
struct FourGraph {
  Graph graph;
  std::uint64_t size = 0;
  const std::uint64_t* offsets = nullptr;
  const std::uint32_t* near = nullptr;
  Buffer<std::uint64_t> edges;  ///< By vertex, how many edges lie before its own, which go to heavier vertices.

  std::uint64_t degree(std::uint64_t vertex) const { return offsets[vertex + 1] - offsets[vertex]; }
  const std::uint32_t* begin(std::uint64_t vertex) const { return near + offsets[vertex]; }
  const std::uint32_t* end(std::uint64_t vertex) const { return near + offsets[vertex + 1]; }
  std::uint64_t heavier(std::uint64_t vertex) const { return edges[vertex + 1] - edges[vertex]; }
  /// Where those begin that are lighter.
  const std::uint32_t* lighter(std::uint64_t vertex) const { return begin(vertex) + heavier(vertex); }
};

/// Requires: an undirected simple graph without edge information and without a hash index. A stored order is taken as
/// it is. Errors: Resource when out of memory.
Result<FourGraph> rank_for_four(const Graph& graph);

/// What the motifs of 3 and 4 vertices are made of; d is the degree, t the triangles on an edge.
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

/// Whether these are all that is wanted, 4-cycles with them: without them a walk over triangles alone is shorter.
bool are_for_four(const MotifSet& wanted);

/// By edge, in the order of `FourGraph::edges`: triangles whose third vertex is lighter than the heavier end.
using LighterThirds = Buffer<std::uint32_t>;

/// Walks over the wedges between each vertex and those lighter than it: adds `four_cycles`, and gives the thirds if
/// they are wanted. `most_narrow`: at most kMostNarrow; any number gives the same. Incomplete once `loop` was ended.
/// Throws: std::bad_alloc.
LighterThirds walk_lighter(const FourGraph& graph, bool thirds, std::uint64_t most_narrow, VertexLoop& loop,
                           FourSums& sums);
/// Walks over the edges between the heavier neighbours of each vertex: adds all other sums. Incomplete once `loop` was
/// ended. Throws: std::bad_alloc.
void walk_heavier(const FourGraph& graph, const LighterThirds& thirds, VertexLoop& loop, FourSums& sums);

}  // namespace matcha::runtime::motif
