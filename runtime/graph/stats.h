#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/graph.h"

namespace matcha::runtime {

/// Facts of a graph for `matcha graph info`. Degrees are out-degrees, which for an undirected graph are the degrees.
struct GraphStats {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;  ///< Undirected edges, or arcs.
  std::uint64_t arcs = 0;
  std::uint64_t min_degree = 0, median_degree = 0, max_degree = 0;  ///< Median: the lower one.
  double mean_degree = 0;
  std::uint64_t isolated = 0;  ///< Vertices with no arc out or in.
  /// Item 0: vertices of degree 0; item i: vertices of degree 2^(i-1) … 2^i - 1.
  std::vector<std::uint64_t> degree_histogram;
  /// Label code and number of vertices, most frequent first, then by code.
  std::vector<std::pair<std::int64_t, std::uint64_t>> labels;
};

GraphStats graph_stats(const Graph& graph);

/// The number of vertices with no arc out or in. Reads no arcs if the graph is undirected. Throws std::bad_alloc.
std::uint64_t isolated_vertices(const Graph& graph);

/// Computes all totals. Throws std::bad_alloc.
GraphTotals totals_of(const Graph& graph);

}  // namespace matcha::runtime
