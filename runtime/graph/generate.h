#pragma once

#include <cstdint>

#include "runtime/graph/graph.h"
#include "runtime/graph/io.h"
#include "runtime/result.h"

/// Graphs from formulas and seeds. All are undirected and simple over ids 0…n-1, and every vertex is in the graph,
/// isolated or not. Same arguments, same graph: on every machine and for every number of threads.
/// Errors: Input for arguments that make no sense; Resource for graphs past the limits.
namespace matcha::runtime {

/// Recursive matrix graph: 2^scale vertices and edge_factor·2^scale draws; loops and repeats are dropped.
/// Each draw picks a quadrant with probability a, b, c, 1-a-b-c at each level (Chakrabarti, Zhan, Faloutsos 2004).
struct RmatSpec {
  unsigned scale = 10;
  std::uint64_t edge_factor = 16;
  double a = 0.57, b = 0.19, c = 0.19;
  std::uint64_t seed = 1;
};
Result<Graph> generate_rmat(const RmatSpec& spec, const IoOptions& options = {});

/// Exactly `edges` distinct edges, all sets equally likely.
Result<Graph> generate_erdos_renyi(std::uint64_t vertices, std::uint64_t edges, std::uint64_t seed,
                                   const IoOptions& options = {});
/// Each of the n(n-1)/2 edges with the given probability (geometric skips: Batagelj, Brandes 2005).
Result<Graph> generate_gnp(std::uint64_t vertices, double probability, std::uint64_t seed,
                           const IoOptions& options = {});

Result<Graph> generate_clique(std::uint64_t vertices, const IoOptions& options = {});
/// Vertex 0 joined to all others.
Result<Graph> generate_star(std::uint64_t vertices, const IoOptions& options = {});
Result<Graph> generate_path(std::uint64_t vertices, const IoOptions& options = {});
/// Requires: at least 3 vertices.
Result<Graph> generate_cycle(std::uint64_t vertices, const IoOptions& options = {});
/// rows × columns points, each joined to its right and lower one; id = row·columns + column.
Result<Graph> generate_grid(std::uint64_t rows, std::uint64_t columns, const IoOptions& options = {});
/// Complete bipartite: ids 0…left-1 joined to left…left+right-1.
Result<Graph> generate_bipartite(std::uint64_t left, std::uint64_t right, const IoOptions& options = {});

/// Random labels, uniformly distributed, as benchmarks assign them to graphs without labels.
struct RandomLabels {
  std::uint64_t vertices = 0;  ///< Each vertex gets a label in 1…n; 0 keeps the labels of the graph.
  std::uint64_t edges = 0;     ///< The same for edges; both arcs of an undirected edge have its label.
  std::uint64_t seed = 1;
};

/// A copy of the graph with random labels. The same graph and seed give the same labels on every machine and for every
/// number of threads; labels of vertices do not depend on `wanted.edges`. Errors: Input where edges should get labels
/// and have some; Resource when out of memory.
Result<Graph> with_random_labels(const Graph& graph, const RandomLabels& wanted);

/// A random graph with the vertices, labels and degrees of `graph`; of a directed one with as many arcs that leave each
/// vertex, and that enter it. Pairs of edges exchange their ends, 20 tries an edge, unless a loop or a repeat would
/// come of it. The same graph and seed give the same on every machine. Errors: Input for graphs with loops or with edge
/// information; Resource when out of memory; Runtime `interrupted`.
Result<Graph> rewired(const Graph& graph, std::uint64_t seed, const IoOptions& options = {});

}  // namespace matcha::runtime
