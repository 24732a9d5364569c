#include "driver/stream/dynamic_present.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace matcha::driver::stream {

namespace {

using runtime::stream::DynamicGraph;
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

void sort(std::vector<EdgeChange>& edges) {
  std::ranges::sort(edges, {}, [](const EdgeChange& edge) { return std::tie(edge.u, edge.v, edge.label); });
}

}  // namespace

DynamicPresent::DynamicPresent(const ResidentGraph::Shared& start) : first_(start->graph().shared_universe()) {
  const runtime::GraphView view = start->graph().view();
  std::vector<std::uint32_t> classes(view.universe, view.vertices == nullptr ? 0 : DynamicGraph::kNone);
  for (std::uint64_t i = 0; view.vertices != nullptr && i < view.vertex_count; ++i) classes[view.vertices[i]] = 0;
  for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
    ids_.push_back(first_->id(rank));
    labels_.push_back(view.labels == nullptr ? runtime::kNoLabel : view.labels[rank]);
  }
  vertices_ = view.vertex_count;
  graph_ = std::make_unique<DynamicGraph>(start->graph().facts().directed, 1, std::move(classes));
  Pairs edges;
  edges.reserve(start->graph().edge_count());
  for (std::uint32_t u = 0; u < view.universe; ++u) {
    for (std::uint64_t i = view.offsets[u]; i < view.offsets[u + 1]; ++i) {
      if (graph_->directed() || u < view.neighbors[i]) edges.emplace_back(u, view.neighbors[i]);
    }
  }
  graph_->load(edges);
}

void DynamicPresent::name_classes(const std::vector<std::optional<std::int64_t>>& labels) {
  classes_.clear();
  class_count_ = static_cast<std::uint32_t>(labels.size()) + 1;
  for (std::uint32_t i = 0; i < labels.size(); ++i) {
    if (labels[i]) classes_.emplace(*labels[i], i + 1);
  }
}

void DynamicPresent::set_classes(const std::vector<std::optional<std::int64_t>>& labels) {
  name_classes(labels);
  std::vector<std::uint32_t> classes(ids_.size(), DynamicGraph::kNone);
  Pairs edges;
  edges.reserve(graph_->edge_count());
  for (std::uint32_t v = 0; v < classes.size(); ++v) {
    const std::uint32_t place = graph_->place(v);
    if (place == DynamicGraph::kNone) continue;
    classes[v] = class_of_label(labels_[v]);
    for (const std::uint32_t target : graph_->after(place)) {
      const std::uint32_t w = graph_->vertex(target);
      if (graph_->directed() || v < w) edges.emplace_back(v, w);
    }
  }
  graph_ = std::make_unique<DynamicGraph>(graph_->directed(), class_count_, std::move(classes));
  graph_->load(edges);
}

std::optional<std::uint32_t> DynamicPresent::number(std::int64_t id) const {
  std::optional<std::uint32_t> found = first_->rank(id);
  if (!found) {
    const auto later = later_.find(id);
    if (later == later_.end()) return std::nullopt;
    found = later->second;
  }
  return graph_->place(*found) == DynamicGraph::kNone ? std::nullopt : found;
}

std::uint32_t DynamicPresent::class_of_label(std::int64_t label) const {
  const auto found = classes_.find(label);
  return found == classes_.end() ? 0 : found->second;
}

std::uint32_t DynamicPresent::number_or_new(std::int64_t id) {
  if (const std::optional<std::uint32_t> rank = first_->rank(id)) return *rank;
  const auto [found, fresh] = later_.try_emplace(id, static_cast<std::uint32_t>(ids_.size()));
  if (fresh) {
    ids_.push_back(id);
    labels_.push_back(runtime::kNoLabel);
  }
  return found->second;
}

bool DynamicPresent::take(const VertexChange& change, std::optional<std::uint32_t> maybe_class) {
  const std::uint32_t vertex = number_or_new(change.id);
  const bool there = graph_->place(vertex) != DynamicGraph::kNone;
  if (there != change.was) return false;
  if (change.is && !change.was) ++vertices_;
  if (change.was && !change.is) --vertices_;
  labels_[vertex] = change.new_label;
  graph_->set_class(vertex, change.is ? maybe_class.value_or(class_of_label(change.new_label)) : DynamicGraph::kNone);
  return true;
}

