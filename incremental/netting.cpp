#include "incremental/netting.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "runtime/parallel.h"

namespace matcha::session::stream {

namespace {

constexpr auto is_before = [](const EdgeChange& a, const EdgeChange& b) {
  if (a.u != b.u) return a.u < b.u;
  return a.v != b.v ? a.v < b.v : a.label < b.label;
};

/// With fewer updates, waking threads does not pay.
constexpr std::size_t kFew = 512, kOfTask = 128;

/// Sorts edges without labels whose ids have 32 bits, as one number each. False: there are others.
bool sort_short(std::vector<EdgeChange>& edges) {
  constexpr auto is_short = [](const EdgeChange& edge) {
    return ((static_cast<std::uint64_t>(edge.u) | static_cast<std::uint64_t>(edge.v)) >> 32U) == 0 &&
           edge.label == runtime::kNoLabel;
  };
  if (!std::ranges::all_of(edges, is_short)) return false;
  std::vector<std::uint64_t> words;
  words.reserve(edges.size());
  for (const EdgeChange& edge : edges) {
    words.push_back(static_cast<std::uint64_t>(edge.u) << 32U | static_cast<std::uint64_t>(edge.v));
  }
  if (words.size() < kFew) {
    std::sort(words.begin(), words.end());
  } else {
    tbb::parallel_sort(words.begin(), words.end());
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    edges[i].u = static_cast<std::int64_t>(words[i] >> 32U);
    edges[i].v = static_cast<std::uint32_t>(words[i]);
  }
  return true;
}

void sort_changes(std::vector<EdgeChange>& edges) {
  if (edges.size() < 2 || sort_short(edges)) return;
  if (edges.size() < kFew) {
    std::sort(edges.begin(), edges.end(), is_before);
  } else {
    tbb::parallel_sort(edges.begin(), edges.end(), is_before);
  }
}

std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 32;
  value *= 0x9E3779B97F4A7C15ULL;
  value ^= value >> 29;
  value *= 0xBF58476D1CE4E5B9ULL;
  return value ^ (value >> 32);
}

}  // namespace

void Netting::expect(std::span<const Update> updates) {
  known_.clear();
  next_known_ = 0;
  // For a few updates, looking up in advance does not pay.
  constexpr std::size_t kFewest = 8;
  if (updates.size() < kFewest) return;
  expected_.clear();
  expected_.reserve(updates.size());
  edges_.reserve(edges_.size() + updates.size());
  make_slots(std::bit_ceil(2 * (edges_.size() + updates.size() + 1)));
  for (const Update& update : updates) expected_.push_back(key_of(update));
  known_.resize(updates.size());
  const auto look_up = [this](const tbb::blocked_range<std::size_t>& part) {
    present_.look_up(std::span(expected_).subspan(part.begin(), part.size()), known_.data() + part.begin());
  };
  const tbb::blocked_range<std::size_t> all(0, updates.size(), kOfTask);
  if (updates.size() < kFew) {
    look_up(all);
  } else {
    runtime::for_blocks(all, look_up);
  }
}

bool Netting::add(const Update& update, std::string* maybe_why_not) {
  bool changes = false;
  std::string why_not;
  const Presence* const maybe_known = next_known_ < known_.size() ? &known_[next_known_++] : nullptr;
  switch (update.kind) {
    case UpdateKind::InsertEdge:
      changes = insert_edge(update, maybe_known);
      if (!changes)
        why_not = update.u == update.v ? "an edge from a vertex to itself is not kept" : "the edge is there";
      break;
    case UpdateKind::DeleteEdge:
      changes = delete_edges(update, maybe_known);
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

/// The slot of the edge, present or not.
std::size_t Netting::slot_of(const Key& key) const {
  const std::uint64_t ends = mixed(static_cast<std::uint64_t>(key.u)) + 3 * static_cast<std::uint64_t>(key.v);
  std::size_t slot = mixed(ends + 7 * static_cast<std::uint64_t>(key.label)) & (slots_.size() - 1);
  while (slots_[slot] != 0 && edges_[slots_[slot] - 1].key != key) slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

void Netting::make_slots(std::size_t count) {
  constexpr std::size_t kLeast = 16;
  if (count <= slots_.size()) return;
  slots_.assign(std::max(kLeast, count), 0);
  for (std::uint32_t i = 0; i < edges_.size(); ++i) slots_[slot_of(edges_[i].key)] = i + 1;
}

Netting::Edge& Netting::edge(const Key& key, const Presence* maybe_known) {
  if (2 * (edges_.size() + 1) > slots_.size()) make_slots(std::max<std::size_t>(1, 2 * slots_.size()));
  std::uint32_t& number = slots_[slot_of(key)];
  if (number == 0) {
    const bool was = maybe_known != nullptr ? maybe_known->edge : present_.has_edge(key.u, key.v, key.label);
    edges_.push_back({key, was, was});
    number = static_cast<std::uint32_t>(edges_.size());
    if (keeps_touched_) {
      touched_[key.u].push_back(key);
      touched_[key.v].push_back(key);
    }
  }
  return edges_[number - 1];
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

bool Netting::bring(std::int64_t id, bool is_known) {
  // Most vertices exist, and stay.
  if ((vertices_.empty() || vertices_.find(id) == vertices_.end()) && (is_known || present_.label_of(id))) return false;
  VertexChange& change = vertex(id);
  if (change.is) return false;
  change.is = true;
  change.new_label = rules_.new_label;
  return true;
}

bool Netting::insert_edge(const Update& update, const Presence* maybe_known) {
  const bool is_loop = update.u == update.v;
  if (is_loop && rules_.forgets) return false;
  // Looked-up edges are in the order of the announced updates.
  const Key key = key_of(update);
  bool changes = bring(key.u, maybe_known != nullptr && maybe_known->u);
  if (is_loop) return changes;
  changes = bring(key.v, maybe_known != nullptr && maybe_known->v) || changes;
  return !std::exchange(edge(key, maybe_known).is, true) || changes;
}

bool Netting::delete_edges(const Update& update, const Presence* maybe_known) {
  if (update.u == update.v) return false;
  const Key key = key_of(update);
  if (update.has_label || !present_.keeps_edge_labels()) return std::exchange(edge(key, maybe_known).is, false);
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
    for (const Edge& edge : edges_) {
      touched_[edge.key.u].push_back(edge.key);
      touched_[edge.key.v].push_back(edge.key);
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

/// Deletes vertices that no update named and that have lost their last edge.
void Netting::forget_vertices() {
  std::unordered_map<std::int64_t, std::int64_t> degrees;
  for (const Edge& edge : edges_) {
    for (const std::int64_t id : {edge.key.u, edge.key.v}) {
      degrees[id] += static_cast<std::int64_t>(edge.is) - static_cast<std::int64_t>(edge.was);
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
  for (const Edge& edge : edges_) {
    const Key& key = edge.key;
    if (edge.was != edge.is) (edge.is ? batch.inserted : batch.deleted).push_back({key.u, key.v, key.label});
  }
  for (const auto& [id, change] : vertices_) {
    if (change.was != change.is || change.old_label != change.new_label) batch.vertices.push_back(change);
  }
  sort_changes(batch.inserted);
  sort_changes(batch.deleted);
  std::ranges::sort(batch.vertices, {}, &VertexChange::id);
  edges_.clear();
  slots_.clear();
  vertices_.clear();
  touched_.clear();
  keeps_touched_ = false;
  known_.clear();
  next_known_ = 0;
  return batch;
}

}  // namespace matcha::session::stream
