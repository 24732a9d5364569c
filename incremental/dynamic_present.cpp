#include "incremental/dynamic_present.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace matcha::session::stream {

namespace {

using runtime::stream::DynamicGraph;
using runtime::stream::EdgeUpdate;
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

void sort(std::vector<EdgeChange>& edges) {
  std::ranges::sort(edges, {}, [](const EdgeChange& edge) { return std::tie(edge.u, edge.v, edge.label); });
}

constexpr std::uint32_t kNone = DynamicGraph::kNone;

/// The placeholder label: no edge of a graph or a pattern has it.
constexpr std::int64_t kHeld = runtime::kNoLabel + 2;

bool same_ends(const EdgeChange& a, const EdgeChange& b) { return a.u == b.u && a.v == b.v; }

/// True if some edge of a sorted list has the ends.
bool joins(const std::vector<EdgeChange>& edges, const EdgeChange& ends) {
  return std::ranges::binary_search(edges, std::tie(ends.u, ends.v), {},
                                    [](const EdgeChange& edge) { return std::tie(edge.u, edge.v); });
}

}  // namespace

DynamicPresent::DynamicPresent(const ResidentGraph::Shared& start) {
  const runtime::GraphView view = start->graph().view();
  const runtime::Universe& universe = start->graph().universe();
  std::vector<std::uint32_t> classes(view.universe, view.vertices == nullptr ? 0 : DynamicGraph::kNone);
  for (std::uint64_t i = 0; view.vertices != nullptr && i < view.vertex_count; ++i) classes[view.vertices[i]] = 0;
  for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
    ids_.add(universe.id(rank));
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
  if (start->maybe_informed() != nullptr) load_labels(start->maybe_informed()->view());
}

void DynamicPresent::load_labels(const runtime::GraphView& informed) {
  edge_labels_ = std::make_unique<EdgeLabels>(directed());
  const auto* const labels = static_cast<const std::int64_t*>(informed.edge_info);
  for (std::uint32_t u = 0; u < informed.universe; ++u) {
    for (std::uint64_t i = informed.offsets[u]; i < informed.offsets[u + 1]; ++i) {
      const std::uint32_t v = informed.neighbors[i];
      if (directed() || u < v) edge_labels_->load(u, v, labels[i]);
    }
  }
  edge_labels_->end_load();
}

void DynamicPresent::name_classes(const std::vector<std::optional<std::int64_t>>& labels) {
  classes_.clear();
  class_count_ = static_cast<std::uint32_t>(labels.size()) + 1;
  for (std::uint32_t i = 0; i < labels.size(); ++i) {
    if (labels[i]) classes_.emplace(*labels[i], i + 1);
  }
}

void DynamicPresent::set_classes(const Numbered& labels) {
  graph_->set_asked({});
  name_classes(labels.classes);
  if (edge_labels_ != nullptr) edge_labels_->set_layers(labels.layers);
  std::vector<std::uint32_t> classes(ids_.size(), DynamicGraph::kNone);
  std::vector<Pairs> edges(labels.layers.size() + 1);
  edges.front().reserve(graph_->edge_count());
  for (std::uint32_t v = 0; v < classes.size(); ++v) {
    const std::uint32_t place = graph_->place(v);
    if (place == DynamicGraph::kNone) continue;
    classes[v] = class_of_label(labels_[v]);
    for (const std::uint32_t target : graph_->after(place)) {
      const std::uint32_t w = graph_->vertex(target);
      if (graph_->directed() || v < w) edges.front().emplace_back(v, w);
    }
    if (edge_labels_ == nullptr) continue;
    for (const EdgeLabels::Edge& edge : edge_labels_->owned(v)) {
      const std::uint32_t layer = edge_labels_->layer(edge.label);
      if (layer != 0) edges[layer].emplace_back(v, edge.to);
    }
  }
  const std::uint32_t layers = static_cast<std::uint32_t>(edges.size());
  const bool keeps_rows = graph_->keeps_rows();
  graph_ = std::make_unique<DynamicGraph>(graph_->directed(), class_count_, std::move(classes), layers);
  if (keeps_rows) graph_->keep_rows();
  for (std::uint32_t layer = 0; layer < layers; ++layer) graph_->load(edges[layer], layer);
}

