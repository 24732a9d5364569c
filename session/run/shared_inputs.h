#pragma once

#include <map>
#include <memory>

#include "engines/search/match_batch.h"
#include "session/bind.h"
#include "session/motif_sets.h"
#include "session/resident_graph.h"

namespace matcha::session {

/// The one graph of several patterns: read once, and ranked by degree once. Patterns with labels of edges, and those
/// that see loops, read a file in another way, so it is read again for each kind.
class SharedInputs {
 public:
  /// The inputs of a program with one graph; `out` must not move afterwards.
  runtime::Status load(const Signature& program, const BindPlan& plan, const runtime::IoOptions& options,
                       BoundInputs& out);
  bool empty() const { return kept_.empty(); }
  /// Whether the last `load` read it.
  bool is_new() const { return is_new_; }
  /// Those of the patterns that may be counted together.
  MotifSets& motifs() { return motifs_; }
  /// Those that a GPU matches together; null before the first one.
  std::shared_ptr<codegen::MatchBatch>& searches() { return searches_; }

 private:
  struct Kept {
    runtime::Inputs inputs;  ///< Without the graph.
    ResidentGraph::Shared graph;
    std::string name;
  };

  std::map<std::pair<bool, bool>, Kept> kept_;  ///< By whether information of edges, and loops, were read.
  bool is_new_ = false;
  MotifSets motifs_;
  std::shared_ptr<codegen::MatchBatch> searches_;
};

}  // namespace matcha::session
