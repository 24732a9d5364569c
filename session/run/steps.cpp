#include "session/run/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "ir/printer.h"
#include "runtime/cpu/region.h"
#include "runtime/cpu/set_kernels.h"
#include "runtime/machine.h"
#include "session/assumptions.h"
#include "session/gpu.h"
#include "session/matches.h"
#include "session/motif_sets.h"
#include "session/output_file.h"
#include "session/pictures/match_pictures.h"
#include "session/pictures/svg.h"
#include "session/question_run.h"
#include "session/run/checks.h"
#include "session/run/cluster_run.h"
#include "session/run/device_options.h"
#include "session/run/gpu_beside.h"
#include "session/run/graph_fit.h"
#include "session/run/ledger_run.h"
#include "session/run/report.h"
#include "session/run/texts.h"
#include "session/tuned_schedules.h"
#include "session/tuner.h"

namespace matcha::session {

namespace {

ProgramRequest request_of(const RunRequest& options, const PatternOptions& pattern) {
  ProgramRequest request;
  request.reads_file = pattern.text.empty();
  request.pattern = pattern;
  request.pattern.may_ask_columns = true;
  request.matches = options.streams();
  request.compile = options.compile;
  request.device = options.device;
  request.tier = options.tune ? "native" : options.tier;
  request.backend = options.backend;
  request.engine = options.engine;
  request.gpu = options.gpu;
  request.some = options.most().has_value();
  request.maybe_most = options.most();
  request.interval = options.interval;
  request.params = options.bind.params;
  request.order = options.order;
  request.code_folder = options.code_folder;
  request.explains = options.explains;
  return request;
}

/// One run, step by step. Every step gives the status of the command; Ok continues with the next.
class Run final : public RunSteps {
 public:
  Run(const RunRequest& options, const PatternOptions& pattern, const RunReporter& console, StopControl& session,
      SharedInputs* maybe_shared)
      : options_(options),
        console_(console),
        session_(session),
        maybe_shared_(maybe_shared),
        cluster_(options.cluster, console),
        parts_(options, console),
        run_(request_of(options, pattern), console) {
    run_.load = [this](Compilation& program, codegen::Backend& backend, std::unique_ptr<codegen::Executable>& out) {
      return parts_.load(program, backend, out);
    };
    report_.compilation = &*run_.compilation;
    report_.backend = options.backend;
    report_.only_counts = options.count;
    report_.asks_exists = options.exists;
    report_.within = options.interval.within.has_value();
    report_.threads = options.threads != 0 ? options.threads : runtime::machine().threads;
  }

