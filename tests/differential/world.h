#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/graph.h"
#include "runtime/graph/inputs.h"

namespace matcha::differential {

/// The inputs of a program: plain facts for the naive evaluator, and the same for the runtime.
struct World {
  std::vector<std::int64_t> vertices;  ///< The vertices of the graph `G`, ascending.
  bool directed = false;
  std::set<std::pair<std::int64_t, std::int64_t>> arcs;  ///< Both directions of every edge, if not directed.
  std::vector<std::int64_t> universe;                    ///< Ascending; holds `vertices`.
  std::map<std::int64_t, std::int64_t> labels;           ///< The labels of the vertices; empty: no labels.
  /// Labels of arcs, one or more for each: parallel edges. Empty: edges have no labels.
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> edge_labels;
  std::vector<std::string> words;                            ///< Ascending; word i has code -1 - i.
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;  ///< The parameter `E`.
  std::vector<std::int64_t> times;                           ///< `T`, as long as `E`.
  std::vector<std::int64_t> items;                           ///< `L`.
  std::vector<double> reals;                                 ///< `F`.
  std::int64_t k = 0;
  double r = 0;
  bool c = false;

  std::string to_text() const;
};

/// A small random world; often degenerate.
World random_world(std::uint64_t seed);

/// The same for the runtime.
struct RuntimeWorld {
  explicit RuntimeWorld(const World& world);

  std::shared_ptr<const runtime::Universe> universe;
  runtime::Graph graph;
  std::vector<std::int64_t> labels;  ///< One label for each rank, kNoLabel for none; empty without labels.
};

}  // namespace matcha::differential
