#include "session/engines.h"

#include "session/engines/engines.h"

namespace matcha::session {

planner::EngineList make_engines(const planner::Question& question, const EngineContext& context) {
  planner::EngineList engines;
#define MATCHA_ENGINE(name, description) engines.push_back(engines::make_##name(question, context));
#include "session/engines.def"
#undef MATCHA_ENGINE
  // Questions that want the exact answer need not read that it is none.
  if (!question.interval.within && question.engine != "sample") {
    std::erase_if(engines, [](const auto& engine) { return engine->name() == "sample"; });
  }
  return engines;
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
