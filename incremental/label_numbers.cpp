#include "incremental/label_numbers.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "incremental/runtime/dynamic_graph.h"

namespace matcha::session::stream {

namespace {

/// The most rows of edge labels in any graph, and the most for each of its edges.
constexpr std::uint64_t kFewRows = std::uint64_t{1} << 22, kRowsOfEdge = 8;

}  // namespace

void LabelNumbers::add(const std::vector<std::string>& labels) {
  labels_.insert(labels_.end(), labels.begin(), labels.end());
  std::ranges::sort(labels_);
  labels_.erase(std::unique(labels_.begin(), labels_.end()), labels_.end());
}

bool LabelNumbers::add_layers(const std::vector<std::string>& labels, const Present& graph) {
  LabelNumbers all = *this;
  all.add(labels);
  const std::uint64_t most = std::max(kFewRows, kRowsOfEdge * graph.edge_count());
  if (all.size() + 1 >= runtime::stream::kMostLayers || all.size() * graph.vertex_count() > most) return false;
  *this = std::move(all);
  return true;
}

std::uint32_t LabelNumbers::number(const std::string& label) const {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(labels_, label) - labels_.begin()) + 1;
}

std::vector<std::optional<std::int64_t>> LabelNumbers::codes(const runtime::LabelDictionary& dictionary) const {
  std::vector<std::optional<std::int64_t>> codes;
  for (const std::string& label : labels_) {
    if (label.front() == '\'') {
      codes.push_back(dictionary.code(std::string_view(label).substr(1, label.size() - 2)));
    } else {
      codes.push_back(std::stoll(label));
    }
  }
  return codes;
}

}  // namespace matcha::session::stream
