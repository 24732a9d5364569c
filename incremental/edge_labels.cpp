#include "incremental/edge_labels.h"

#include <algorithm>
#include <utility>

namespace matcha::session::stream {

void EdgeLabels::set_layers(const std::vector<std::optional<std::int64_t>>& labels) {
  layer_of_code_.clear();
  for (std::uint32_t i = 0; i < labels.size(); ++i) {
    if (labels[i]) layer_of_code_.emplace(*labels[i], i + 1);
  }
  numbers_.clear();
  layers_.clear();
  for (std::uint32_t label = 0; label < labels_.size(); ++label) {
    numbers_.emplace(labels_[label], label);
    layers_.push_back(layer_of(labels_[label]));
  }
}

std::uint32_t EdgeLabels::layer_of(std::int64_t code) const {
  const auto found = layer_of_code_.find(code);
  return found == layer_of_code_.end() ? 0 : found->second;
}

std::uint32_t EdgeLabels::label_or_new(std::int64_t code) {
  const auto [found, fresh] = numbers_.try_emplace(code, static_cast<std::uint32_t>(labels_.size()));
  if (fresh) {
    labels_.push_back(code);
    layers_.push_back(layer_of(code));
  }
  return found->second;
}

void EdgeLabels::load(std::uint32_t u, std::uint32_t v, std::int64_t label) {
  if (edges_.size() <= u) edges_.resize(std::size_t{u} + 1);
  edges_[u].push_back({v, label_or_new(label)});
  ++size_;
}

void EdgeLabels::end_load() {
  for (std::vector<Edge>& edges : edges_) {
    std::ranges::sort(edges);
    edges.shrink_to_fit();
  }
}

bool EdgeLabels::insert(std::uint32_t u, std::uint32_t v, std::int64_t label) {
  if (!directed_ && u > v) std::swap(u, v);
  if (edges_.size() <= u) edges_.resize(std::size_t{u} + 1);
  const Edge edge{v, label_or_new(label)};
  std::vector<Edge>& edges = edges_[u];
  const auto at = std::ranges::lower_bound(edges, edge);
  if (at != edges.end() && *at == edge) return false;
  edges.insert(at, edge);
  ++size_;
  return true;
}

bool EdgeLabels::erase(std::uint32_t u, std::uint32_t v, std::int64_t label) {
  if (!directed_ && u > v) std::swap(u, v);
  const auto number = numbers_.find(label);
  if (number == numbers_.end() || edges_.size() <= u) return false;
  const Edge edge{v, number->second};
  std::vector<Edge>& edges = edges_[u];
  const auto at = std::ranges::lower_bound(edges, edge);
  if (at == edges.end() || *at != edge) return false;
  edges.erase(at);
  --size_;
  return true;
}

std::span<const EdgeLabels::Edge> EdgeLabels::owned(std::uint32_t vertex) const {
  return vertex < edges_.size() ? std::span<const Edge>(edges_[vertex]) : std::span<const Edge>();
}

std::span<const EdgeLabels::Edge> EdgeLabels::between(std::uint32_t u, std::uint32_t v) const {
  if (!directed_ && u > v) std::swap(u, v);
  const auto found = std::ranges::equal_range(owned(u), v, {}, &Edge::to);
  return {found.begin(), found.end()};
}

bool EdgeLabels::contains(std::uint32_t u, std::uint32_t v, std::int64_t label) const {
  const auto number = numbers_.find(label);
  if (number == numbers_.end()) return false;
  return std::ranges::any_of(between(u, v), [&](const Edge& edge) { return edge.label == number->second; });
}

}  // namespace matcha::session::stream