  Status check() override { return check_options(); }
  Status read() override { return steps({&Run::front_end}); }
  Status prepare() override {
    Status code = steps({&Run::bind, &Run::open_matches, &Run::begin, &Run::load, &Run::check_graph});
    // Of several patterns all are planned before one of them runs.
    if (code != Status::Ok || maybe_shared_ == nullptr) return code;
    code = decide();
    if (code != Status::Ok) return code;
    const planner::Offer& chosen = run_.chosen();
    if (!chosen.make) code = run_.write_program(chosen.on_gpu);
    // A GPU matches patterns together that it has before the first one runs.
    if (chosen.on_gpu && chosen.engine == "search") run_.executable = chosen.make();
    if (code == Status::Ok) decides_again_ = count_together();
    return code;
  }
  Status decide() override {
    planner::Catalog catalog;
    // Shards of other machines must choose the same engine.
    catalog.threads = cluster_.planned_threads(report_.threads);
    catalog.may_have_gpu = run_.target->on_gpu || may_choose_;
    catalog.gpu_problem = gpu_problem;
    catalog.ns_to_open = run_.target->on_gpu ? 0 : kNsToOpenGpu;
    catalog.may_race =
        may_choose_ && maybe_shared_ == nullptr && !ledger_.is_there() && GpuBeside::fits(options_, run_);
    return run_.decide(question(catalog.may_have_gpu), context(), catalog, console_);
  }
  Status compute() override {
    return steps({&Run::choose, &Run::write_pattern, &Run::order, &Run::tune, &Run::back_end, &Run::execute});
  }
  bool is_busy() override { return beside_ && beside_->stop(); }
  Computed computed() override { return {&report_, run_, run_options()}; }
  Status finish() override {
    report_.verdict = verdict_of(result_.ending, session_);
    const bool stopped = report_.verdict != Status::Ok;
    session_.watch(stopped ? StopControl::Stops::None : StopControl::Stops::Signals);
    if (!options_.cluster.speaks()) return Status::Ok;
    report_.units = cluster_.units();
    if (matches_file_) {
      if (pictures_) matches_file_->write(pictures_->svg(report_.pattern));
      const runtime::Status written = pictures_ ? matches_file_->commit() : matches_->finish();
      if (!written) return console_.error(written.error());
    }
    const Status printed = print(!cluster_.has_answer() ? cluster_.shard_text(options_.json, !stopped)
                                 : options_.json        ? report_json(report_)
                                                        : report_text(report_));
    if (printed != Status::Ok) return printed;
    if (stopped && !console_.json()) console_.write(partial_line(report_) + "\n");
    const bool on_output = matches_ && options_.streams() && options_.matches == "-" && !stopped;
    const std::string end = options_.json ? "" : closing_line(report_, pictures_.has_value(), on_output);
    if (!end.empty()) console_.note(end);
    return report_.verdict;
  }
  std::size_t name_width() const override {
    std::size_t width = 0;
    for (const std::string& name : report_.count_names) width = std::max(width, characters(name));
    return report_.count_names.empty() ? characters(given()) : width;
  }
  void print_name(std::size_t width) override {
    report_.given = given();
    report_.name_width = width;
  }

 private:
  /// The pattern as the user gave it; in a file there may be blanks before it.
  std::string given() const { return without_blanks_before(run_.request.pattern.text); }

  using Step = Status (Run::*)();
  Status steps(std::initializer_list<Step> all) {
    for (Step step : all) {
      if (const Status code = (this->*step)(); code != Status::Ok) return code;
      keep_report();
      if (session_.stopped() && report_.result == nullptr) return session_.stop_early();
    }
    return Status::Ok;
  }

  /// Lets a stop report the facts known so far: later steps write them while the watchdog reads.
  void keep_report() {
    if (!options_.json || !options_.cluster.speaks() || report_.result != nullptr) return;
    // Until the program of a pattern is there, only the graph is news.
    if (!run_.compilation->has_graph() && (!report_.signature || kept_bound_ == report_.bound)) return;
    kept_bound_ = report_.bound;
    session_.set_report([this, texts = reports_of_stops(report_)](Status verdict) {
      console_.error(verdict, stop_line(verdict));
      print(texts.at(verdict));
    });
  }

  Status check_options() {
    Status code = choose_target(options_, console_, run_.target, may_choose_);
    if (code == Status::Ok) code = check_answer_options(options_, run_.request.pattern, console_, row_format_);
    if (code == Status::Ok) code = cluster_.check(options_);
    run_.forecast.processes = cluster_.processes();
    if (code == Status::Ok) code = choose_tier(options_.simd, console_, tier_);
    return code == Status::Ok ? read_query(run_.request.gpu.query, console_) : code;
  }

  bool of_pattern() const { return run_.request.of_pattern(); }
  const runtime::Graph& graph() const { return *run_.maybe_graph(); }

