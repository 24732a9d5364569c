#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/differential/world.h"

/// Matches of patterns by trying every map: the meaning of patterns, with no code of the compiler.
namespace matcha::differential {

/// A pattern in plain arrays.
struct PlainPattern {
  int size = 0;
  std::set<std::pair<int, int>> arcs;                                 ///< Both directions of an undirected edge.
  std::set<std::pair<int, int>> anti;                                 ///< Both orders.
  std::vector<std::int64_t> labels;                                   ///< Codes as in World; kAnyLabel: any.
  std::map<std::pair<int, int>, std::set<std::int64_t>> edge_labels;  ///< All of them must be there.

  static constexpr std::int64_t kAnyLabel = INT64_MAX;
};

/// Every injective map of the pattern into the world's graph that keeps arcs and labels, including those of arcs, and
/// has no arc at an anti-edge. With `vertex_induced` it has only the pattern's arcs. Rows of vertex ids, ascending.
std::vector<std::vector<std::int64_t>> embeddings(const PlainPattern& pattern, const World& world, bool vertex_induced);

/// How many permutations of its vertices keep arcs with their labels, anti-edges and labels. With `vertex_induced`
/// anti-edges say nothing new and are left out.
std::int64_t automorphisms(const PlainPattern& pattern, bool vertex_induced);

}  // namespace matcha::differential
