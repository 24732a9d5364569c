#include "session/edge_label_facts.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

namespace matcha::session {

namespace {

using pattern::LabelledEnd;
using runtime::LabelPart;

/// The most rows of the shortest list that are read; of more, a sample with a stride.
constexpr std::size_t kMostRows = 4096;
/// Rows that are passed one by one before a list is searched.
constexpr std::size_t kNear = 48;

class Facts final : public pattern::EdgeLabelFacts {
 public:
  Facts(const runtime::Graph& graph, const runtime::LabelDictionary& dictionary)
      : graph_(graph), dictionary_(dictionary) {}

  double arcs(const std::string& label) const override {
    return static_cast<double>(part({label, false}).items.size());
  }

  double products(const std::vector<LabelledEnd>& ends, const std::string& vertex_label) const override {
    const std::lock_guard lock(mutex_);
    const auto [found, fresh] = products_.try_emplace({vertex_label, ends}, 0);
    if (!fresh) return found->second;
    for (const std::string& one : pattern::alternatives(vertex_label)) found->second += added_up(ends, one);
    return found->second;
  }

 private:
  double added_up(const std::vector<LabelledEnd>& ends, const std::string& vertex_label) const {
    std::vector<LabelPart> parts;
    for (const LabelledEnd& end : ends) parts.push_back(part(end));
    std::stable_sort(parts.begin(), parts.end(),
                     [](const LabelPart& a, const LabelPart& b) { return a.rows.size() < b.rows.size(); });
    const std::int64_t* const labels = graph_.view().labels;
    const std::optional<std::int64_t> wanted =
        vertex_label.empty() ? std::nullopt : code_of_literal(vertex_label, dictionary_);
    if (!vertex_label.empty() && (!wanted || labels == nullptr)) return 0;
    if (parts.size() == 1 && !wanted) return static_cast<double>(parts[0].items.size());
    const std::size_t stride = parts[0].rows.size() / kMostRows + 1;
    // Rows ascend in all parts, so each part is read from front to back.
    std::vector<std::size_t> at(parts.size(), 0);
    double sum = 0;
    for (std::size_t row = 0; row < parts[0].rows.size(); row += stride) {
      const std::uint32_t vertex = parts[0].rows[row];
      if (wanted && labels[vertex] != *wanted) continue;
      double product = size_of(parts[0], row);
      for (std::size_t i = 1; i < parts.size() && product != 0; ++i) {
        if (parts[i].rows.data() == parts[0].rows.data()) {  // The same end once more.
          product *= size_of(parts[0], row);
          continue;
        }
        at[i] = row_from(parts[i].rows, at[i], vertex);
        const bool there = at[i] != parts[i].rows.size() && parts[i].rows[at[i]] == vertex;
        product *= there ? size_of(parts[i], at[i]) : 0;
      }
      sum += product;
    }
    return sum * static_cast<double>(stride);
  }

  /// The first row from `begin` on that is not before the vertex; fast where it is near.
  static std::size_t row_from(std::span<const std::uint32_t> rows, std::size_t begin, std::uint32_t vertex) {
    const std::size_t near = std::min(begin + kNear, rows.size());
    while (begin != near && rows[begin] < vertex) ++begin;
    if (begin != near || begin == rows.size() || rows[begin] >= vertex) return begin;
    std::size_t step = 1;
    while (begin + step < rows.size() && rows[begin + step] < vertex) step *= 2;
    const std::size_t end = std::min(begin + step, rows.size());
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(begin + step / 2);
    return static_cast<std::size_t>(std::lower_bound(first, rows.begin() + static_cast<std::ptrdiff_t>(end), vertex) -
                                    rows.begin());
  }

  static double size_of(const LabelPart& part, std::size_t row) {
    return static_cast<double>(part.ends[row] - (row == 0 ? 0 : part.ends[row - 1]));
  }

  LabelPart part(const LabelledEnd& end) const {
    const std::optional<std::int64_t> label = code_of_literal(end.label, dictionary_);
    const runtime::ArcSide side = end.incoming ? runtime::ArcSide::Sources : runtime::ArcSide::Targets;
    const runtime::Result<runtime::LabelTable> table = graph_.label_slices().table(graph_);
    return label && table ? runtime::part_of(*table, graph_.facts().directed, side, *label) : LabelPart{};
  }

  const runtime::Graph& graph_;
  const runtime::LabelDictionary& dictionary_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::string, std::vector<LabelledEnd>>, double> products_;  ///< The products computed so
                                                                                         ///< far.
};

}  // namespace

std::optional<std::int64_t> code_of_literal(const std::string& literal, const runtime::LabelDictionary& dictionary) {
  if (literal.front() == '\'') return dictionary.code(std::string_view(literal).substr(1, literal.size() - 2));
  std::int64_t number = 0;
  std::from_chars(literal.data(), literal.data() + literal.size(), number);
  return number;
}

std::shared_ptr<const pattern::EdgeLabelFacts> edge_label_facts(const runtime::Graph& graph,
                                                                const runtime::LabelDictionary& dictionary) {
  if (!graph.facts().directed || graph.facts().info != runtime::InfoKind::Int) return nullptr;
  return std::make_shared<const Facts>(graph, dictionary);
}

std::size_t most_of_copies(const runtime::LabelDictionary& dictionary) {
  std::map<std::int64_t, std::size_t> copies;
  std::size_t most = 0;
  for (const runtime::LabelCopy& copy : dictionary.copies()) most = std::max(most, ++copies[copy.of]);
  return most;
}

}  // namespace matcha::session
