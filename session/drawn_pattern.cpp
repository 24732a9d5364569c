#include "session/drawn_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "session/edge_label_facts.h"

namespace matcha::session {

using pattern::Mask;
using pattern::Pattern;

namespace {

/// The best edge to begin at: its ends are adjacent to most other vertices, and both ends to most of these.
std::pair<int, int> first_edge(const Pattern& pattern) {
  std::pair<int, int> best;
  int most = -1;
  for (int u = 0; u < pattern.size(); ++u) {
    for (int v = 0; v < pattern.size(); ++v) {
      if (!pattern::has(pattern.near(u), v)) continue;
      const int reached = pattern::count(pattern.near(u) | pattern.near(v));
      const int shared = pattern::count(pattern.near(u) & pattern.near(v));
      if (reached * pattern.size() + shared <= most) continue;
      most = reached * pattern.size() + shared;
      best = {u, v};
    }
  }
  return best;
}

/// The vertices by their distance from the first edge.
std::vector<int> order_of_draws(const Pattern& pattern) {
  const auto [first, second] = first_edge(pattern);
  std::vector<int> order = {first, second};
  Mask placed = pattern::bit(first) | pattern::bit(second), level = placed;
  while (placed != pattern.all()) {
    Mask next = 0;
    pattern::for_each(level, [&](int v) { next |= pattern.near(v) & ~placed; });
    pattern::for_each(next, [&](int v) { order.push_back(v); });
    placed |= next;
    level = next;
  }
  return order;
}

/// The code of a label that is one of the graph's; nothing: it is one of several, or none of them.
std::optional<std::int64_t> code_of(const std::string& label, const runtime::LabelDictionary* maybe_labels) {
  const bool is_one =
      maybe_labels != nullptr && !pattern::is_variable(label) && pattern::alternatives(label).size() == 1;
  return is_one ? code_of_literal(label, *maybe_labels) : std::nullopt;
}

/// Makes the lists that links ask for, each once.
class Lists {
 public:
  Lists(const runtime::Graph& graph, DrawnPattern& out) : graph_(graph), out_(out) {
    places_.emplace(Kind(runtime::ArcSide::Targets, std::nullopt), 0);
    out.lists.push_back({graph.view(), !graph.facts().simple});
  }

  /// `forwards`: the arc goes from the earlier vertex to the later one.
  runtime::Result<std::size_t> place(bool forwards, std::optional<std::int64_t> label) {
    // Each edge of an undirected graph is two arcs.
    const bool as_targets = forwards || !graph_.facts().directed;
    const Kind kind(as_targets ? runtime::ArcSide::Targets : runtime::ArcSide::Sources, label);
    const auto [place, is_new] = places_.try_emplace(kind, out_.lists.size());
    if (!is_new) return place->second;
    const std::shared_ptr<const runtime::Graph> made = MATCHA_TRY(
        label ? graph_.label_slices().slice(graph_, kind.first, *label) : graph_.label_slices().backwards(graph_));
    out_.lists.push_back({made->view(), !label && !graph_.facts().simple, made});
    out_.text +=
        fmt::format("{}:{}={};", place->second, as_targets ? "to" : "from", label ? fmt::to_string(*label) : "");
    return place->second;
  }

 private:
  using Kind = std::pair<runtime::ArcSide, std::optional<std::int64_t>>;
  const runtime::Graph& graph_;
  DrawnPattern& out_;
  std::map<Kind, std::size_t> places_;
};

/// Adds the links of a vertex to an earlier one, both at their places in the order.
runtime::Status add_links(const Pattern& pattern, pattern::Induced induced, int earlier, int later, std::size_t to,
                          const runtime::LabelDictionary* maybe_labels, Lists& lists,
                          std::vector<runtime::sample::Link>& links) {
  const bool is_anti = pattern::has(pattern.anti[pattern::at(later)], earlier);
  for (const bool forwards : {true, false}) {
    if (!forwards && !pattern.directed) break;
    const auto [from, end] = forwards ? std::pair(earlier, later) : std::pair(later, earlier);
    if (!pattern::has(pattern.out[pattern::at(from)], end)) {
      if (!is_anti && induced != pattern::Induced::Vertex) continue;
      links.push_back({to, MATCHA_TRY(lists.place(forwards, std::nullopt)), true});
      continue;
    }
    const std::vector<std::string>& labels = pattern.labels_of(from, end);
    if (labels.empty()) links.push_back({to, MATCHA_TRY(lists.place(forwards, std::nullopt))});
    for (const std::string& label : labels) {
      links.push_back({to, MATCHA_TRY(lists.place(forwards, code_of(label, maybe_labels)))});
    }
  }
  return runtime::Done{};
}

}  // namespace

std::string problem_of_draws(const Pattern& pattern, const runtime::Graph& graph,
                             const runtime::LabelDictionary* maybe_labels) {
  constexpr int kLeastVertices = 3, kMostVertices = 12;
  const int size = pattern.size();
  const bool is_plain = !pattern.has_loops() && !pattern.has_constants() && pattern.connected();
  if (!is_plain || size < kLeastVertices || size > kMostVertices) {
    return fmt::format("matches are drawn of a connected pattern of {} to {} vertices", kLeastVertices, kMostVertices);
  }
  for (int v = 0; v < size; ++v) {
    if (pattern.label(v).empty() || (graph.view().labels != nullptr && code_of(pattern.label(v), maybe_labels)))
      continue;
    return "each vertex that is drawn has one label of the graph, or none";
  }
  for (const auto& [arc, labels] : pattern.edge_labels) {
    if (std::ranges::all_of(labels, [&](const auto& label) { return code_of(label, maybe_labels).has_value(); }))
      continue;
    return "each edge that is drawn has labels of the graph, or none";
  }
  const runtime::GraphFacts& facts = graph.facts();
  if (pattern.directed != facts.directed)
    return "matches of arcs are drawn from directed graphs, others from undirected";
  const bool is_of_labels = facts.info == runtime::InfoKind::Int && maybe_labels != nullptr;
  if (!facts.loop_free || (!facts.simple && !is_of_labels) || graph.view().slots != nullptr ||
      (is_of_labels && !maybe_labels->copies().empty()) || (pattern.edge_labelled() && !is_of_labels)) {
    return "matches are drawn of graphs without loops and repeated edges";
  }
  return "";
}

runtime::Result<DrawnPattern> drawn_pattern(const Pattern& pattern, pattern::Induced induced,
                                            const runtime::Graph& graph, const runtime::LabelDictionary* maybe_labels) {
  DrawnPattern drawn;
  Lists lists(graph, drawn);
  const std::vector<int> order = order_of_draws(pattern);
  for (std::size_t i = 0; i < order.size(); ++i) {
    runtime::sample::DrawnVertex& vertex = drawn.vertices.emplace_back();
    if (!pattern.label(order[i]).empty()) vertex.label = code_of(pattern.label(order[i]), maybe_labels);
    for (std::size_t to = 0; to < i; ++to) {
      MATCHA_TRY(add_links(pattern, induced, order[to], order[i], to, maybe_labels, lists, vertex.links));
    }
    drawn.text += vertex.label ? fmt::format("({})", *vertex.label) : "()";
    for (const runtime::sample::Link& link : vertex.links) {
      drawn.text += fmt::format("{}{},{};", link.is_absent ? "!" : "", link.to, link.list);
    }
  }
  return drawn;
}

}  // namespace matcha::session