  Status front_end() {
    Status code = run_.read(session_.cancel());
    if (code == Status::Interrupted && session_.stopped()) return session_.stop_early();
    if (code == Status::Ok && of_pattern() && LedgerRun::answers(run_)) {
      code = ledger_.read(options_, maybe_shared_ != nullptr, console_, session_, run_, report_);
    }
    if (code != Status::Ok) return code;
    report_.signature = run_.signature;
    if (!of_pattern()) {
      const bool may_leave_gpu = options_.device == "auto" && options_.gpu_given.empty();
      if (may_leave_gpu && run_.has_rounds()) run_.target = &target_named(options_.cpu_target());
      if (run_.signature.result->is_tuple()) report_.count_names = run_.compilation->row_names();
      return check_result_type(options_, run_.signature, console_);
    }
    CompileOptions& compile = run_.request.compile;
    compile.may_loop = compile.plain_may_loop = compile.may_loop && run_.pattern->reads_loops();
    report_.pattern = run_.pattern->semantics(options_.streams());
    report_.count_names = run_.pattern->count_names();
    // A .mtg says when it is read whether it has arcs.
    const bool has_inputs = !options_.bind.graph.empty() || !options_.bind.inputs.empty();
    return binds_mtg(options_.bind) || (options_.explains && !has_inputs)
               ? code
               : run_.pattern->check_arcs(options_.bind.directed);
  }

  planner::Question question(bool may_use_gpu) const {
    planner::Question question = run_.question();
    if (may_use_gpu && !options_.gpu_given.empty()) question.device = "cuda";
    if (!may_use_gpu && may_have_gpu()) question.device = "cpu";
    if (options_.backend != "llvm") question.wants_program = fmt::format("`--backend {}`", options_.backend);
    if (options_.tune) question.wants_program = "`--tune`";
    question.wants_tier = options_.tier != "auto" ? "`--tier`" : "";
    if (!options_.gpu_given.empty()) question.wants_gpu_program = fmt::format("`{}`", options_.gpu_given.front());
    question.in_processes = options_.cluster.any();
    return question;
  }

  EngineContext context() {
    EngineContext context = run_.context();
    if (parts_.needed()) context.maybe_graph = nullptr;
    parts_.describe(context);
    if (maybe_shared_ == nullptr) return context;
    context.maybe_together = &maybe_shared_->motifs();
    context.maybe_batch = &maybe_shared_->searches();
    return context;
  }

  /// Adds a pattern of several to those that identities may count together, if they can count it; whether they can.
  bool count_together() const {
    const EngineContext& context = run_.choice.context();
    const planner::Question& question = run_.choice.question();
    if (context.maybe_together == nullptr || !options_.may_count_together() || !options_.pattern.per.empty())
      return false;
    if (!context.does_not_fit.empty() || context.maybe_graph == nullptr) return false;
    codegen::MotifTask task;
    if (!identities_problem(question, *context.maybe_graph, task).empty()) return false;
    const bool is_planned = run_.sketch.has_value() && !is_for_identities(question);
    context.maybe_together->add(task, is_planned ? std::optional(run_.pattern->program().cost) : std::nullopt);
    return true;
  }

  /// Chooses the engine and the device.
  Status choose() {
    // The costs of the other patterns of the command are known now.
    const bool is_decided = maybe_shared_ != nullptr && of_pattern() && !decides_again_;
    if (const Status code = is_decided ? Status::Ok : decide(); code != Status::Ok) return code;
    const std::optional<double>& ns = run_.choice.decision().program_ns;
    if (may_choose_ && ns && *ns < kNsToOpenGpu && !run_.chosen().on_gpu) {
      report_.device_why = fmt::format("the CPU is expected to take {:.2g} ms, less than opening a GPU", *ns / 1e6);
      note_device();
    }
    goes_on_with_cpu();
    return take_device();
  }

  void note_device() const {
    if (!options_.json && !report_.device_why.empty()) console_.note(report_.device_why);
  }

  /// If a GPU is to answer, and a CPU beside it: starts the GPU, and goes on with the CPU, as where no GPU can be used
  /// after all. Whether it did.
  bool goes_on_with_cpu() {
    if (!run_.chosen().on_gpu) return false;
    const bool races = run_.choice.decision().beside != 0, must = run_.choice.question().device == "cuda";
    if (!races && (must || gpu_problem().empty())) return false;
    if (races) beside_ = std::make_unique<GpuBeside>(run_, run_options());
    if (run_.lacks_program()) run_.executable.reset();
    run_.choice.stay_on_cpu();
    return true;
  }