std::optional<std::uint32_t> DynamicPresent::number(std::int64_t id) const {
  const std::optional<std::uint32_t> found = ids_.find(id);
  return found && graph_->place(*found) != DynamicGraph::kNone ? found : std::nullopt;
}

std::uint32_t DynamicPresent::class_of_label(std::int64_t label) const {
  const auto found = classes_.find(label);
  return found == classes_.end() ? 0 : found->second;
}

std::vector<EdgeUpdate> DynamicPresent::edges_of(std::uint32_t number) const {
  graph_->keep_rows();
  const std::uint32_t place = graph_->place(number);
  std::vector<EdgeUpdate> edges;
  for (std::uint32_t layer = 0; layer < graph_->layers(); ++layer) {
    for (const std::uint32_t p : graph_->after(place, layer)) edges.push_back({number, graph_->vertex(p), layer});
    if (!directed()) continue;
    for (const std::uint32_t p : graph_->before(place, layer)) edges.push_back({graph_->vertex(p), number, layer});
  }
  return edges;
}

std::uint32_t DynamicPresent::number_or_new(std::int64_t id) {
  if (const std::optional<std::uint32_t> known = ids_.find(id)) return *known;
  ids_.add(id);
  labels_.push_back(runtime::kNoLabel);
  return ids_.size() - 1;
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

/// The numbers and places of the ends of some edges, of which all are prefetched before the first one is read.
void DynamicPresent::find(std::span<const EdgeChange> group, std::span<Ends> ends) const {
  for (const EdgeChange& edge : group) {
    ids_.fetch(edge.u);
    ids_.fetch(edge.v);
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    ends[i] = {ids_.find(group[i].u), ids_.find(group[i].v)};
    if (ends[i].u) graph_->fetch_place(*ends[i].u);
    if (ends[i].v) graph_->fetch_place(*ends[i].v);
  }
  for (Ends& of : ends) {
    if (of.u) of.from = graph_->place(*of.u);
    if (of.v) of.to = graph_->place(*of.v);
  }
}

/// Calls `take` with each edge of a list, its position, the numbers of its ends, and their places, until it returns
/// false or the ends are not two vertices. True: all were taken.
template <typename Take>
bool DynamicPresent::each_found(std::span<const EdgeChange> edges, const Take& take) const {
  std::array<Ends, kGroup> room;
  for (std::size_t first = 0; first < edges.size(); first += kGroup) {
    const std::span<const EdgeChange> group = edges.subspan(first, std::min(kGroup, edges.size() - first));
    const std::span<Ends> ends = std::span(room).first(group.size());
    find(group, ends);
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Ends& of = ends[i];
      if (of.from == kNone || of.to == kNone || of.from == of.to) return false;
      if (!take(first + i, *of.u, *of.v, EdgeUpdate{of.from, of.to})) return false;
    }
  }
  return true;
}

bool DynamicPresent::take_deleted(const NetBatch& batch, std::vector<EdgeUpdate>& changes) {
  changes.clear();
  const std::vector<EdgeChange>& edges = batch.deleted;
  return each_found(edges, [&](std::size_t i, std::uint32_t u, std::uint32_t v, const EdgeUpdate& pair) {
    if (edge_labels_ == nullptr) {
      changes.push_back(pair);
      return true;
    }
    if (!edge_labels_->erase(u, v, edges[i].label)) return false;
    const std::uint32_t layer = edge_labels_->layer_of(edges[i].label);
    if (layer != 0) changes.push_back({pair.u, pair.v, layer});
    const bool is_last = i + 1 == edges.size() || !same_ends(edges[i], edges[i + 1]);
    if (!is_last || !edge_labels_->between(u, v).empty()) return true;
    if (joins(batch.inserted, edges[i])) {
      edge_labels_->insert(u, v, kHeld);
      held_.push_back(edges[i]);
    } else {
      changes.push_back(pair);
    }
    return true;
  });
}

