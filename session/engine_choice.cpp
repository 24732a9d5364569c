#include "session/engine_choice.h"

#include <utility>

#include "session/forecast.h"

namespace matcha::session {

Status EngineChoice::decide(planner::Question question, EngineContext context, const planner::Catalog& catalog,
                            const Reporter& reporter) {
  question_ = std::move(question);
  context_ = std::move(context);
  engines_ = make_engines(question_, context_);
  decision_ = planner::decide(question_, catalog, engines_);
  return decision_.is_empty() ? reporter.error(Status::Usage, decision_.problem) : Status::Ok;
}

std::optional<double> expected_ns(const Compilation& compilation, const BoundInputs& bound) {
  if (bound.inputs.graphs.size() != 1 || !bound.inputs.lists.empty() || !bound.edge_lists.empty()) return std::nullopt;
  return forecast_of_loops(compilation.loop(), bound.inputs.graphs.begin()->second);
}

void EngineChoice::stay_on_cpu() {
  std::erase_if(decision_.offers, [](const planner::Offer& offer) { return offer.on_gpu; });
  decision_.beside = 0;
}

}  // namespace matcha::session