  /// Goes on with the device of the chosen offer.
  Status take_device() {
    report_.engine = run_.chosen().engine;
    if (!run_.take_device()) return Status::Ok;
    outdated_ = std::move(run_.executable);
    outdated_backend_ = std::move(run_.backend);
    return run_.target->on_gpu ? begin() : Status::Ok;
  }

  /// Makes the engine without a program, or writes the program of the pattern for the graph that was read.
  Status write_pattern() {
    if (!of_pattern() && !run_.chosen().make) return Status::Ok;
    const bool is_trial = run_.chosen().is_trial;
    const Stopwatch watch;
    run_.make_engine(run_options());
    if (goes_on_with_cpu()) run_.make_engine(run_options());
    if (is_trial) report_.run_ms = watch.ms();
    Status code = take_device();
    if (code != Status::Ok) return code;
    if (!options_.json && of_pattern()) console_.note(report_.pattern);
    if (run_.lacks_program()) {
      report_.backend = report_.engine;
    } else {
      code = run_.lower_program();
    }
    if (code != Status::Ok) return code;
    report_.signature = run_.signature;
    for (std::size_t plan = run_.request.pattern.plan + 1; options_.tune && plan <= kTunedPlans; ++plan) {
      const std::optional<pattern::PatternProgram> other = run_.pattern->write_plan(plan, *run_.sketch);
      if (!other) break;
      other_plans_.push_back(other->text);
    }
    return code;
  }

  Status bind() {
    if (ledger_.is_there()) return Status::Ok;
    std::optional<BindPlan> plan = plan_binding(*report_.signature, options_.bind, console_);
    if (plan) plan_ = std::move(*plan);
    for (ParamPlan& param : plan_.params) param.graph.keep_loops &= run_.request.compile.may_loop;
    const PatternSource* const maybe_pattern = run_.pattern ? &*run_.pattern : nullptr;
    return plan ? parts_.open(maybe_pattern, run_.request.pattern, session_, plan_, run_.request.compile,
                              run_.request.gpu, run_.bound)
                : Status::Usage;
  }

  Status open_matches() {
    if (!options_.streams() || options_.explains || !cluster_.has_answer() ||
        (options_.json && options_.matches.empty()))
      return Status::Ok;
    runtime::Result<OutputFile> file =
        OutputFile::open(options_.matches.empty() ? "-" : options_.matches, row_format_.compression);
    if (!file) return console_.error(file.error());
    matches_file_.emplace(std::move(*file));
    if (row_format_.kind == RowFormat::Kind::Npy && !matches_file_->may_replace()) {
      return console_.error(Status::Usage, fmt::format("`{}` is no plain file, as .npy needs", options_.matches));
    }
    return Status::Ok;
  }

  Status load() {
    const Stopwatch watch;
    runtime::Status loaded = runtime::Done{};
    if (ledger_.is_there()) {
      ledger_.bind(*report_.signature, run_.bound);
    } else if (!parts_.needed())
      loaded = load_run(options_, console_, session_, *report_.signature, plan_, maybe_shared_, parts_, run_.bound);
    report_.load_ms += watch.ms();
    if (run_.pattern && run_.pattern->edge_labelled()) add_hint_of_labels(loaded);
    if (!loaded) return session_.stopped() ? session_.stop_early() : console_.error(loaded.error());
    report_.bound = &run_.bound;
    run_.is_bound = true;
    if (!options_.json && (maybe_shared_ == nullptr || maybe_shared_->is_new())) {
      for (const auto& [name, report] : run_.bound.inputs.reports) console_.note(report.render());
    }
    // Several patterns share the graph, which is ranked once, for the first of them.
    run_.plan = {
        options_.lists(), parts_.order(), maybe_shared_ != nullptr, {}, cluster_.planned_threads(report_.threads)};
    return parts_.check_loaded(run_.bound);
  }