bool DynamicPresent::take_inserted(const NetBatch& batch, std::vector<EdgeUpdate>& changes) {
  changes.clear();
  const bool released = each_found(held_, [&](std::size_t, std::uint32_t u, std::uint32_t v, const EdgeUpdate&) {
    return edge_labels_->erase(u, v, kHeld);
  });
  if (!released) return false;
  held_.clear();
  const std::vector<EdgeChange>& edges = batch.inserted;
  return each_found(edges, [&](std::size_t i, std::uint32_t u, std::uint32_t v, const EdgeUpdate& pair) {
    if (edge_labels_ == nullptr) {
      changes.push_back(pair);
      return true;
    }
    if (!edge_labels_->insert(u, v, edges[i].label)) return false;
    const bool is_first = i == 0 || !same_ends(edges[i - 1], edges[i]);
    if (is_first && !graph_->has_edge(pair.u, pair.v)) changes.push_back(pair);
    const std::uint32_t layer = edge_labels_->layer_of(edges[i].label);
    if (layer != 0) changes.push_back({pair.u, pair.v, layer});
    return true;
  });
}

void DynamicPresent::take_labels_back(const NetBatch& batch) {
  if (edge_labels_ == nullptr) return;
  const auto back = [&](const std::vector<EdgeChange>& edges, bool goes) {
    for (const EdgeChange& edge : edges) {
      const std::optional<std::uint32_t> u = number(edge.u), v = number(edge.v);
      if (!u || !v || *u == *v) continue;
      goes ? edge_labels_->erase(*u, *v, edge.label) : edge_labels_->insert(*u, *v, edge.label);
    }
  };
  back(batch.inserted, true);
  back(batch.deleted, false);
}

/// Calls `take` with the number of the other end, and the label, of each edge of a vertex; an undirected edge belongs
/// to both ends.
template <typename Take>
void DynamicPresent::each_edge_of(std::uint32_t number, const Take& take) const {
  if (edge_labels_ != nullptr) {
    for (const EdgeLabels::Edge& edge : edge_labels_->owned(number)) take(edge.to, edge_labels_->code(edge.label));
    return;
  }
  for (const std::uint32_t target : graph_->after(graph_->place(number))) {
    const std::uint32_t other = graph_->vertex(target);
    if (directed() || number < other) take(other, runtime::kNoLabel);
  }
}

NetBatch DynamicPresent::difference_to(const ResidentGraph& base) const {
  NetBatch net;
  const bool labelled = edge_labels_ != nullptr;
  const runtime::GraphView view = labelled ? base.maybe_informed()->view() : base.graph().view();
  const auto* const info = labelled ? static_cast<const std::int64_t*>(view.edge_info) : nullptr;
  const auto was_edge = [&](std::uint32_t u, std::uint32_t v, std::int64_t label) {
    const std::uint32_t* const row = view.neighbors;
    const auto [first, last] = std::equal_range(row + view.offsets[u], row + view.offsets[u + 1], v);
    return info == nullptr ? first != last : std::binary_search(info + (first - row), info + (last - row), label);
  };
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
      const std::int64_t edge_label = info == nullptr ? runtime::kNoLabel : info[i];
      if ((directed() || u < v) && !has_edge(u, v, edge_label)) net.deleted.push_back({u, v, edge_label});
    }
  }
  const auto add_new = [&](std::int64_t u, std::int64_t v, std::int64_t label) {
    const std::optional<std::uint32_t> from = universe.rank(u), to = universe.rank(v);
    if (from && to && was[*from] && was_edge(*from, *to, label)) return;
    net.inserted.push_back(directed() || u < v ? EdgeChange{u, v, label} : EdgeChange{v, u, label});
  };
  for (std::uint32_t number = 0; number < ids_.size(); ++number) {
    const std::uint32_t place = graph_->place(number);
    if (place == DynamicGraph::kNone) continue;
    const std::int64_t u = ids_.id(number);
    const std::optional<std::uint32_t> rank = universe.rank(u);
    const bool known = rank && was[*rank];
    if (!known) net.vertices.push_back({u, false, true, runtime::kNoLabel, labels_[number]});
    each_edge_of(number, [&](std::uint32_t end, std::int64_t label) { add_new(u, ids_.id(end), label); });
  }
  if (!labelled) {
    graph_->each_aside([&](std::uint32_t from, std::uint32_t to) {
      add_new(ids_.id(graph_->vertex(from)), ids_.id(graph_->vertex(to)), runtime::kNoLabel);
    });
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
  if (!a || !b) return false;
  if (edge_labels_ != nullptr) return edge_labels_->contains(*a, *b, label);
  return label == runtime::kNoLabel && graph_->has_edge(graph_->place(*a), graph_->place(*b));
}

