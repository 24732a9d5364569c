#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/differential/world.h"

namespace matcha::campaign {

/// The common properties of all graphs for one program, on which its text depends.
struct GraphKind {
  enum class Arcs { Undirected, Directed, Either };

  Arcs arcs = Arcs::Undirected;
  int vertex_labels = 0;     ///< How many different ones; 0: none.
  bool label_words = false;  ///< They are words, not numbers.
  bool gaps = false;         ///< Some graphs have no labels.
  int edge_labels = 0;       ///< How many different ones; 0: none.
  bool edge_label_words = false;
  bool inputs = false;  ///< The other parameters of random programs have values too.
  int most = 12;        ///< Vertices of graphs that are not large.
  int large = 0;        ///< Vertices of the few large graphs; 0: no large graphs.
  int hub = 0;          ///< Neighbours of the hub in a few graphs; 0: no hubs.
};

/// A graph as plain facts, and as files that say the same in one of several ways.
struct SampleGraph {
  differential::World world;
  GraphKind kind;
  bool directed = false;
  bool listed = false;      ///< The file has lines for vertices and for edges (t/v/e), else it is a list of edges.
  std::uint64_t noise = 0;  ///< Decides about the order of lines, loops, repeats and the ends of edges.
  std::string shape;

  std::string file() const;
  /// Path of the labels file; empty: none.
  std::string labels_file() const;
  /// True if pairs of ids say it all.
  bool is_pairs() const;
  /// The same graph without one vertex, edge or item of a list, for each of them.
  std::vector<SampleGraph> smaller() const;
};

/// The word or number of the n-th label in files and patterns.
std::string vertex_label_name(const GraphKind& kind, int n);
std::string edge_label_name(const GraphKind& kind, int n);

/// A random graph of that kind, often degenerate; the same for the same seed.
SampleGraph random_graph(std::uint64_t seed, const GraphKind& kind);

}  // namespace matcha::campaign