  /// Processes deal out positions of the whole graph.
  Status check_graph() {
    const Status status = run_.check_graph(!parts_.does_not_fit() && !options_.cluster.any());
    const bool may_loop = !of_pattern() || run_.maybe_graph() == nullptr || !run_.maybe_graph()->facts().loop_free;
    // The graph may keep its loops, and has none.
    if (!may_loop) run_.request.compile.may_loop = run_.request.compile.plain_may_loop = false;
    return status;
  }

  /// Compiles before the inputs are read, so that a run finds them where reading them left them, in the caches. A GPU
  /// is opened, and its code compiled, while they are read. A program that depends on them, or that counts patterns, is
  /// compiled when they are there, and once more if it was compiled for shorter lists of neighbours than theirs.
  Status begin() {
    // Of several patterns each is compiled when its turn comes.
    if (options_.tune || options_.explains || maybe_shared_ != nullptr) return Status::Ok;
    run_.open_back_end();
    if (of_pattern() || run_.compilation->reads_labels()) return Status::Ok;
    if (!parts_.needed() && run_.may_count_patterns(question(false))) return Status::Ok;
    const Status code = compile();
    if (code == Status::Ok) run_.executable->begin();
    return code;
  }

  /// Loads the label words of the graph, and ranks its vertices by degree if that cannot change the answer.
  Status order() {
    if (run_.lacks_program()) return Status::Ok;
    const Status code = run_.order_vertices();
    report_.order = run_.order;
    report_.load_ms += report_.order.ms;
    return code;
  }

  /// With `--tune`: finds the schedule that an earlier run found best, or the best of a few now, and takes it.
  Status tune() {
    if (!options_.tune) return Status::Ok;
    order_switch_.emplace(run_.bound);
    const TunedSchedules kept = TunedSchedules(options_.tuning_folder);
    const std::string key =
        session::tuning_key({options_.compile, options_.bind, run_.bound, run_.compilation->text(), other_plans_,
                             options_.order, run_.target, options_.simd, report_.threads, options_.gpu});
    ScheduleChoice choice;
    choice.gpu = options_.gpu;
    std::string problem;
    report_.tuning = kept.load(key);
    if (report_.tuning && (!apply_words(report_.tuning->chosen, choice) || choice.plan >= other_plans_.size() + 2)) {
      report_.tuning.reset();
      choice = ScheduleChoice();
      choice.gpu = options_.gpu;
    }
    if (!report_.tuning) {
      report_.tuning = session::tune(tuning_task(), console_);
      if (session_.stopped()) return Status::Ok;
      apply_words(report_.tuning->chosen, choice);
      problem = kept.store(key, *report_.tuning);
    }
    if (!options_.json) console_.note(tuning_text(*report_.tuning));
    if (!problem.empty()) console_.note(fmt::format("the schedule is not remembered: {}", problem));
    return take(choice);
  }

  TuningTask tuning_task() {
    TuningTask task;
    task.target = run_.target;
    task.code_folder = options_.code_folder;
    task.compile = run_.request.compile;
    task.gpu = options_.gpu;
    task.text = run_.compilation->text();
    task.plans = other_plans_;
    const auto main_graph = run_.bound.inputs.graphs.find(run_.bound.main_graph);
    if (main_graph != run_.bound.inputs.graphs.end()) task.positions = main_graph->second.vertex_count();
    constexpr std::uint64_t kMostArcs = std::uint64_t{1} << 28;  // There are two graphs then.
    task.may_rank = report_.order.could && (report_.order.may_gain || !other_plans_.empty()) &&
                    main_graph != run_.bound.inputs.graphs.end() && main_graph->second.view().arc_count <= kMostArcs;
    task.rank = [this](bool by_degree, Compilation& compilation) {
      return order_switch_->set(by_degree, compilation, run_.labels);
    };
    task.run_passes = [this](Compilation& compilation) { return run_.run_passes(compilation); };
    task.run = [this](codegen::Executable& executable, std::chrono::steady_clock::time_point deadline) {
      codegen::RunOptions run = run_options();
      run.deadline = std::min(deadline, run.deadline.value_or(deadline));
      return executable.run(run_.bound.arguments, *run_.bound.inputs.universe, run);
    };
    task.stopped = [this] { return session_.stopped(); };
    return task;
  }

