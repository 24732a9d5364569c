#pragma once

#include <cstdint>

#include "runtime/graph/buffer.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::runtime::motif {

/// A graph with ranks by degree, the smallest first, so that few neighbours of a vertex are above it, with the reverse
/// of each arc. Arcs are positions in `near`; a vertex's arcs to lower vertices come before those to higher ones.
struct RankedGraph {
  Graph graph;
  std::uint64_t size = 0;
  std::uint64_t arcs = 0;
  const std::uint64_t* offsets = nullptr;
  const std::uint32_t* near = nullptr;
  Buffer<std::uint64_t> split;  ///< By vertex, its first arc up.
  Buffer<std::uint64_t> twin;   ///< By arc (u, v), the arc (v, u).

  std::uint64_t begin(std::uint64_t vertex) const { return offsets[vertex]; }
  std::uint64_t end(std::uint64_t vertex) const { return offsets[vertex + 1]; }
  std::uint64_t degree(std::uint64_t vertex) const { return end(vertex) - begin(vertex); }
};

/// Requires: an undirected simple graph without edge information and without a hash index.
/// Errors: Resource when out of memory.
Result<RankedGraph> rank_for_motifs(const Graph& graph);

}  // namespace matcha::runtime::motif
