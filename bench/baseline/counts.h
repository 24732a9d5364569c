#pragma once

#include <cstdint>
#include <vector>

#include "runtime/abi.h"

/// Hand-written loop nests with scalar merges, the baseline for compiled programs. They only count. They use the slice
/// of a list below the current vertex where the pattern allows, and store a list only if a deeper level iterates over
/// it.
namespace matcha::bench {

/// A loaded graph as the loops want it.
struct Csr {
  std::uint64_t vertices;
  const std::uint64_t* offsets;
  const std::uint32_t* neighbors;
  std::uint64_t max_degree;
  std::vector<std::uint64_t> below;  ///< For each vertex, the number of neighbours with a smaller id.

  explicit Csr(const runtime::GraphView& view);
  const std::uint32_t* list(std::uint64_t v) const { return neighbors + offsets[v]; }
  std::uint64_t degree(std::uint64_t v) const { return offsets[v + 1] - offsets[v]; }
};

/// Triangles u > v > w.
std::uint64_t triangles(const Csr& graph);
/// 4-cliques u > v > w > x.
std::uint64_t four_cliques(const Csr& graph);
/// The same number, on a graph that is oriented from lower to higher degree first, as in examples/clique4.mt.
std::uint64_t oriented_four_cliques(const Csr& graph);
/// Edge-induced diamonds: pairs of common neighbours of each edge.
std::uint64_t diamonds(const Csr& graph);

}  // namespace matcha::bench
