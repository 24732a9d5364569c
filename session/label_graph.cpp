#include "session/label_graph.h"

#include <memory>
#include <utility>

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

Status take_graph_of_label(PatternSource& pattern, const Reporter& reporter, BoundInputs& bound) {
  const auto place = bound.inputs.graphs.find(bound.main_graph);
  if (place == bound.inputs.graphs.end()) return Status::Ok;
  runtime::Graph& graph = place->second;
  const std::optional<std::int64_t> label = only_label(pattern, graph, *bound.inputs.dictionary);
  if (!label) return Status::Ok;
  // Its arrays stay where they are: labels of vertices are still read from them.
  const auto whole = std::make_shared<const runtime::Graph>(std::move(graph));
  runtime::Result<runtime::Graph> narrow = graph_of_label(whole, *label);
  if (!narrow) return reporter.error(narrow.error());
  graph = std::move(*narrow);
  bound.ranked = nullptr;
  bound.match_index = nullptr;
  pattern.forget_edge_labels();
  return Status::Ok;
}

}  // namespace matcha::session
