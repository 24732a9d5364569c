#include "session/run/shared_inputs.h"

#include <algorithm>
#include <utility>

namespace matcha::session {

runtime::Status SharedInputs::load(const Signature& program, const BindPlan& plan, const runtime::IoOptions& options,
                                   BoundInputs& out) {
  const auto graph = std::ranges::find(plan.params, ParamPlan::Kind::Graph, &ParamPlan::kind);
  const bool has_graph = graph != plan.params.end();
  const std::pair kind(has_graph && graph->graph.edge_info, has_graph && graph->graph.keep_loops);
  auto found = kept_.find(kind);
  is_new_ = found == kept_.end();
  if (is_new_) {
    BoundInputs read;
    MATCHA_TRY(load_inputs(program, plan, options, read));
    Kept kept{std::move(read.inputs), nullptr, read.main_graph};
    kept.graph = ResidentGraph::from_graph(std::move(kept.inputs.graphs.at(kept.name)));
    kept.inputs.graphs.clear();
    found = kept_.emplace(kind, std::move(kept)).first;
  }
  const Kept& kept = found->second;
  runtime::Graph view = MATCHA_TRY(kept.graph->view());
  out.inputs.universe = kept.inputs.universe;
  out.inputs.dictionary = kept.inputs.dictionary;
  out.inputs.reports = kept.inputs.reports;
  out.main_graph = kept.name;
  out.labels = view.view().labels;
  out.arguments.emplace_back(&out.inputs.graphs.emplace(kept.name, std::move(view)).first->second);
  out.ranked = [graph = kept.graph](runtime::Halves halves) { return graph->ranked(halves); };
  out.match_index = [graph = kept.graph] { return graph->match_index(); };
  return runtime::Done{};
}

}  // namespace matcha::session
