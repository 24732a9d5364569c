#pragma once

#include <memory>
#include <vector>

#include "incremental/present.h"
#include "incremental/update.h"
#include "runtime/result.h"
#include "session/resident_graph.h"

namespace matcha::session::stream {

/// The graph after a batch: one pass over its arrays. All its vertices have a label entry; if no vertex is created or
/// deleted, it shares the universe. Errors: Runtime when the batch does not fit the graph; Resource when out of memory.
/// Requires: ids are ints.
runtime::Result<ResidentGraph::Shared> rebuilt(const ResidentGraph& graph, const NetBatch& batch);

/// The same graph with other codes for its label words; vertices without a label get the empty word, if it is one of
/// the words. Errors: Runtime when a word is not in the dictionary, or a number is the code of a word.
runtime::Result<ResidentGraph::Shared> recoded(const ResidentGraph& graph,
                                               std::shared_ptr<const runtime::LabelDictionary> dictionary);

/// The code in `to` of a label of `from`; empty if the word is missing, or if the label is a negative number that would
/// be the code of a word.
std::optional<std::int64_t> recode(std::int64_t label, const runtime::LabelDictionary& from,
                                   const runtime::LabelDictionary& to);

/// A graph in memory as a Present. Requires: ids are ints.
class PresentGraph final : public Present {
 public:
  explicit PresentGraph(ResidentGraph::Shared graph) : graph_(std::move(graph)) {}

  void set(ResidentGraph::Shared graph) {
    graph_ = std::move(graph);
    sources_.clear();
    arcs_to_.clear();
  }
  const ResidentGraph::Shared& graph() const { return graph_; }

  bool directed() const override { return graph_->graph().facts().directed; }
  bool keeps_edge_labels() const override { return graph_->maybe_informed() != nullptr; }
  std::uint64_t vertex_count() const override { return graph_->graph().vertex_count(); }
  std::uint64_t edge_count() const override { return arcs().edge_count(); }
  std::optional<std::int64_t> label_of(std::int64_t id) const override;
  void labels_between(std::int64_t u, std::int64_t v, std::vector<std::int64_t>& labels) const override;
  bool has_edge(std::int64_t u, std::int64_t v, std::int64_t label) const override;
  std::uint64_t degree_of(std::int64_t id) const override;
  void each_edge_at(std::int64_t id, const TakeEdge& take) const override;

 private:
  const runtime::Graph& arcs() const {
    return graph_->maybe_informed() != nullptr ? *graph_->maybe_informed() : graph_->graph();
  }
  runtime::ArcRange range_between(std::int64_t u, std::int64_t v) const;
  void find_sources() const;

  ResidentGraph::Shared graph_;
  /// For a directed graph, filled on first use: for each rank its incoming arcs.
  mutable std::vector<std::uint32_t> sources_;
  mutable std::vector<std::uint64_t> arcs_to_;
};

}  // namespace matcha::session::stream
