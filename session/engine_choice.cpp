#include "session/engine_choice.h"

#include <utility>

#include "session/forecast.h"

namespace matcha::session {

Status EngineChoice::decide(planner::Question question, EngineContext context, const planner::Catalog& catalog,
                            const Reporter& reporter) {
  question_ = std::move(question);
  context_ = std::move(context);
  engines_ = make_engines(question_, context_);
  // Questions that want the exact answer need not read that it is none.
  if (!question_.interval.within && question_.engine != "sample") {
    std::erase_if(engines_, [](const auto& engine) { return engine->name() == "sample"; });
  }
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

const std::vector<std::string>& engine_names() {
  static const std::vector<std::string> names = {
#define MATCHA_ENGINE(name, description) #name,
#include "session/engines.def"
#undef MATCHA_ENGINE
  };
  return names;
}

planner::Question question_of(const PatternSource& pattern, const PatternOptions& options, bool rows) {
  planner::Question question;
  question.maybe_patterns = &pattern.set();
  question.induced = pattern.induced();
  question.match = pattern.match();
  question.embeddings = options.embeddings;
  question.algorithm = options.algorithm;
  question.plan = options.plan;
  question.columns = pattern.row_vertices();
  question.variables = pattern.variables();
  question.want = !options.per.empty() ? planner::Want::Orbits : rows ? planner::Want::Rows : planner::Want::Count;
  question.orbits_by_edge = options.per == "edge";
  if (pattern.set().cliques) {
    question.only = "cliques";
    question.only_why = "cliques of more than 12 vertices, and of all sizes, are counted by pivot trees alone";
  }
  return question;
}

}  // namespace matcha::session
