#include "driver/stream/netting.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace matcha::driver::stream {

namespace {

bool is_before(const EdgeChange& a, const EdgeChange& b) {
  return std::tie(a.u, a.v, a.label) < std::tie(b.u, b.v, b.label);
}

std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 32;
  value *= 0x9E3779B97F4A7C15ULL;
  value ^= value >> 29;
  value *= 0xBF58476D1CE4E5B9ULL;
  return value ^ (value >> 32);
}

}  // namespace

std::size_t Netting::Hash::operator()(const Key& key) const {
  const std::uint64_t ends = mixed(static_cast<std::uint64_t>(key.u)) + 3 * static_cast<std::uint64_t>(key.v);
  return mixed(ends + 7 * static_cast<std::uint64_t>(key.label));
}

bool Netting::add(const Update& update, std::string* maybe_why_not) {
  bool changes = false;
  std::string why_not;
  switch (update.kind) {
    case UpdateKind::InsertEdge:
      changes = insert_edge(update);
      if (!changes)
        why_not = update.u == update.v ? "an edge from a vertex to itself is not kept" : "the edge is there";
      break;
    case UpdateKind::DeleteEdge:
      changes = delete_edges(update);
      if (!changes) why_not = "there is no such edge";
      break;
    case UpdateKind::SetVertex:
      changes = set_vertex(update);
      if (!changes) why_not = update.has_label ? "the vertex has that label" : "the vertex is there";
      break;
    case UpdateKind::DeleteVertex:
      changes = delete_vertex(update);
      if (!changes) why_not = "there is no such vertex";
      break;
  }
  if (!changes && maybe_why_not != nullptr) *maybe_why_not = std::move(why_not);
  return changes;
}

Netting::Key Netting::key_of(const Update& update) const {
  Key key{update.u, update.v, present_.keeps_edge_labels() ? update.label : runtime::kNoLabel};
  if (!present_.directed() && key.u > key.v) std::swap(key.u, key.v);
  return key;
}

Netting::Edge& Netting::edge(const Key& key) {
  const auto [found, is_new] = edges_.try_emplace(key);
  if (is_new) {
    found->second.was = found->second.is = present_.has_edge(key.u, key.v, key.label);
    if (keeps_touched_) {
      touched_[key.u].push_back(key);
      touched_[key.v].push_back(key);
    }
  }
  return found->second;
}

VertexChange& Netting::vertex(std::int64_t id) {
  const auto [found, is_new] = vertices_.try_emplace(id);
  VertexChange& change = found->second;
  if (is_new) {
    const std::optional<std::int64_t> label = present_.label_of(id);
    change.id = id;
    change.was = change.is = label.has_value();
    change.old_label = change.new_label = label.value_or(runtime::kNoLabel);
  }
  return change;
}

bool Netting::bring(std::int64_t id) {
  VertexChange& change = vertex(id);
  if (change.is) return false;
  change.is = true;
  change.new_label = rules_.new_label;
  return true;
}

bool Netting::insert_edge(const Update& update) {
  const bool is_loop = update.u == update.v;
  if (is_loop && rules_.forgets) return false;
  bool changes = bring(update.u);
  if (is_loop) return changes;
  changes = bring(update.v) || changes;
  return !std::exchange(edge(key_of(update)).is, true) || changes;
}

bool Netting::delete_edges(const Update& update) {
  if (update.u == update.v) return false;
  const Key key = key_of(update);
  if (update.has_label || !present_.keeps_edge_labels()) return std::exchange(edge(key).is, false);
  std::vector<std::int64_t> labels;
  present_.labels_between(key.u, key.v, labels);
  for (const std::int64_t label : labels) edge({key.u, key.v, label});
  bool changes = false;
  for (const Key& touched : touched_at(key.u)) {
    if (touched.u == key.u && touched.v == key.v) changes = std::exchange(edge(touched).is, false) || changes;
  }
  return changes;
}

bool Netting::set_vertex(const Update& update) {
  const bool is_new = bring(update.u);
  if (!update.has_label) return is_new;
  return std::exchange(vertex(update.u).new_label, update.label) != update.label || is_new;
}

const std::vector<Netting::Key>& Netting::touched_at(std::int64_t id) {
  if (!std::exchange(keeps_touched_, true)) {
    for (const auto& [key, state] : edges_) {
      touched_[key.u].push_back(key);
      touched_[key.v].push_back(key);
    }
  }
  return touched_[id];
}

bool Netting::delete_vertex(const Update& update) {
  VertexChange& change = vertex(update.u);
  if (!change.is) return false;
  change.is = false;
  change.new_label = runtime::kNoLabel;
  present_.each_edge_at(update.u, [this](std::int64_t u, std::int64_t v, std::int64_t label) {
    if (!present_.directed() && u > v) std::swap(u, v);
    edge({u, v, label});
  });
  for (const Key& key : touched_at(update.u)) edge(key).is = false;
  return true;
}

/// Vertices that nobody named and that have lost their last edge.
void Netting::forget_vertices() {
  std::unordered_map<std::int64_t, std::int64_t> degrees;
  for (const auto& [key, state] : edges_) {
    for (const std::int64_t id : {key.u, key.v}) {
      degrees[id] += static_cast<std::int64_t>(state.is) - static_cast<std::int64_t>(state.was);
    }
  }
  for (const auto& [id, more] : degrees) {
    VertexChange& change = vertex(id);
    if (change.is && change.new_label == rules_.new_label &&
        static_cast<std::int64_t>(present_.degree_of(id)) + more == 0) {
      change.is = false;
      change.new_label = runtime::kNoLabel;
    }
  }
}

NetBatch Netting::take() {
  if (rules_.forgets) forget_vertices();
  NetBatch batch;
  for (const auto& [key, state] : edges_) {
    if (state.was != state.is) (state.is ? batch.inserted : batch.deleted).push_back({key.u, key.v, key.label});
  }
  for (const auto& [id, change] : vertices_) {
    if (change.was != change.is || change.old_label != change.new_label) batch.vertices.push_back(change);
  }
  std::sort(batch.inserted.begin(), batch.inserted.end(), is_before);
  std::sort(batch.deleted.begin(), batch.deleted.end(), is_before);
  std::ranges::sort(batch.vertices, {}, &VertexChange::id);
  edges_.clear();
  vertices_.clear();
  touched_.clear();
  keeps_touched_ = false;
  return batch;
}

}  // namespace matcha::driver::stream
