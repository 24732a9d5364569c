#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/campaign/sample_graph.h"

/// Matches of a pattern by trying every map, each checked edge by edge: the meaning of patterns, with no code of the
/// compiler.
namespace matcha::campaign {

/// A pattern in plain facts.
struct PlainPattern {
  int size = 0;
  std::set<std::pair<int, int>> arcs;                               ///< Both directions of an edge.
  std::set<std::pair<int, int>> apart;                              ///< Pairs without an edge, in both orders.
  std::vector<std::string> labels;                                  ///< Names; empty: any.
  std::map<std::pair<int, int>, std::set<std::string>> arc_labels;  ///< All of them must be there.

  void add_arc(int u, int v) { arcs.insert({u, v}); }
  void add_edge(int u, int v) {
    add_arc(u, v);
    add_arc(v, u);
  }
};

/// The permutations of a pattern's vertices that keep all of its conditions.
std::vector<std::vector<int>> automorphisms(const PlainPattern& pattern, bool vertex_induced);

struct Matches {
  std::uint64_t embeddings = 0;
  std::vector<std::vector<std::int64_t>> rows;  ///< Rows of vertex ids, ascending; empty unless requested.
};

/// Every matching injective map of the pattern into the graph. Empty if there are too many to try.
std::optional<Matches> match(const PlainPattern& pattern, const SampleGraph& graph, bool vertex_induced, bool rows);

/// One connected graph of each isomorphism class with `n` vertices, found by trying all graphs.
std::vector<PlainPattern> connected_classes(int size);

}  // namespace matcha::campaign
