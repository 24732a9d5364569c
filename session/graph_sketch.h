#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "planner/sketch.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/labels.h"
#include "runtime/sample/sampler.h"

namespace matcha::session {

/// The purpose of a sketch.
struct SketchUse {
  pattern::Device device = pattern::Device::Cpu;  ///< Where the program is to run.
  /// With ranks by degree, the largest first, as restrictions of patterns put the largest ids first, so that programs
  /// walk down.
  bool by_degree = false;
  bool vertex_labels = true;  ///< The pattern has labels of vertices; without, those of the graph are not looked at.
  /// The pattern's matches depend on the labels of its arcs (LabelModel): degrees are sampled, and triangles and arcs
  /// between labels of vertices left out.
  bool arc_labels = false;
};

/// Statistics of a graph for the cost model of patterns. Degrees are out-degrees. The number of triangles is
/// estimated from sampled pairs of neighbours, the same ones each time; arcs between labels are counted, on very large
/// graphs for a part of the vertices.
pattern::GraphSketch sketch_of(const runtime::Graph& graph, const runtime::LabelDictionary& dictionary,
                               const SketchUse& use);

/// The sketches of graphs that do not change. Each is computed once but for the samples, of which every returned sketch
/// has new ones. Any number of threads may call.
class SketchCache {
 public:
  /// As `sketch_of`. Requires: the graph and the dictionary live as long as this.
  pattern::GraphSketch of(const runtime::Graph& graph, const runtime::LabelDictionary& dictionary,
                          const SketchUse& use);

 private:
  using Key = std::tuple<const runtime::Graph*, pattern::Device, bool, bool, bool>;
  struct Known {
    pattern::GraphSketch sketch;
    std::map<std::string, std::int64_t> codes;  ///< The codes of the labels of vertices.
  };

  std::mutex mutex_;
  std::map<Key, Known> known_;
  std::map<const runtime::Graph*, std::shared_ptr<const runtime::sample::Sampler>> samplers_;
};

}  // namespace matcha::session