  /// Applies the chosen schedule.
  Status take(const ScheduleChoice& choice) {
    run_.request.gpu = choice.gpu;
    run_.request.compile.disabled.insert(run_.request.compile.disabled.end(), choice.disabled.begin(),
                                         choice.disabled.end());
    Status code = Status::Ok;
    if (choice.plan >= 2) {
      run_.renew();
      code = run_.compilation->lower_text(other_plans_[choice.plan - 2]);
      if (code == Status::Ok) report_.signature = run_.compilation->signature();
    }
    if (code == Status::Ok) rank(choice.by_degree);
    return code;
  }

  /// By degree only if the order cannot change the answer, whatever schedule was stored.
  void rank(bool by_degree) {
    const double ms = order_switch_->set(by_degree, *run_.compilation, run_.labels);
    if (by_degree && ms >= 0) {
      report_.order.by_degree = true;
      report_.order.halves = order_switch_->halves();
      report_.order.why = "as --tune found";
      report_.order.ms += ms;
      report_.load_ms += ms;
    }
    order_switch_.reset();
  }

  codegen::RunOptions run_options() const {
    codegen::RunOptions run;
    run.threads = options_.threads;
    run.tier = tier_;
    run.labels = run_.bound.labels;
    run.stop_request = session_.stop_request();
    run.deadline = session_.deadline();
    run.most = options_.most();
    run.on_note = [this](const std::string& note) { console_.note(note); };
    return run;
  }

  Status back_end() {
    if (run_.lacks_program()) return Status::Ok;
    if (run_.executable != nullptr && is_as_assumed(run_.bound, *run_.compilation)) return Status::Ok;
    outdated_ = std::move(run_.executable);
    return compile();
  }

  Status compile() {
    run_.open_back_end();
    report_.backend = run_.backend->name();
    return run_.compile();
  }

