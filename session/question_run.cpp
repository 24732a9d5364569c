#include "session/question_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "planner/prices.h"
#include "runtime/machine.h"
#include "session/assumptions.h"
#include "session/bind_slices.h"
#include "session/label_graph.h"
#include "session/motif_sets.h"
#include "session/trial.h"
#include "session/vertex_types.h"

namespace matcha::session {

namespace price = planner::price;

namespace {

/// Whether the answer of a program is a sum, as `within` needs; reports the place if not. Conditions inside may be of
/// any kind.
Status check_is_sum(const Compilation& program, const Signature& signature, const Reporter& reporter) {
  const frontend::Type& type = *signature.result;
  if (!type.is_number()) {
    return reporter.error(Status::Usage,
                          fmt::format("`within` estimates a sum; `{}` returns `{}`", signature.entry, to_string(type)));
  }
  for (const ir::Stmt* const stmt : program.loop().body->body) {
    if (stmt->kind != ir::Kind::Collect) continue;
    for (const ir::Sink& sink : static_cast<const ir::Collect*>(stmt)->sinks) {
      // A list is a step of the way to a number.
      if (sink.kind == ir::SinkKind::Sum || sink.kind == ir::SinkKind::List) continue;
      return reporter.error_at(Status::Usage, program.sources(), stmt->loc,
                               fmt::format("`within` estimates a sum, and this is `{}`", ir::keyword(sink.kind)),
                               "leave out `within` for the exact answer");
    }
  }
  return Status::Ok;
}

/// Whether the options of an interval fit the question; reports those that do not.
Status check_interval(const ProgramRequest& request, const Reporter& reporter) {
  const runtime::sample::IntervalRequest& interval = request.interval;
  if (interval.within) {
    if (!request.matches && !request.some && request.pattern.per.empty()) return Status::Ok;
    return reporter.error(Status::Usage, "`within` is not for rows", "it estimates one count");
  }
  if (!interval.certain && !interval.seed && !interval.confidence) return Status::Ok;
  const char* const name = interval.certain ? "certain" : interval.seed ? "seed" : "confidence";
  return reporter.error(Status::Usage, fmt::format("`{}` is for `within`", name),
                        "give the width of the interval, such as `within` = `1%`");
}

/// Why labels of a program mean something else in patterns, in a sentence; empty: they do not. A program asks for whole
/// labels, and those that the graph lacks are errors.
std::string problem_of_labels(const CountedProgram& counted, const runtime::LabelDictionary& dictionary) {
  for (const std::string& word : counted.program->words()) {
    if (!dictionary.code(word)) return fmt::format("no vertex has the label `{}`", word);
  }
  for (const CountedPattern& one : counted.patterns) {
    for (const std::string& label : one.pattern.labels) {
      if (!label.empty() && with_types(label, dictionary) != label) return "labels of the graph are several types";
    }
  }
  return {};
}

}  // namespace

QuestionRun::QuestionRun(ProgramRequest asked, const Reporter& to, Reading reading)
    : request(std::move(asked)), log(to) {
  read_here();
  if (reading) reading_ = std::move(reading);
  if (request.compile.file.empty()) request.compile.file = request.of_pattern() ? "<pattern>" : "<program>";
  plan.rows = request.matches;
  plan.order = request.order;
  plan.threads = runtime::machine().threads;
  target = &target_named(cpu_target());
  renew();
}

void QuestionRun::read_here() {
  reading_ = [](const std::function<void()>& step) { step(); };
}

void QuestionRun::renew() {
  counted_.reset();
  compilation.emplace(request.compile, reporter);
  compilation->set_cancel(maybe_cancel_);
}

Status QuestionRun::read_program(const std::atomic<bool>* maybe_cancel) {
  maybe_cancel_ = maybe_cancel;
  compilation->set_cancel(maybe_cancel);
  Status status = Status::Ok;
  if (request.reads_file) {
    status = compilation->read();
  } else {
    compilation->take(request.text);
  }
  if (status == Status::Ok) status = compilation->check();
  return status == Status::Ok ? compilation->lower() : status;
}

Status QuestionRun::read(const std::atomic<bool>* maybe_cancel) {
  Status status = check_interval(request, log);
  if (status != Status::Ok) return status;
  if (request.of_pattern()) pattern.emplace(request.pattern, log);
  reading_([&] { status = pattern ? pattern->read() : read_program(maybe_cancel); });
  if (status != Status::Ok) return status;
  if (pattern) reporter.set_pattern(pattern->sources(), pattern->loc());
  signature = pattern ? pattern->signature(request.matches) : compilation->signature();
  if (!pattern && request.interval.within) status = check_is_sum(*compilation, signature, log);
  if (pattern && request.explains) {
    semantics = pattern->semantics(request.matches);
    meaning = pattern->meaning();
  }
  return status;
}

const runtime::Graph* QuestionRun::maybe_graph() const {
  if (maybe_pattern_graph != nullptr) return maybe_pattern_graph;
  const auto found = bound.inputs.graphs.find(bound.main_graph);
  return found == bound.inputs.graphs.end() ? nullptr : &found->second;
}

Status QuestionRun::check_graph(bool narrows) {
  if (!pattern) return Status::Ok;
  Status status = pattern->check_arcs(maybe_graph()->facts().directed);
  if (status == Status::Ok) status = pattern->check_set(bound.inputs.reports.at(bound.main_graph).graphs);
  if (status == Status::Ok) status = pattern->check_labels(*maybe_graph(), *bound.inputs.dictionary);
  if (status == Status::Ok && narrows) status = take_graph_of_label(*pattern, log, bound);
  if (status == Status::Ok && !request.pattern.per.empty()) status = check_for_orbits(*maybe_graph(), log);
  return status;
}

bool QuestionRun::has_rounds() const {
  return !pattern && std::ranges::any_of(compilation->loop().body->body,
                                         [](const ir::Stmt* stmt) { return stmt->kind == ir::Kind::Repeat; });
}

planner::Question QuestionRun::question() const {
  planner::Question question;
  if (pattern) question = question_of(*pattern, request.pattern, request.matches);
  question.bounded = request.some;
  question.most = request.maybe_most;
  question.interval = request.interval;
  question.device = request.device;
  question.engine = request.engine;
  question.wants_program = request.wants_program;
  if (!request.may_search) question.wants_program = "what takes the answer";
  if (has_rounds()) question.cpu_only = "rounds (`iterate`, `repeat`) do not run on a GPU";
  if (request.tier != "auto") question.wants_tier = "`tier`";
  question.in_shares = request.shares;
  question.graph_grows = request.may_lack_labels;
  return question;
}

EngineContext QuestionRun::context() {
  EngineContext context;
  context.maybe_graph = maybe_graph();
  context.maybe_labels = bound.inputs.dictionary.get();
  context.match_index = bound.match_index;
  context.maybe_draws = bound.maybe_draws;
  context.code_folder = request.code_folder;
  context.counted = [this](std::string& why) { return counted(&bound, why); };
  context.reading = reading_;
  return context;
}

bool QuestionRun::may_count_patterns(const planner::Question& asked) {
  const bool is_named = asked.engine.empty() || asked.engine == "patterns";
  const bool wants_loops = !asked.wants_program.empty() || !asked.wants_tier.empty() || asked.in_processes ||
                           asked.bounded || asked.interval.within || target->on_gpu;
  std::string why;
  return is_named && !wants_loops && counted(nullptr, why).has_value();
}

std::optional<CountedProgram> QuestionRun::counted(const BoundInputs* maybe_bound, std::string& why) {
  const auto is_graph = [](const auto& param) { return param.type->is_graph(); };
  const auto is_simple = [](const auto& param) {
    return param.type->is_graph() ? param.type->elem == nullptr : param.type->is_number();
  };
  if (std::ranges::count_if(signature.params, is_graph) != 1 || !std::ranges::all_of(signature.params, is_simple)) {
    why = "the program has other parameters than a graph and numbers";
  } else if (signature.result->is_list()) {
    why = "a list is no sum";
  } else if (!request.compile.passes.empty() || !request.compile.disabled.empty()) {
    why = "passes are chosen, which only the loops of the program have";
  } else if (plan.order != "auto") {
    why = "`--order` is for the loops of the program";
  } else if (request.rewrite) {
    why = "the program is rewritten";
  }
  if (!why.empty()) return std::nullopt;
  ir::AssumptionKinds allowed = allowed_assumptions(false, maybe_bound);
  if (!compilation->reads_labels()) allowed.erase(ir::AssumptionKind::Labelled);
  const auto is_same = [&](ir::AssumptionKind kind) {
    return counted_->allowed.contains(kind) == allowed.contains(kind);
  };
  if (!counted_ || !std::ranges::all_of(ir::kAssumptionKinds, is_same)) {
    counted_.emplace().allowed = allowed;
    reading_([&] {
      counted_->found = counted_program(std::make_shared<ProgramNests>(*compilation, allowed), counted_->why);
    });
  }
  why = counted_->why;
  if (counted_->found && maybe_bound != nullptr) {
    why = problem_of_labels(*counted_->found, *maybe_bound->inputs.dictionary);
  }
  return why.empty() ? counted_->found : std::nullopt;
}

std::optional<double> QuestionRun::expected_ns(bool on_gpu) {
  if (!pattern) return on_gpu ? std::nullopt : session::expected_ns(*compilation, bound);
  // Orbits have no program, and a graph that is not in memory has no figures.
  if (!request.pattern.per.empty() || choice.context().maybe_graph == nullptr) return std::nullopt;
  // Other engines may answer without one.
  const std::vector<pattern::Pattern>& all = pattern->set().patterns;
  const bool joins = request.pattern.algorithm == "join" && !pattern->set().motif;
  if (joins && !std::ranges::all_of(all, pattern::can_join)) return std::nullopt;
  if (planned_ == Status::Ok) planned_ = write_program(on_gpu);
  if (planned_ != Status::Ok) return std::nullopt;
  return on_gpu ? forecast.ns : pattern->program().cost;
}

Status QuestionRun::decide(planner::Question asked, EngineContext given, planner::Catalog catalog, const Reporter& to) {
  planned_ = Status::Ok;
  catalog.program_ns = [this](bool on_gpu) { return expected_ns(on_gpu); };
  catalog.threads = std::max(catalog.threads, 1U);
  catalog.complete = request.explains;
  const Status decided = choice.decide(std::move(asked), std::move(given), catalog, to);
  if (planned_ != Status::Ok || decided != Status::Ok) return planned_ != Status::Ok ? planned_ : decided;
  if (!request.explains) return Status::Ok;
  offers = planner::to_json(choice.decision());
  if (request.device == "cuda") return Status::Ok;
  choice.stay_on_cpu();
  if (!choice.decision().is_empty()) return Status::Ok;
  return to.error(Status::Usage, "what runs on a GPU alone is not explained", "leave out `device`");
}

bool QuestionRun::take_device() {
  if (chosen().on_gpu == target->on_gpu) return false;
  target = &target_named(chosen().on_gpu ? "cuda" : cpu_target());
  return true;
}

bool QuestionRun::next_takes(double ns, double threads) {
  const std::vector<planner::Offer>& all = choice.decision().offers;
  if (all.size() < 2) return true;
  const planner::Offer& next = all[1];
  if (next.ns > ns) return true;  // Without planning its program.
  if (next.engine != "program" || next.on_gpu || !pattern) return false;
  return price::compile + price::program_run * expected_ns(false).value_or(0) / threads > ns;
}

void QuestionRun::make_engine(const codegen::RunOptions& trial) {
  if (!pattern && chosen().make) executable.reset();  // The program was compiled before it was known.
  while (chosen().make) {
    const Stopwatch watch;
    if (executable == nullptr) executable = chosen().make();
    const double plan_ms = chosen().engine == "search" ? 0 : watch.ms() + forecast.plan_ms;
    if (chosen().is_trial) {
      const double threads = trial.threads != 0 ? trial.threads : runtime::machine().threads;
      Trial found = try_run(*executable, bound.arguments, *bound.inputs.universe, trial);
      tried = std::move(found.answer);
      if (!tried && found.ns < planner::kUnknownNs && next_takes(price::search_share * found.ns / threads, threads)) {
        choice.go_on();
      }
    }
    if (!chosen().is_trial || tried) {
      if (plan_ms > 0) compilation->add_plan(plan_ms);
      return;
    }
    executable.reset();
    choice.give_up();
  }
}

Status QuestionRun::write_program(bool on_gpu) {
  plan.device = on_gpu ? pattern::Device::Gpu : pattern::Device::Cpu;
  if (sketch && sketch->device == plan.device) return Status::Ok;
  Status status = Status::Ok;
  sketch.emplace();
  reading_([&] { status = plan_pattern(*pattern, *maybe_graph(), *bound.inputs.dictionary, plan, *sketch, forecast); });
  if (status != Status::Ok) sketch.reset();
  return status;
}

Status QuestionRun::lower_program() {
  if (!pattern) return Status::Ok;
  Status status = write_program(target->on_gpu);
  if (status != Status::Ok) return status;
  reading_([&] { status = compilation->lower_text(pattern->program().text, forecast.plan_ms); });
  if (status == Status::Ok) signature = compilation->signature();
  return status;
}

passes::LabelWords QuestionRun::label_words() const {
  passes::LabelWords labels;
  labels.code = [words = bound.inputs.dictionary, may_lack = request.may_lack_labels](std::string_view word) {
    std::optional<std::int64_t> code = words->code(word);
    // Of no vertex, not even of one without a label.
    if (!code && may_lack) code = runtime::kNoLabel + 1;
    return code;
  };
  labels.words = bound.inputs.dictionary->words();
  return labels;
}

Status QuestionRun::order_vertices() {
  labels = label_words();
  if (request.rewrite) {
    if (const Status status = rewrite(); status != Status::Ok) return status;
  }
  forecast.threads = plan.threads;
  forecast.on_gpu = target->on_gpu;
  return session::order_vertices(plan.order, forecast, *compilation, labels, reporter, bound, order);
}

/// Replaces the loops of the program by those that the request makes of its nests.
Status QuestionRun::rewrite() {
  const std::optional<ir::Module> nests = compilation->nests(labels, allowed_assumptions(target->on_gpu, &bound));
  if (!nests) return log.error(Status::Query, "the program cannot be read as loops");
  compilation->set_loop(request.rewrite(compilation->context(), *nests));
  return Status::Ok;
}

void QuestionRun::open_back_end() {
  if (backend != nullptr) return;
  backend = target->make(settings());
  backend->begin();
}

Status QuestionRun::run_passes(Compilation& of) {
  const Status sliced = is_bound ? bind_slices(of, reporter, bound) : Status::Ok;
  if (sliced != Status::Ok) return sliced;
  return session::run_passes(*target, of, labels, is_bound ? &bound : nullptr, request.gpu.query);
}

Status QuestionRun::compile() {
  open_back_end();
  compilation->set_target(target->info(settings()));
  if (const Status status = run_passes(*compilation); status != Status::Ok) return status;
  return load_program();
}

Status QuestionRun::load_program() {
  open_back_end();
  return load ? load(*compilation, *backend, executable) : compilation->load(*backend, executable);
}

}  // namespace matcha::session
