#include "driver/plan_report.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "driver/label_graph.h"
#include "driver/loop_counts.h"
#include "driver/loop_estimates.h"
#include "driver/message_log.h"
#include "driver/outline.h"
#include "driver/pattern_plan.h"
#include "driver/values.h"
#include "runtime/machine.h"

namespace matcha::driver {

namespace {

using Json = nlohmann::ordered_json;

/// Sums of 128 bits as text, which is what JSON readers keep whole.
std::string text_of(__int128 value) {
  std::string text;
  append_int(text, value);
  return text;
}

void add_steps(const std::vector<Step>& steps, std::size_t depth, Json& rows) {
  for (const Step& step : steps) {
    Json row = {{"depth", depth}, {"text", step.text}, {"loop", step.kind == StepKind::Loop}};
    if (step.expected) row["estimated"] = *step.expected;
    if (step.actual) {
      row["times"] = text_of(step.actual->times);
      row["items"] = text_of(step.actual->items);
      if (step.kind == StepKind::Loop) row["kept"] = text_of(step.actual->kept);
    }
    rows.push_back(std::move(row));
    add_steps(step.steps, depth + 1, rows);
  }
}

Json plans_of(const frontend::pattern::PatternProgram& program) {
  Json plans = Json::array();
  for (const frontend::pattern::Choice& choice : program.choices) {
    plans.push_back({{"plan", choice.plan}, {"algorithm", to_string(choice.algorithm)}, {"ms", choice.cost / 1e6}});
  }
  return plans;
}

Json passes_of(const Compilation& compilation) {
  Json passes = Json::array();
  for (const passes::PassRun& run : compilation.pipeline().runs) {
    Json facts = Json::object();
    for (const auto& [name, number] : run.statistics) facts[std::string(name)] = number;
    passes.push_back(
        {{"pass", run.text}, {"changed", run.changed}, {"ms", rounded(run.milliseconds)}, {"facts", std::move(facts)}});
  }
  return passes;
}

Json memory_of(const ir::Module& module, const std::map<std::string, const runtime::Graph*>& graphs) {
  Json memory = Json::array();
  for (const PlannedBuffer& buffer : memory_plan(module, graphs)) {
    Json row = {{"buffer", buffer.name}, {"capacity", buffer.capacity}, {"item_bytes", buffer.item_bytes}};
    if (buffer.items) row["items"] = *buffer.items;
    memory.push_back(std::move(row));
  }
  return memory;
}

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
  PlanReader(Prepared& prepared, const PlanRun& how, Json& json) : prepared_(prepared), how_(how), json_(json) {}

  Status all(const std::vector<frontend::pattern::MatchingPlan>& plans) {
    Compilation& compilation = *prepared_.compilation_;
    const runtime::LabelDictionary& dictionary = prepared_.graph_->graph().dictionary();
    passes::LabelWords labels;
    labels.code = [&dictionary](std::string_view word) { return dictionary.code(word); };
    labels.words = dictionary.words();
    json_["signature"] = to_string(compilation.signature());
    json_["program"] = compilation.text();
    const ir::Module lists = compilation.module_of_lists(labels);
    std::vector<Step> nest = steps_of(lists, label_names(compilation.loop(), labels.code));
    add_estimates(plans, nest);
    std::map<std::string, const runtime::Graph*> graphs;
    for (const auto& [name, graph] : prepared_.bound_.inputs.graphs) graphs.emplace(name, &graph);
    const Status status = run(compilation, lists, nest);
    json_["steps"] = Json::array();
    add_steps(nest, 0, json_["steps"]);
    json_["passes"] = passes_of(compilation);
    json_["memory"] = memory_of(compilation.pipeline().module, graphs);
    return status;
  }

