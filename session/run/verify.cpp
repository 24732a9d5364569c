#include "session/run/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "session/engines.h"
#include "session/run/report.h"

namespace matcha::session {

namespace {

constexpr const char* kHint =
    "one of them is wrong, and it may be a bug of Matcha: please report the command and the graph";

/// The options of a second run that computes the answer in another way, with a description.
struct OtherWay {
  RunRequest options;
  PatternOptions pattern;
  std::string text;
};

/// Another program for a pattern, if there is one, else another back end; always by ids, so that the ranks differ where
/// the first run ranked by degree.
OtherWay other_way(const Computed& first, const RunRequest& options) {
  OtherWay other{options, first.run.request.pattern, {}};
  other.options.device = "cpu";
  other.options.gpu = {};
  other.options.gpu_given.clear();
  other.options.tune = false;
  other.options.engine.clear();
  other.options.order = "id";
  other.options.backend = "llvm";
  other.options.json = false;
  const bool was_gpu = first.report->device != "cpu";
  const bool was_native = !was_gpu && first.report->result->level != "interp" && first.report->backend != "interp";
  other.options.tier = was_native ? "interp" : "native";
  other.text = was_native ? "plans instead of compiled code" : "compiled code";
  if (was_gpu) other.text += " on the CPU";
  if (!first.run.pattern) {
    if (first.run.lacks_program()) other.options.engine = "program";
    return other;
  }
  if (first.run.lacks_program() || first.run.pattern->set().motif) {
    if (other.pattern.algorithm == "extend") return other;
    other.pattern.algorithm = "extend";
    other.text = "a program that goes from vertex to vertex";
  } else if (first.run.sketch && other.pattern.plan == 1 && first.run.pattern->write_plan(2, *first.run.sketch)) {
    other.pattern.plan = 2;
    other.text = "the plan that is next in cost";
  } else {
    return other;
  }
  other.options.tier = "native";
  return other;
}

std::string answer_of(const Computed& run) {
  return comparable(run.report->result->values, *run.report->bound->inputs.universe);
}

/// Whether trying every map is known for it: injective ones of edges that are there or are not.
bool is_plain(const PatternSource& source) {
  const pattern::Pattern& one = source.set().patterns.front();
  const auto several = [](const std::string& label) { return pattern::alternatives(label).size() > 1; };
  return source.match() == pattern::Match::Iso && !one.has_loops() && !one.has_constants() && !one.counts_edges() &&
         std::ranges::none_of(one.labels, several);
}

class Verifier {
 public:
  Verifier(const Computed& first, const RunRequest& options, const RunReporter& console, StopControl& session)
      : first_(first), options_(options), console_(console), session_(session) {}

  Status on_samples() {
    SampleTask task;
    task.bound = &first_.run.bound;
    task.options = first_.run_options;
    task.options.on_progress = {};
    task.maybe_pattern = first_.run.pattern && is_plain(*first_.run.pattern) ? &*first_.run.pattern : nullptr;
    task.embeddings = first_.run.request.pattern.embeddings;
    task.compilation = &*first_.run.compilation;
    task.labels = first_.run.label_words();
    std::unique_ptr<codegen::Executable> counter;
    task.tested = [this, &counter](const SampleInputs& sample) {
      if (!first_.run.lacks_program()) return first_.run.executable.get();
      counter = counter_of(sample.bound);
      return counter.get();
    };
    const std::string problem = check_on_samples(task, found_);
    if (session_.stopped()) return session_.stop_early();
    return problem.empty() ? Status::Ok
                           : console_.error(Status::Run, "the answer is not verified: it is " + problem, kHint);
  }

  template <typename Make>
  Status on_all(const Make& make) {
    OtherWay other = other_way(first_, options_);
    const std::unique_ptr<RunSteps> run = make(other.options, other.pattern);
    Status code = run->check();
    if (code == Status::Ok) code = run->read();
    if (code == Status::Ok) code = run->prepare();
    if (code == Status::Ok) code = run->compute();
    session_.set_report([this](Status verdict) { report_stop(verdict); });
    if (session_.stopped()) return session_.stop_early();
    if (code != Status::Ok) return code;
    const std::string mine = answer_of(first_), its = answer_of(run->computed());
    if (mine != its) {
      return console_.error(Status::Run,
                            fmt::format("the answer is not verified: this run and one by {} differ, {}", other.text,
                                        difference(mine, its)),
                            kHint);
    }
    found_.second_run = other.text;
    return Status::Ok;
  }

  /// Reports a stop during the verification: the answer is complete.
  void report_stop(Status verdict) const {
    console_.error(verdict, fmt::format("{} before the answer was verified; it is complete", stopped_by(verdict)));
    const std::string text = options_.json ? report_json(*first_.report) : report_text(*first_.report);
    (void)write_text_file("-", text);
  }

  /// The engine that counted without a program, for other inputs; null: it does not count those.
  std::unique_ptr<codegen::Executable> counter_of(const BoundInputs& bound) const {
    const EngineChoice& choice = first_.run.choice;
    planner::Question question = choice.question();
    question.engine = choice.chosen().engine;
    question.device = "cpu";
    EngineContext context = choice.context();
    context.maybe_graph = &bound.inputs.graphs.begin()->second;
    context.maybe_labels = bound.inputs.dictionary.get();
    context.match_index = bound.match_index;
    context.maybe_draws = {};
    context.maybe_together = nullptr;
    planner::Catalog catalog;
    catalog.program_ns = [](bool) { return std::nullopt; };
    const planner::EngineList engines = make_engines(question, context);
    const planner::Decision decision = planner::decide(question, catalog, engines);
    return decision.is_empty() || !decision.chosen().make ? nullptr : decision.chosen().make();
  }

  const Verification& found() const { return found_; }

 private:
  const Computed first_;
  const RunRequest& options_;
  const RunReporter& console_;
  StopControl& session_;
  Verification found_;
};

}  // namespace

Status verify(RunSteps& run, const RunRequest& options, const RunReporter& console, StopControl& session,
              const std::function<std::unique_ptr<RunSteps>(const RunRequest&, const PatternOptions&)>& make) {
  if (const auto& pattern = run.computed().run.pattern; pattern && pattern->set().cliques) {
    return console.error(Status::Usage, "`--verify` is of patterns, which have at most 12 vertices without labels",
                         "a smaller clique can be verified");
  }
  const Computed first = run.computed();
  if (!first.report->complete()) {
    console.note("a part of an answer is not verified");
    return Status::Ok;
  }
  Verifier verifier(first, options, console, session);
  session.set_report([&verifier](Status verdict) { verifier.report_stop(verdict); });
  session.watch(StopControl::Stops::All);
  Status code = verifier.on_samples();
  if (code == Status::Ok) code = verifier.on_all(make);
  session.set_report({});
  if (code != Status::Ok) return code;
  first.report->verification = verifier.found();
  if (!options.json) console.note(verification_text(verifier.found()));
  return Status::Ok;
}

}  // namespace matcha::session
