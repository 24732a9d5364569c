#include "session/plan_report.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "session/loop_counts.h"
#include "session/loop_estimates.h"
#include "session/message_log.h"
#include "session/outline.h"
#include "session/plan_json.h"
#include "session/values.h"

namespace matcha::session {

namespace {

using Json = nlohmann::ordered_json;

codegen::RunOptions run_options(const PlanRun& how, const std::int64_t* labels) {
  codegen::RunOptions options;
  options.threads = how.threads;
  options.stop_request = how.maybe_stop;
  options.deadline = how.deadline;
  options.labels = labels;
  options.on_rows = [](const codegen::Rows&) { return true; };
  return options;
}

}  // namespace

/// What `PlanReport` sees of a prepared program.
class PlanReader {
 public:
  PlanReader(Prepared& prepared, const PlanRun& how, Json& json)
      : prepared_(prepared), run_(prepared.run_), how_(how), json_(json) {}

  Status all() {
    const PatternSource* const maybe_pattern = run_.pattern ? &*run_.pattern : nullptr;
    const bool is_planned = maybe_pattern != nullptr && run_.sketch.has_value();
    if (maybe_pattern != nullptr) {
      json_["semantics"] = prepared_.semantics();
      json_["meaning"] = maybe_pattern->meaning();
      json_["plans"] = plans_json(is_planned ? maybe_pattern->program().choices : kNoChoices);
    }
    json_["engine"] = prepared_.engine();
    json_["engines"] = run_.offers;
    json_["signature"] = to_string(prepared_.signature());
    return prepared_.engine() == "program" ? program(maybe_pattern) : other();
  }

 private:
  static inline const std::vector<pattern::Choice> kNoChoices;

  /// Of an engine without a program.
  Status other() {
    const planner::Offer& chosen = run_.chosen();
    json_["program"] = "";
    codegen::RunResult result;
    const Status status = run(result);
    json_["complete"] = status == Status::Ok && result.ending == codegen::Ending::Complete;
    json_["steps"] = lines_json(chosen.plan ? chosen.plan() : std::vector<std::string>());
    json_["passes"] = json_["memory"] = Json::array();
    return status;
  }

  Status program(const PatternSource* maybe_pattern) {
    Compilation& compilation = *run_.compilation;
    const runtime::LabelDictionary& dictionary = prepared_.graph_->graph().dictionary();
    passes::LabelWords labels;
    labels.code = [&dictionary](std::string_view word) { return dictionary.code(word); };
    labels.words = dictionary.words();
    json_["program"] = compilation.text();
    const ir::Module lists = compilation.module_of_lists(labels);
    std::vector<Step> nest = steps_of(lists, label_names(compilation.loop(), labels.code));
    if (maybe_pattern != nullptr) add_estimates(maybe_pattern->program().plans, nest);
    std::map<std::string, const runtime::Graph*> graphs;
    for (const auto& [name, graph] : run_.bound.inputs.graphs) graphs.emplace(name, &graph);
    json_["complete"] = false;
    codegen::RunResult result;
    Status status = run(result);
    if (status == Status::Ok && result.ending == codegen::Ending::Complete) status = count(compilation, lists, nest);
    json_["steps"] = steps_json(nest);
    json_["passes"] = passes_json(compilation.pipeline().runs);
    json_["memory"] = memory_json(memory_plan(compilation.pipeline().module, graphs));
    return status;
  }

  /// Runs it as it is.
  Status run(codegen::RunResult& result) {
    const Stopwatch watch;
    const Status status = execute(*run_.executable, result);
    if (status != Status::Ok || result.ending != codegen::Ending::Complete) return status;
    json_["ms"] = rounded(watch.ms());
    json_["simd"] = result.tier;
    const bool gives_list = prepared_.signature().result->is_list() && result.values.size() <= 1;
    std::string answer = gives_list ? fmt::format("{} rows", result.rows) : std::string();
    for (std::size_t at = 0; at < result.values.size() && !gives_list; ++at) {
      if (at != 0) answer += ", ";
      append_value(answer, result.values[at], prepared_.universe(), Style::Text);
    }
    json_["answer"] = answer;
    return status;
  }

  /// Runs it once more, counting.
  Status count(Compilation& compilation, const ir::Module& lists, std::vector<Step>& nest) {
    const LoopCounts counts(lists, compilation.context());
    if (!counts.any()) return Status::Ok;
    std::unique_ptr<codegen::Executable> counting;
    codegen::RunResult result;
    Status status = compilation.load_variant(counts.module(), "llvm, counting", *run_.backend, counting);
    if (status == Status::Ok) status = execute(*counting, result);
    if (status != Status::Ok || result.ending != codegen::Ending::Complete) return status;
    counts.fill(result, nest);
    json_["complete"] = true;
    return status;
  }

  Status execute(codegen::Executable& executable, codegen::RunResult& result) {
    codegen::RunOutcome outcome =
        executable.run(run_.bound.arguments, prepared_.universe(), run_options(how_, run_.bound.labels));
    if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&outcome)) {
      return run_.log.error(failed->error);
    }
    result = std::move(std::get<codegen::RunResult>(outcome));
    return Status::Ok;
  }

  Prepared& prepared_;
  QuestionRun& run_;
  const PlanRun& how_;
  Json& json_;
};

Status PlanReport::make(const ProgramRequest& request, const std::shared_ptr<ResidentGraph>& graph,
                        const Prepared::Reading& reading, const PlanRun& how, std::string& errors,
                        nlohmann::ordered_json& json) {
  ProgramRequest explained = request;
  explained.explains = true;
  // The plan is that of a CPU.
  if (explained.device == "cuda") explained.device = "cpu";
  const auto messages = std::make_shared<MessageLog>();
  std::unique_ptr<Prepared> prepared;
  Status status = Prepared::make(explained, graph, reading, messages, prepared);
  if (status == Status::Ok) {
    json = {{"schema", "matcha.plan/1"}};
    status = PlanReader(*prepared, how, json).all();
  }
  errors = messages->text();
  return status;
}

}  // namespace matcha::session
