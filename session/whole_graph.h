#pragma once

#include "runtime/graph/graph.h"
#include "runtime/result.h"
#include "session/resident_graph.h"

namespace matcha::session {

/// A graph in memory with all that it was made of: loops, parallel edges, information of edges.
class WholeGraph {
 public:
  /// Errors: Resource.
  static runtime::Result<WholeGraph> of(ResidentGraph& resident);
  /// Requires: the resident graph lives.
  const runtime::Graph& operator*() const { return *graph_; }
  /// It has information of edges, and not the same for each.
  bool has_info() const { return has_info(*graph_); }
  static bool has_info(const runtime::Graph& graph) {
    return graph.view().edge_info != nullptr && !graph.facts().blank_info;
  }

 private:
  ResidentGraph::Shared looped_;  ///< Keeps the graph.
  const runtime::Graph* graph_ = nullptr;
};

}  // namespace matcha::session
