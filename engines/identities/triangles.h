#pragma once

#include <cstdint>

#include "engines/identities/ranked_graph.h"
#include "engines/identities/vertex_loop.h"
#include "runtime/graph/buffer.h"

namespace matcha::runtime::motif {

/// A triangle of a ranked graph: `u` < `v` < `w`, and its arcs up.
struct Corners {
  std::uint64_t u, v, w;
  std::uint64_t uv, vw, uw;
};

/// Adds to the cells of the three edges of a triangle.
template <typename Loop, typename Cells>
void add_to_edges(const Loop& loop, Cells& cells, const Corners& c, std::uint64_t uv, std::uint64_t vw,
                  std::uint64_t uw) {
  loop.add(cells[c.uv], uv);
  loop.add(cells[c.vw], vw);
  loop.add(cells[c.uw], uw);
}

/// For each vertex 0, or a position in the neighbour list of the current vertex. All are 0 between two uses.
using Marks = Buffer<std::uint32_t>;
Marks unmarked(std::uint64_t size);

/// Calls `visit` with each triangle that has `u` as its smallest vertex, by v, then by w.
template <typename Visit>
void for_each_triangle(const RankedGraph& graph, std::uint64_t u, Marks& marks, const Visit& visit) {
  const std::uint64_t first = graph.split[u], end = graph.end(u);
  if (end - first < 2) return;
  for (std::uint64_t p = first; p != end; ++p) marks[graph.near[p]] = static_cast<std::uint32_t>(p - first + 1);
  for (std::uint64_t p = first; p != end; ++p) {
    const std::uint64_t v = graph.near[p];
    for (std::uint64_t q = graph.split[v]; q != graph.end(v); ++q) {
      const std::uint32_t w = graph.near[q];
      if (marks[w] != 0) visit(Corners{u, v, w, p, q, first + marks[w] - 1});
    }
  }
  for (std::uint64_t p = first; p != end; ++p) marks[graph.near[p]] = 0;
}

/// The triangles of a graph, by edge.
struct Triangles {
  Buffer<std::uint32_t> on;     ///< By arc, the number of triangles with it.
  Buffer<std::uint64_t> at;     ///< By vertex, the same.
  Buffer<std::uint64_t> start;  ///< By arc, the start of its third vertices; absent without lists.
  Buffer<std::uint32_t> third;  ///< The third vertices of each edge, ascending.
  /// By vertex, with lists: over its triangles, the number of triangles on the opposite edge.
  Buffer<std::uint64_t> facing;
};

/// Counts the triangles of each edge and each vertex. Incomplete if `loop` was ended. Throws: std::bad_alloc.
Triangles count_triangles(const RankedGraph& graph, VertexLoop& loop);
/// Adds the lists. Throws: std::bad_alloc.
void list_triangles(const RankedGraph& graph, VertexLoop& loop, Triangles& triangles);

}  // namespace matcha::runtime::motif
