#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "incremental/edge_labels.h"
#include "incremental/id_numbers.h"
#include "incremental/present.h"
#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/graph_versions.h"
#include "incremental/update.h"
#include "session/resident_graph.h"

namespace matcha::session::stream {

/// A graph that follows a stream in place, with ids as programs see them. Vertices have numbers in the order of their
/// arrival; places are those of the dynamic graph. Labels that programs use are classes 1, 2, …; class 0 has all other
/// vertices. If edges have labels, layer 0 of the dynamic graph has each adjacent pair, and layers 1, 2, … the edges
/// with the labels that programs use.
class DynamicPresent final : public Present {
 public:
  using Numbers = runtime::stream::DynamicGraph;

  /// Requires: ids are ints.
  explicit DynamicPresent(const ResidentGraph::Shared& start);

  /// Labels of classes 1, 2, …, and of layers 1, 2, …; each may be empty.
  struct Numbered {
    std::vector<std::optional<std::int64_t>> classes, layers;
  };
  /// Rebuilds the graph with these classes and layers. Requires: no layers if edges have no labels.
  void set_classes(const Numbered& labels);
  /// Replaces codes of labels: all of them by a map, and those of classes and layers. Vertices without a label get
  /// `none`. Requires: the same number of classes and layers.
  template <typename Recode>
  void recode(const Recode& recode, std::int64_t none, const Numbered& labels) {
    for (std::int64_t& label : labels_) label = label == runtime::kNoLabel ? none : recode(label);
    name_classes(labels.classes);
    if (edge_labels_ != nullptr) edge_labels_->recode(recode, labels.layers);
  }

  runtime::stream::DynamicGraph& graph() { return *graph_; }
  const runtime::stream::DynamicGraph& graph() const { return *graph_; }
  /// For readers of rows that no pattern describes: from now on no edge stands aside (see DynamicGraph).
  void keep_rows() const { graph_->keep_rows(); }
  /// The number of an existing vertex.
  std::optional<std::uint32_t> number(std::int64_t id) const;
  std::int64_t id(std::uint32_t number) const { return ids_.id(number); }
  std::int64_t label(std::uint32_t number) const { return labels_[number]; }
  std::uint32_t class_of_label(std::int64_t label) const;
  /// The edges of an existing vertex, in each layer, by numbers of their ends.
  std::vector<runtime::stream::EdgeUpdate> edges_of(std::uint32_t number) const;

  /// Applies a change of a vertex without edges: it is created, deleted, or gets another label. `maybe_class`: a
  /// temporary class instead of its label's. False: it does not fit.
  bool take(const VertexChange& change, std::optional<std::uint32_t> maybe_class = std::nullopt);

  /// Converts the edges of a batch that are deleted, or inserted, to changes of rows. An edge with labels gives one
  /// change for each label with a layer, and one in layer 0 if it is the last or the first of its pair, before or after
  /// the whole batch. The labels are updated at once; the caller changes the rows. Between the two calls, a pair that
  /// loses all its edges and gets others has an edge with a placeholder label. False: a vertex or an edge does not fit.
  /// Call order: deletions, then changes of vertices, then insertions.
  bool take_deleted(const NetBatch& batch, std::vector<runtime::stream::EdgeUpdate>& changes);
  bool take_inserted(const NetBatch& batch, std::vector<runtime::stream::EdgeUpdate>& changes);
  /// Restores the labels of edges to those before the last batch, which had edges only; the caller changes the rows.
  void take_labels_back(const NetBatch& batch);

  /// The changes from `base` to this graph.
  NetBatch difference_to(const ResidentGraph& base) const;

  bool directed() const override { return graph_->directed(); }
  bool keeps_edge_labels() const override { return edge_labels_ != nullptr; }
  std::uint64_t vertex_count() const override { return vertices_; }
  std::uint64_t edge_count() const override {
    return edge_labels_ != nullptr ? edge_labels_->size() : graph_->edge_count();
  }
  std::optional<std::int64_t> label_of(std::int64_t id) const override;
  void labels_between(std::int64_t u, std::int64_t v, std::vector<std::int64_t>& labels) const override;
  bool has_edge(std::int64_t u, std::int64_t v, std::int64_t label) const override;
  void look_up(std::span<const EdgeChange> edges, Presence* known) const override;
  std::uint64_t degree_of(std::int64_t id) const override;
  void each_edge_at(std::int64_t id, const TakeEdge& take) const override;

 private:
  std::uint32_t number_or_new(std::int64_t id);
  void name_classes(const std::vector<std::optional<std::int64_t>>& labels);
  void load_labels(const runtime::GraphView& informed);
  static constexpr std::size_t kGroup = 32;  ///< Edges that are looked up at once.
  struct Ends {
    std::optional<std::uint32_t> u, v;                                     ///< Numbers,
    std::uint32_t from = runtime::stream::DynamicGraph::kNone, to = from;  ///< and places.
    bool has_row = false;
  };
  void find(std::span<const EdgeChange> group, std::span<Ends> ends) const;
  template <typename Take>
  bool each_found(std::span<const EdgeChange> edges, const Take& take) const;
  template <typename Take>
  void each_edge_of(std::uint32_t number, const Take& take) const;

  IdNumbers ids_;                     ///< Ranks of the first graph are vertex numbers.
  std::vector<std::int64_t> labels_;  ///< By number.
  std::unordered_map<std::int64_t, std::uint32_t> classes_;
  std::uint32_t class_count_ = 1;
  std::uint64_t vertices_ = 0;
  std::unique_ptr<runtime::stream::DynamicGraph> graph_;
  std::unique_ptr<EdgeLabels> edge_labels_;  ///< Null: edges have no labels.
  std::vector<EdgeChange> held_;             ///< Edges with the placeholder label, between deletions and insertions.
};

}  // namespace matcha::session::stream
