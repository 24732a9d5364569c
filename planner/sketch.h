#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "planner/samples.h"
#include "question/label_model.h"

namespace matcha::pattern {

/// Powers of degrees that a sketch adds up: 0 to kMostMoment.
inline constexpr int kMostMoment = 16;

/// The device of a program.
enum class Device { Cpu, Gpu };

/// Statistics of a graph for the cost model. The owner of the graph fills it in; the front end has none.
struct GraphSketch {
  bool of_graph = false;  ///< False: no graph, the figures are of a typical one.
  Device device = Device::Cpu;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;  ///< Undirected edges, or arcs.
  std::uint64_t max_degree = 0;
  bool loops = false;           ///< Some vertex is its own neighbour.
  bool hub_rows = true;         ///< On a GPU vertices with many neighbours have rows of bits.
  double triangles = 0;         ///< Estimated; each counted once.
  std::vector<double> moments;  ///< Item k: the sum of degree^k over the vertices.

  struct Label {
    std::vector<double> moments;  ///< The same over the vertices with the label.
  };
  std::map<std::string, Label> labels;                               ///< By literal: `3`, `'a'`. Empty: no labels.
  std::map<std::pair<std::string, std::string>, double> label_arcs;  ///< Arcs from one label to another.
  std::map<std::string, double> edge_labels;  ///< The share of arcs with each label of edges. Empty: not known.
  /// By label of edges: the most edges with it that one vertex has; for arcs, the most that enter one vertex. Labels
  /// without an item: not known.
  std::map<std::string, std::uint64_t> longest_rows;
  std::shared_ptr<const EdgeLabelFacts> maybe_label_facts;  ///< For directed graphs.
  std::shared_ptr<MatchSamples> maybe_samples;              ///< For undirected graphs.
};

/// A social network of a million vertices with twenty edges each; all labels are equally frequent, one in ten.
GraphSketch typical_graph();

}  // namespace matcha::pattern
