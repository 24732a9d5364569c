#include "session/label_graph.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/label_slices.h"
#include "session/edge_label_facts.h"

namespace matcha::session {

runtime::Result<runtime::Graph> graph_of_label(std::shared_ptr<const runtime::Graph> whole, std::int64_t label) {
  runtime::Result<std::shared_ptr<const runtime::Graph>> slice =
      whole->label_slices().slice(*whole, runtime::ArcSide::Targets, label);
  if (!slice) return slice.error();
  struct Kept {
    std::shared_ptr<const runtime::Graph> whole, slice;
  };
  runtime::GraphView view = (*slice)->view();
  view.labels = whole->view().labels;
  runtime::Graph graph = runtime::Graph::from_view(whole->shared_universe(), view, (*slice)->facts(),
                                                   std::make_shared<const Kept>(Kept{whole, *slice}));
  graph.set_dictionary(std::shared_ptr<const runtime::LabelDictionary>(whole, &whole->dictionary()));
  MATCHA_TRY(runtime::ensure_split_offsets(graph));
  return graph;
}

std::optional<std::int64_t> only_label(const PatternSource& pattern, const runtime::Graph& whole,
                                       const runtime::LabelDictionary& dictionary) {
  const std::optional<std::string> literal = pattern.only_edge_label();
  if (!literal || whole.facts().directed || whole.facts().info != runtime::InfoKind::Int) return std::nullopt;
  return code_of_literal(*literal, dictionary);
}

namespace {

/// A query of Cypher of two or more relationships of any type, none of them between the ends of another one in its
/// direction, and whose types no column has.
bool counts_pairs(const PatternSource& pattern) {
  if (!pattern.is_untyped_query() || pattern.match() != pattern::Match::Edge || !pattern.variables().empty()) {
    return false;
  }
  return std::ranges::all_of(pattern.set().patterns, [](const pattern::Pattern& one) {
    if (one.has_loops() || one.edge_count() < 2) return false;
    std::set<std::string> seen;
    return std::ranges::all_of(one.edge_labels, [&](const auto& edge) {
      const std::vector<std::string>& labels = edge.second;
      if (labels.size() != 1 || !pattern::is_variable(labels[0])) return false;
      return labels[0] == "?" || seen.insert(labels[0]).second;
    });
  });
}

/// The same arrays without labels of edges.
runtime::Result<runtime::Graph> graph_of_pairs(const std::shared_ptr<const runtime::Graph>& whole) {
  runtime::GraphView view = whole->view();
  view.edge_info = nullptr;
  runtime::GraphFacts facts = whole->facts();
  facts.info = runtime::InfoKind::None;
  facts.word_info = facts.blank_info = false;
  runtime::Graph graph = runtime::Graph::from_view(whole->shared_universe(), view, facts, whole);
  graph.set_dictionary(whole->shared_dictionary());
  MATCHA_TRY(runtime::ensure_split_offsets(graph));
  return graph;
}

}  // namespace

bool needs_no_labels(const PatternSource& pattern, const runtime::Graph& whole) {
  return counts_pairs(pattern) && whole.facts().directed && whole.facts().simple && whole.view().slots == nullptr;
}

Status take_graph_of_label(PatternSource& pattern, const Reporter& reporter, BoundInputs& bound) {
  const auto place = bound.inputs.graphs.find(bound.main_graph);
  if (place == bound.inputs.graphs.end()) return Status::Ok;
  runtime::Graph& graph = place->second;
  const bool is_of_pairs = needs_no_labels(pattern, graph);
  const std::optional<std::int64_t> label = only_label(pattern, graph, *bound.inputs.dictionary);
  if (!label && !is_of_pairs) return Status::Ok;
  // Its arrays stay where they are: labels of vertices are still read from them.
  const auto whole = std::make_shared<const runtime::Graph>(std::move(graph));
  runtime::Result<runtime::Graph> narrow = is_of_pairs ? graph_of_pairs(whole) : graph_of_label(whole, *label);
  if (!narrow) return reporter.error(narrow.error());
  graph = std::move(*narrow);
  bound.ranked = nullptr;
  bound.match_index = nullptr;
  bound.maybe_draws = nullptr;
  pattern.forget_edge_labels();
  return Status::Ok;
}

}  // namespace matcha::session
