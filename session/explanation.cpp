#include "session/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/check.h"
#include "ir/verifier.h"
#include "runtime/machine.h"
#include "session/assumptions.h"
#include "session/loop_counts.h"
#include "session/loop_estimates.h"
#include "session/values.h"

namespace matcha::session {

namespace {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// Finds out all about a question, step by step.
class Explainer {
 public:
  Explainer(QuestionRun& run, const ExplainRun& how, Explanation& found) : run_(run), how_(how), found_(found) {}

  Status all() {
    Status status = describe();
    if (status == Status::Ok && is_program()) status = plan();
    if (status == Status::Ok && runs()) status = answer();
    if (status == Status::Ok && runs() && is_program() && !is_ended_) status = count();
    return status;
  }

 private:
  bool is_program() const { return found_.engine == "program"; }
  bool runs() const { return how_.runs && run_.is_bound; }

  Status describe() {
    found_.semantics = run_.semantics;
    found_.meaning = run_.meaning;
    if (run_.pattern) {
      found_.induced = run_.pattern->induced() == pattern::Induced::Vertex;
      if (!run_.request.matches) found_.count_names = run_.pattern->count_names();
    }
    found_.name = run_.compilation->name();
    if (!run_.is_bound) return Status::Ok;
    for (const auto& [name, report] : run_.bound.inputs.reports) found_.graphs.push_back(report.render());
    found_.decision = run_.offers;
    if (run_.chosen().is_trial && !runs()) run_.choice.give_up();
    if (runs()) run_.make_engine(run_options(how_.deadline));
    run_.take_device();
    Status status = Status::Ok;
    // The plans that are shown are of the device that answers.
    if (run_.pattern && run_.sketch) status = run_.write_program(run_.chosen().on_gpu);
    take_plans();
    found_.engine = run_.chosen().engine;
    if (!is_program() && run_.chosen().plan) found_.method = run_.chosen().plan();
    found_.signature = to_string(run_.signature);
    found_.of_graph = true;
    return status;
  }

  /// The program as it is compiled, with the figures of the cost model.
  Status plan() {
    Status status = run_.is_bound ? run_.lower_program() : Status::Ok;
    if (status == Status::Ok && run_.is_bound) status = run_.order_vertices();
    if (status != Status::Ok) return status;
    Compilation& compilation = *run_.compilation;
    if (run_.is_bound) found_.order = run_.order.text();
    if (run_.order.by_degree) found_.times.emplace_back("order", run_.order.ms);
    found_.signature = to_string(compilation.signature());
    found_.text = compilation.text();
    found_.written = steps_of(compilation.loop(), {});
    if (run_.target->on_gpu) compilation.set_target(run_.target->info(run_.settings()));
    status = run_.is_bound ? run_.run_passes(compilation) : compilation.run_passes(run_.target->pipeline, {}, {});
    if (status != Status::Ok) return status;
    found_.passes = compilation.pipeline().runs;
    lists_ = compilation.module_of_lists(run_.labels);
    found_.nest = steps_of(*lists_, label_names(compilation.loop(), run_.labels.code));
    take_plans();
    add_estimates(found_.plans, found_.nest);
    std::map<std::string, const runtime::Graph*> graphs;
    for (const auto& [name, graph] : run_.bound.inputs.graphs) graphs.emplace(name, &graph);
    found_.memory = memory_plan(compilation.pipeline().module, graphs);
    if (how_.on_plan) how_.on_plan(found_);
    return status;
  }

  void take_plans() {
    if (!run_.pattern || !run_.pattern->has_program()) return;
    found_.plans = run_.pattern->program().plans;
    found_.choices = run_.pattern->program().choices;
  }

  codegen::RunOptions run_options(const Deadline& deadline) const {
    codegen::RunOptions options;
    options.threads = how_.threads;
    options.labels = run_.bound.labels;
    options.stop_request = how_.maybe_stop;
    options.deadline = deadline;
    options.on_rows = [](const codegen::Rows&) { return true; };
    return options;
  }

  /// Half of the time that is left is for the run, the rest for counting, if a part of an answer is of use.
  Deadline half_time() const {
    if (!how_.deadline || !is_program() || !how_.on_end) return how_.deadline;
    const auto now = std::chrono::steady_clock::now();
    return now + (*how_.deadline - now) / 2;
  }