  Status execute() {
    const Stopwatch watch;
    codegen::RunOptions run = run_options();
    if (options_.lists() && !options_.streams() && !run_.lacks_program()) {
      matches_.emplace(nullptr, row_format_, *report_.signature->result, std::vector<std::string>(), options_.most(),
                       *run_.bound.inputs.universe);
      matches_->only_count();
      run.on_rows = [this](const codegen::Rows& rows) { return matches_->take(rows); };
    }
    if (options_.streams()) {
      const std::vector<std::string> names = ledger_.is_there() ? ledger_.names()
                                             : of_pattern()     ? run_.pattern->vertex_names()
                                                                : run_.compilation->row_names();
      report_.columns = column_names(*report_.signature->result, names);
      if (is_picture(options_.matches)) {
        pictures_.emplace(run_.pattern->set().patterns.front(), *run_.bound.inputs.universe, &graph());
      }
      matches_.emplace(matches_file_ && !pictures_ ? &*matches_file_ : nullptr, row_format_, *report_.signature->result,
                       names, options_.limit, *run_.bound.inputs.universe);
      if (of_pattern()) matches_->name_labels(*run_.bound.inputs.dictionary, run_.pattern->label_columns());
      if (ledger_.is_there()) matches_->name_labels(*run_.bound.inputs.dictionary, ledger_.text_columns());
      if (!cluster_.has_answer()) matches_->only_count();
      run.on_rows = [this](const codegen::Rows& rows) {
        if (pictures_) pictures_->take(rows, options_.limit.value_or(kPicturedMatches));
        return matches_->take(rows);
      };
      report_.matches_path = options_.json || !options_.matches.empty() ? options_.matches : "-";
    }
    if (matches_) report_.matches = &*matches_;
    if (options_.cluster.any()) {
      const std::string what = run_.lacks_program() ? search_words(*run_.pattern, options_.streams(), options_.interval)
                                                    : ir::print(run_.compilation->pipeline().module);
      if (const Status code = cluster_.begin(what, run_.bound, session_); code != Status::Ok) return code;
      run.maybe_dealer = cluster_.dealer();
    }
    std::optional<codegen::RunOutcome> outcome;
    session_.watch(StopControl::Stops::Late);
    {
      const std::unique_ptr<ProgressBar> progress = console_.progress("running", "");
      if (progress && !(matches_file_ && matches_file_->is_standard_output())) {
        run.on_progress = [&progress](std::uint64_t done, std::uint64_t total) { progress->update(done, total); };
      }
      const auto run_here = [this](const codegen::RunOptions& how) {
        return run_.executable->run(run_.bound.arguments, *run_.bound.inputs.universe, how);
      };
      outcome = run_.tried ? std::move(*run_.tried) : beside_ ? beside_->first(run_here, run) : run_here(run);
    }
    report_.run_ms += watch.ms();
    if (beside_) {
      beside_->report(report_, run_.bound);
      note_device();
    }
    if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&*outcome)) {
      return report_failure(*failed, options_.bind, run_.compilation->sources(), run_.reporter);
    }
    result_ = std::move(std::get<codegen::RunResult>(*outcome));
    report_.result = &result_;
    const bool by_program = !run_.lacks_program() || parts_.needed();
    const bool on_gpu = (by_program && run_.target->on_gpu) || result_.tier.starts_with("GPU ");
    if (on_gpu) report_.device = result_.tier;
    if (on_gpu && !options_.json) console_.note(fmt::format("ran on {}", result_.tier));
    for (const std::string& note : result_.notes) console_.note(note);
    return Status::Ok;
  }

  Status print(const std::string& text) {
    const runtime::Status written = write_text_file("-", text);
    return written ? Status::Ok : console_.error(written.error());
  }

  const RunRequest& options_;
  const RunReporter& console_;
  StopControl& session_;
  SharedInputs* const maybe_shared_;
  ClusterRun cluster_;
  GraphFit parts_;
  std::vector<std::string> other_plans_;  ///< Programs that `--tune` compares with that of the pattern.
  bool decides_again_ = false;            ///< The best engine depends on the other patterns of the command.
  std::optional<runtime::Tier> tier_;
  bool may_choose_ = false;  ///< The device is chosen when the graph is read.
  BindPlan plan_;
  LedgerRun ledger_;                         ///< Of a pattern with conditions.
  std::optional<OrderSwitch> order_switch_;  ///< While schedules are timed.
  QuestionRun run_;
  std::unique_ptr<GpuBeside> beside_;
  std::unique_ptr<codegen::Backend> outdated_backend_;
  std::unique_ptr<codegen::Executable> outdated_;  ///< For other inputs; waited for at the end only.
  RowFormat row_format_;
  std::optional<OutputFile> matches_file_;
  std::optional<MatchWriter> matches_;
  std::optional<MatchPictures> pictures_;  ///< Of `--matches FILE.svg`.
  codegen::RunResult result_;
  RunReport report_;
  std::optional<const BoundInputs*> kept_bound_;  ///< That of the last report for a stop before there was a program.
};

}  // namespace

std::unique_ptr<RunSteps> make_run(const RunRequest& options, const PatternOptions& pattern, const RunReporter& console,
                                   StopControl& session, SharedInputs* maybe_shared) {
  return std::make_unique<Run>(options, pattern, console, session, maybe_shared);
}

}  // namespace matcha::session
