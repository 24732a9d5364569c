#include "tools/run_choice.h"

#include <fmt/format.h>

#include "session/gpu_matcher.h"

namespace matcha::tools {

planner::Question question_of_run(const RunVerbOptions& options, const PatternSource* maybe_pattern,
                                  const PatternOptions& pattern, bool rows, const std::string& device) {
  planner::Question question;
  if (maybe_pattern != nullptr) question = question_of(*maybe_pattern, pattern, rows);
  question.bounded = options.most().has_value();
  question.most = options.most();
  question.device = device;
  question.engine = options.engine;
  if (options.backend != "llvm") question.wants_program = fmt::format("`--backend {}`", options.backend);
  if (options.tune) question.wants_program = "`--tune`";
  if (options.tier != "auto") question.wants_tier = "`--tier`";
  if (!options.gpu_given.empty()) question.wants_gpu_program = fmt::format("`{}`", options.gpu_given.front());
  question.in_processes = options.cluster.any();
  return question;
}

EngineContext context_of_run(const RunVerbOptions& options, const BoundInputs& bound, const PartsChoice& parts,
                             SharedInputs* maybe_shared) {
  EngineContext context;
  const auto main_graph = bound.inputs.graphs.find(bound.main_graph);
  if (main_graph != bound.inputs.graphs.end() && !parts.needed()) context.maybe_graph = &main_graph->second;
  context.maybe_labels = bound.inputs.dictionary.get();
  context.match_index = bound.match_index;
  context.code_folder = options.code_folder;
  parts.describe(context);
  if (maybe_shared == nullptr) return context;
  context.maybe_together = &maybe_shared->motifs();
  context.batch = [maybe_shared, graph = context.maybe_graph, &options] {
    std::shared_ptr<codegen::MatchBatch>& batch = maybe_shared->searches();
    if (batch == nullptr) batch = gpu_batch(*graph, options.code_folder);
    return batch;
  };
  return context;
}

bool count_together(const RunVerbOptions& options, const planner::Question& question, const EngineContext& context,
                    std::optional<double> maybe_ns) {
  codegen::MotifTask task;
  if (context.maybe_together == nullptr || !options.may_count_together() || !options.pattern.per.empty()) return false;
  if (!context.does_not_fit.empty() || context.maybe_graph == nullptr) return false;
  if (!identities_problem(question, *context.maybe_graph, task).empty()) return false;
  context.maybe_together->add(task, is_for_identities(question) ? std::nullopt : maybe_ns);
  return true;
}

}  // namespace matcha::tools
