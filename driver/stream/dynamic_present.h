#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "driver/resident_graph.h"
#include "driver/stream/present.h"
#include "driver/stream/update.h"
#include "runtime/stream/dynamic_graph.h"

namespace matcha::driver::stream {

/// A graph that follows a stream in place, in ids as programs see them. Vertices have numbers, in the order in which
/// they came; places are those of the dynamic graph. Labels that programs ask for are classes 1, 2, …; class 0 has all
/// other vertices.
class DynamicPresent final : public Present {
 public:
  using Numbers = runtime::stream::DynamicGraph;

  /// Requires: ids are ints, and edges have no labels.
  explicit DynamicPresent(const ResidentGraph::Shared& start);

  /// Lays the vertices out anew, by classes: item i is the label of class i + 1, which may be none.
  void set_classes(const std::vector<std::optional<std::int64_t>>& labels);
  /// Labels got other codes: those of all vertices by a map, and those of the classes. Requires: as many classes.
  template <typename Recode>
  void recode(const Recode& recode, const std::vector<std::optional<std::int64_t>>& class_labels) {
    for (std::int64_t& label : labels_) label = recode(label);
    name_classes(class_labels);
  }

  runtime::stream::DynamicGraph& graph() { return *graph_; }
  const runtime::stream::DynamicGraph& graph() const { return *graph_; }
  /// The number of a vertex that is there.
  std::optional<std::uint32_t> number(std::int64_t id) const;
  std::int64_t id(std::uint32_t number) const { return ids_[number]; }
  std::uint32_t class_of_label(std::int64_t label) const;

  /// Follows a change of a vertex, which has no edges: it comes, goes, or gets another label. `maybe_class`: a class
  /// that it has in place of its label's, for a while. False: it does not fit.
  bool take(const VertexChange& change, std::optional<std::uint32_t> maybe_class = std::nullopt);

  /// What to do to `base` to get this graph.
  NetBatch difference_to(const ResidentGraph& base) const;

  bool directed() const override { return graph_->directed(); }
  bool keeps_edge_labels() const override { return false; }
  std::uint64_t vertex_count() const override { return vertices_; }
  std::uint64_t edge_count() const override { return graph_->edge_count(); }
  std::optional<std::int64_t> label_of(std::int64_t id) const override;
  void labels_between(std::int64_t u, std::int64_t v, std::vector<std::int64_t>& labels) const override;
  bool has_edge(std::int64_t u, std::int64_t v, std::int64_t label) const override;
  std::uint64_t degree_of(std::int64_t id) const override;
  void each_edge_at(std::int64_t id, const TakeEdge& take) const override;

 private:
  std::uint32_t number_or_new(std::int64_t id);
  void name_classes(const std::vector<std::optional<std::int64_t>>& labels);

  std::shared_ptr<const runtime::Universe> first_;  ///< Ranks of the first graph are numbers.
  std::unordered_map<std::int64_t, std::uint32_t> later_;
  std::vector<std::int64_t> ids_;     ///< By number.
  std::vector<std::int64_t> labels_;  ///< By number.
  std::unordered_map<std::int64_t, std::uint32_t> classes_;
  std::uint32_t class_count_ = 1;
  std::uint64_t vertices_ = 0;
  std::unique_ptr<runtime::stream::DynamicGraph> graph_;
};

}  // namespace matcha::driver::stream
