#include "engines/search/label_index.h"

#include <algorithm>

#include "runtime/graph/labels.h"

namespace matcha::runtime::match {

namespace {

/// Labels in a range of at most this many values a vertex are counted in place; others are sorted.
constexpr std::uint64_t kValuesPerVertex = 4;
/// Labels with the same bucket share the bits of a signature. Also the most bits of one bucket.
constexpr std::uint64_t kMostBuckets = 32;
constexpr std::uint64_t kMostLevels = 8;

/// Calls `f` with every vertex of the graph, ascending.
template <typename F>
void for_each_vertex(const GraphView& graph, F f) {
  for (std::uint64_t i = 0; i < graph.vertex_count; ++i) {
    f(graph.vertices == nullptr ? static_cast<std::uint32_t>(i) : graph.vertices[i]);
  }
}

}  // namespace

LabelIndex::LabelIndex(const GraphView& graph, bool with_signatures) {
  for_each_vertex(graph, [&](std::uint32_t v) { labels_.push_back(graph.labels[v]); });
  const std::vector<std::int64_t> of_vertex = labels_;
  if (labels_.empty()) {
    begins_ = {0};
    return;
  }
  const auto [least, most] = std::ranges::minmax(labels_);
  const std::uint64_t range = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
  std::vector<std::uint64_t> number;  // By value of the range.
  if (range < kValuesPerVertex * labels_.size() + 1024) {
    number.assign(range + 1, 0);
    for (std::int64_t label : of_vertex) number[static_cast<std::uint64_t>(label - least)] = 1;
    labels_.clear();
    for (std::uint64_t i = 0; i <= range; ++i) {
      if (number[i] == 0) continue;
      number[i] = labels_.size();
      labels_.push_back(least + static_cast<std::int64_t>(i));
    }
  } else {
    std::ranges::sort(labels_);
    labels_.erase(std::ranges::unique(labels_).begin(), labels_.end());
  }
  const auto number_of = [&](std::int64_t label) {
    if (!number.empty()) return number[static_cast<std::uint64_t>(label - least)];
    return static_cast<std::uint64_t>(std::ranges::lower_bound(labels_, label) - labels_.begin());
  };
  begins_.assign(labels_.size() + 1, 0);
  for (std::int64_t label : of_vertex) ++begins_[number_of(label) + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  vertices_.resize(of_vertex.size());
  std::vector<std::uint64_t> next(begins_.begin(), begins_.end() - 1);
  std::uint64_t i = 0;
  std::vector<std::uint32_t> numbers(graph.universe, 0);
  for_each_vertex(graph, [&](std::uint32_t v) {
    numbers[v] = static_cast<std::uint32_t>(number_of(of_vertex[i++]));
    vertices_[next[numbers[v]]++] = v;
  });
  if (!with_signatures) return;
  buckets_ = std::min<std::uint64_t>(labels_.size(), kMostBuckets);
  levels_ = std::min(64 / buckets_, kMostLevels);
  signatures_.assign(graph.universe, 0);
  for_each_vertex(graph, [&](std::uint32_t v) {
    std::uint64_t signature = 0;
    for (std::uint64_t arc = graph.offsets[v]; arc < graph.offsets[v + 1]; ++arc) {
      signature = with(signature, numbers[graph.neighbors[arc]]);
    }
    signatures_[v] = signature;
  });
}

std::uint64_t LabelIndex::signature_of(std::span<const std::int64_t> labels) const {
  std::uint64_t signature = 0;
  for (std::int64_t label : labels) {
    const auto found = std::ranges::lower_bound(labels_, label);
    if (found == labels_.end() || *found != label) continue;
    signature = with(signature, static_cast<std::uint64_t>(found - labels_.begin()));
  }
  return signature;
}

std::span<const std::uint32_t> LabelIndex::vertices(std::int64_t label) const {
  const auto found = std::ranges::lower_bound(labels_, label);
  if (found == labels_.end() || *found != label) return {};
  const auto i = static_cast<std::size_t>(found - labels_.begin());
  return std::span(vertices_).subspan(begins_[i], begins_[i + 1] - begins_[i]);
}

}  // namespace matcha::runtime::match