/// Numbers, places, records and rows are scattered in memory, so all those of a group of edges are prefetched before
/// the first one is used.
void DynamicPresent::look_up(std::span<const EdgeChange> edges, Presence* known) const {
  std::array<Ends, kGroup> room;
  for (std::size_t first = 0; first < edges.size(); first += kGroup) {
    const std::span<const EdgeChange> group = edges.subspan(first, std::min(kGroup, edges.size() - first));
    const std::span<Ends> ends = std::span(room).first(group.size());
    find(group, ends);
    for (Ends& of : ends) {
      if (of.from == kNone || of.to == kNone) continue;
      of.has_row = graph_->asks(of.from, of.to);
      if (of.has_row) {
        graph_->fetch_record(of.from);
      } else {
        graph_->fetch_aside(of.from, of.to);
      }
    }
    for (const Ends& of : ends) {
      if (of.has_row) graph_->fetch_row(of.from);
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Ends& of = ends[i];
      const std::int64_t label = group[i].label;
      Presence& found = known[first + i];
      found = {false, of.from != kNone, of.to != kNone};
      if (!found.u || !found.v) continue;
      found.edge = edge_labels_ != nullptr ? edge_labels_->contains(*of.u, *of.v, label)
                                           : label == runtime::kNoLabel && graph_->has_edge(of.from, of.to);
    }
  }
}

void DynamicPresent::labels_between(std::int64_t u, std::int64_t v, std::vector<std::int64_t>& labels) const {
  if (edge_labels_ == nullptr) {
    if (has_edge(u, v, runtime::kNoLabel)) labels.push_back(runtime::kNoLabel);
    return;
  }
  const std::optional<std::uint32_t> a = number(u), b = number(v);
  if (!a || !b) return;
  const auto begin = static_cast<std::ptrdiff_t>(labels.size());
  for (const EdgeLabels::Edge& edge : edge_labels_->between(*a, *b)) labels.push_back(edge_labels_->code(edge.label));
  std::sort(labels.begin() + begin, labels.end());
}

std::uint64_t DynamicPresent::degree_of(std::int64_t id) const {
  const std::optional<std::uint32_t> found = number(id);
  if (!found) return 0;
  keep_rows();
  const std::uint32_t place = graph_->place(*found);
  if (edge_labels_ == nullptr) return graph_->after(place).size() + (directed() ? graph_->before(place).size() : 0);
  std::uint64_t edges = 0;
  each_edge_at(id, [&](std::int64_t, std::int64_t, std::int64_t) { ++edges; });
  return edges;
}

void DynamicPresent::each_edge_at(std::int64_t id, const TakeEdge& take) const {
  const std::optional<std::uint32_t> found = number(id);
  if (!found) return;
  keep_rows();
  const std::uint32_t place = graph_->place(*found);
  const auto each = [&](std::uint32_t u, std::uint32_t v) {
    if (edge_labels_ == nullptr) return take(ids_.id(u), ids_.id(v), runtime::kNoLabel);
    for (const EdgeLabels::Edge& edge : edge_labels_->between(u, v)) {
      take(ids_.id(u), ids_.id(v), edge_labels_->code(edge.label));
    }
  };
  for (const std::uint32_t target : graph_->after(place)) each(*found, graph_->vertex(target));
  if (!directed()) return;
  for (const std::uint32_t source : graph_->before(place)) each(graph_->vertex(source), *found);
}

}  // namespace matcha::session::stream