NetBatch DynamicPresent::difference_to(const ResidentGraph& base) const {
  NetBatch net;
  const runtime::GraphView view = base.graph().view();
  const runtime::Universe& universe = base.graph().universe();
  std::vector<bool> was(view.universe, view.vertices == nullptr);
  for (std::uint64_t i = 0; view.vertices != nullptr && i < view.vertex_count; ++i) was[view.vertices[i]] = true;
  for (std::uint32_t rank = 0; rank < view.universe; ++rank) {
    if (!was[rank]) continue;
    const std::int64_t u = universe.id(rank);
    const std::int64_t label = view.labels == nullptr ? runtime::kNoLabel : view.labels[rank];
    const std::optional<std::uint32_t> here = number(u);
    if (!here) {
      net.vertices.push_back({u, true, false, label, runtime::kNoLabel});
    } else if (labels_[*here] != label) {
      net.vertices.push_back({u, true, true, label, labels_[*here]});
    }
    for (std::uint64_t i = view.offsets[rank]; i < view.offsets[rank + 1]; ++i) {
      const std::int64_t v = universe.id(view.neighbors[i]);
      if ((directed() || u < v) && !has_edge(u, v, runtime::kNoLabel)) net.deleted.push_back({u, v});
    }
  }
  for (std::uint32_t number = 0; number < ids_.size(); ++number) {
    const std::uint32_t place = graph_->place(number);
    if (place == DynamicGraph::kNone) continue;
    const std::int64_t u = ids_[number];
    const std::optional<std::uint32_t> rank = universe.rank(u);
    const bool known = rank && was[*rank];
    if (!known) net.vertices.push_back({u, false, true, runtime::kNoLabel, labels_[number]});
    for (const std::uint32_t target : graph_->after(place)) {
      const std::int64_t v = ids_[graph_->vertex(target)];
      if (!directed() && v < u) continue;
      const std::optional<std::uint32_t> other = known ? universe.rank(v) : std::nullopt;
      const std::uint32_t* const row = view.neighbors;
      if (!other || !std::binary_search(row + view.offsets[*rank], row + view.offsets[*rank + 1], *other)) {
        net.inserted.push_back({u, v});
      }
    }
  }
  std::ranges::sort(net.vertices, {}, &VertexChange::id);
  sort(net.deleted);
  sort(net.inserted);
  return net;
}

std::optional<std::int64_t> DynamicPresent::label_of(std::int64_t id) const {
  const std::optional<std::uint32_t> found = number(id);
  if (!found) return std::nullopt;
  return labels_[*found];
}

bool DynamicPresent::has_edge(std::int64_t u, std::int64_t v, std::int64_t label) const {
  const std::optional<std::uint32_t> a = number(u), b = number(v);
  return a && b && label == runtime::kNoLabel && graph_->has_edge(graph_->place(*a), graph_->place(*b));
}

void DynamicPresent::labels_between(std::int64_t u, std::int64_t v, std::vector<std::int64_t>& labels) const {
  if (has_edge(u, v, runtime::kNoLabel)) labels.push_back(runtime::kNoLabel);
}

std::uint64_t DynamicPresent::degree_of(std::int64_t id) const {
  const std::optional<std::uint32_t> found = number(id);
  if (!found) return 0;
  const std::uint32_t place = graph_->place(*found);
  return graph_->after(place).size() + (directed() ? graph_->before(place).size() : 0);
}

void DynamicPresent::each_edge_at(std::int64_t id, const TakeEdge& take) const {
  const std::optional<std::uint32_t> found = number(id);
  if (!found) return;
  const std::uint32_t place = graph_->place(*found);
  for (const std::uint32_t target : graph_->after(place)) {
    take(id, ids_[graph_->vertex(target)], runtime::kNoLabel);
  }
  if (!directed()) return;
  for (const std::uint32_t source : graph_->before(place)) {
    take(ids_[graph_->vertex(source)], id, runtime::kNoLabel);
  }
}

}  // namespace matcha::driver::stream