  /// Runs it, as `step`; the rows of a list are only counted. `is_ended_`: it did not come to its end.
  Status execute(codegen::Executable& executable, const Deadline& deadline, const std::string& step,
                 codegen::RunResult& result) {
    const Stopwatch watch;
    if (how_.on_run) how_.on_run(true);
    codegen::RunOutcome outcome =
        executable.run(run_.bound.arguments, *run_.bound.inputs.universe, run_options(deadline));
    if (how_.on_run) how_.on_run(false);
    const double ms = watch.ms();
    if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&outcome)) {
      return run_.reporter.error_in(run_.compilation->sources(), failed->loc, failed->error);
    }
    result = std::move(std::get<codegen::RunResult>(outcome));
    if (result.ending != codegen::Ending::Complete && result.ending != codegen::Ending::Sampled) {
      is_ended_ = !how_.on_end;
      if (is_ended_) found_.stopped = "stopped";
      const Status status = is_ended_ ? Status::Ok : how_.on_end(result, found_);
      if (is_ended_ || status != Status::Ok) return status;
    }
    found_.times.emplace_back(step, ms);
    found_.simd = result.tier;
    found_.ran = true;
    return Status::Ok;
  }

  /// Runs it as it is.
  Status answer() {
    if (is_program()) {
      run_.open_back_end();
      if (how_.sample > 1) return Status::Ok;
      if (const Status loaded = run_.load_program(); loaded != Status::Ok) return loaded;
    }
    const auto& steps = run_.compilation->times();
    found_.times.insert(found_.times.end(), steps.begin(), steps.end());
    codegen::RunResult result;
    const Status status = execute(*run_.executable, half_time(), "run", result);
    if (status != Status::Ok || !found_.ran) return status;
    found_.run_ms = found_.times.back().second;
    found_.threads = how_.threads == 0 ? runtime::machine().threads : how_.threads;
    take_figures(result);
    found_.candidates = result.candidates;
    found_.images_tried = result.images_tried;
    const frontend::Type& type = *run_.signature.result;
    if (type.is_list() && found_.count_names.empty()) {
      found_.rows = fmt::format("{} items", result.rows);
    } else {
      found_.values = result.estimate ? std::vector<std::string>{estimate_text(*result.estimate)}
                                      : value_texts(result.values, type, *run_.bound.inputs.universe);
    }
    return status;
  }

  void take_figures(const codegen::RunResult& result) {
    found_.positions = result.positions;
    found_.deferred = result.deferred;
  }

  /// Runs it once more, counting, or for the first time if a sample is enough.
  Status count() {
    const LoopCounts counts(*lists_, run_.compilation->context(), how_.sample);
    if (!counts.any()) {
      run_.log.note("sizes: too many loops to count how often each runs");
      return Status::Ok;
    }
    SourceManager sources;
    Diagnostics diagnostics(sources);
    MATCHA_CHECK(ir::verify(counts.module(), diagnostics), "the counting module breaks a rule of the verifier");
    if (found_.ran && how_.on_answer) how_.on_answer(found_);
    std::unique_ptr<codegen::Executable> executable;
    Status status = run_.compilation->load_variant(counts.module(), "llvm, counting", *run_.backend, executable);
    if (status != Status::Ok) return status;
    found_.times.push_back(run_.compilation->times().back());
    codegen::RunResult result;
    status = execute(*executable, how_.deadline, "run, counting", result);
    if (status != Status::Ok || is_ended_) return status;
    found_.sample = static_cast<std::uint64_t>(how_.sample);
    if (how_.sample > 1) take_figures(result);
    counts.fill(result, found_.nest);
    return status;
  }

  QuestionRun& run_;
  const ExplainRun& how_;
  Explanation& found_;
  bool is_ended_ = false;            ///< A run was stopped.
  std::optional<ir::Module> lists_;  ///< The program with every set as a list, which is shown and counted.
};

}  // namespace

Status explain(QuestionRun& run, const ExplainRun& how, Explanation& found) { return Explainer(run, how, found).all(); }

}  // namespace matcha::session
