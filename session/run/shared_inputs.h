#pragma once

#include <map>
#include <memory>

#include "engines/search/match_batch.h"
#include "session/bind.h"
#include "session/motif_sets.h"
#include "session/resident_graph.h"

namespace matcha::session {

/// The common graph of several patterns: it is read once, and ranked by degree once. Patterns with labels of edges, and
/// patterns that see loops, read a file in another way, so it is read once for each kind.
class SharedInputs {
 public:
  /// The inputs of a program with one graph; `out` must not move afterwards.
  runtime::Status load(const Signature& program, const BindPlan& plan, const runtime::IoOptions& options,
                       BoundInputs& out);
  bool empty() const { return kept_.empty(); }
  /// True if the last `load` read the file.
  bool is_new() const { return is_new_; }
  /// The patterns that identities may count together.
  MotifSets& motifs() { return motifs_; }
  /// The patterns that a GPU matches together; null before the first one.
  std::shared_ptr<codegen::MatchBatch>& searches() { return searches_; }

 private:
  struct Kept {
    runtime::Inputs inputs;  ///< Without the graph.
    ResidentGraph::Shared graph;
    std::string name;
  };

  std::map<std::pair<bool, bool>, Kept> kept_;  ///< Key: with information of edges, with loops.
  bool is_new_ = false;
  MotifSets motifs_;
  std::shared_ptr<codegen::MatchBatch> searches_;
};

}  // namespace matcha::session