 private:
  Status run(Compilation& compilation, const ir::Module& lists, std::vector<Step>& nest) {
    json_["complete"] = false;
    const Stopwatch watch;
    codegen::RunResult result;
    Status status = execute(*prepared_.executable_, result);
    if (status != Status::Ok || result.ending != codegen::Ending::Complete) return status;
    json_["ms"] = rounded(watch.ms());
    json_["simd"] = result.tier;
    const bool gives_list = compilation.signature().result->is_list();
    std::string answer = gives_list ? fmt::format("{} rows", result.rows) : std::string();
    for (std::size_t at = 0; at < result.values.size() && !gives_list; ++at) {
      if (at != 0) answer += ", ";
      append_value(answer, result.values[at], prepared_.universe(), Style::Text);
    }
    json_["answer"] = answer;
    const LoopCounts counts(lists, compilation.context());
    if (!counts.any()) return status;
    std::unique_ptr<codegen::Executable> counting;
    status = compilation.load_variant(counts.module(), "llvm, counting", *prepared_.backend_, counting);
    if (status != Status::Ok) return status;
    status = execute(*counting, result);
    if (status != Status::Ok || result.ending != codegen::Ending::Complete) return status;
    counts.fill(result, nest);
    json_["complete"] = true;
    return status;
  }

  Status execute(codegen::Executable& executable, codegen::RunResult& result) {
    codegen::RunOutcome outcome =
        executable.run(prepared_.bound_.arguments, prepared_.universe(), run_options(how_, prepared_.bound_.labels));
    if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&outcome)) {
      return prepared_.log_.error(failed->error);
    }
    result = std::move(std::get<codegen::RunResult>(outcome));
    return Status::Ok;
  }

  Prepared& prepared_;
  const PlanRun& how_;
  Json& json_;
};

Status PlanReport::make(const ProgramRequest& request, const std::shared_ptr<ResidentGraph>& graph,
                        const Prepared::Reading& reading, const PlanRun& how, std::string& errors,
                        nlohmann::ordered_json& json) {
  ProgramRequest on_cpu = request;
  on_cpu.device = "cpu";
  on_cpu.may_search = false;
  const auto messages = std::make_shared<MessageLog>();
  std::unique_ptr<Prepared> prepared;
  Status status = Prepared::make(on_cpu, graph, reading, messages, prepared);
  if (status != Status::Ok) {
    errors = messages->text();
    return status;
  }
  json = {{"schema", "matcha.plan/1"}};
  std::vector<frontend::pattern::MatchingPlan> plans;
  if (!request.pattern.text.empty()) {
    const MessageLog log;
    PatternSource pattern(request.pattern, log);
    const runtime::Graph* const informed = graph->maybe_informed();
    reading([&] { status = pattern.read(); });
    if (status != Status::Ok) return status;
    json["semantics"] = pattern.semantics(request.matches);
    json["meaning"] = pattern.meaning();
    // The graph that what was prepared runs on.
    std::shared_ptr<ResidentGraph> part = graph;
    const std::optional<std::int64_t> label =
        informed != nullptr ? only_label(pattern, *informed, informed->dictionary()) : std::nullopt;
    if (label) {
      runtime::Result<ResidentGraph::Shared> narrow = graph->of_label(*label);
      if (!narrow) {
        status = messages->error(narrow.error());
        errors = messages->text();
        return status;
      }
      part = std::move(*narrow);
      pattern.forget_edge_labels();
    }
    const runtime::Graph& looked_at = pattern.edge_labelled() && informed != nullptr ? *informed : part->graph();
    const PlanRequest plan{request.matches, request.order, true, frontend::pattern::Device::Cpu,
                           runtime::machine().threads};
    frontend::pattern::GraphSketch sketch;
    Forecast forecast;
    reading([&] { status = plan_pattern(pattern, looked_at, looked_at.dictionary(), plan, sketch, forecast); });
    if (status != Status::Ok) return status;
    json["plans"] = plans_of(pattern.program());
    plans = pattern.program().plans;
  }
  status = PlanReader(*prepared, how, json).all(plans);
  errors = messages->text();
  return status;
}

}  // namespace matcha::driver
