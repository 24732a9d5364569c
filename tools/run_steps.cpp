#include "tools/run_steps.h"

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
#include "session/bind_slices.h"
#include "session/compile.h"
#include "session/engine_choice.h"
#include "session/forecast.h"
#include "session/gpu.h"
#include "session/label_graph.h"
#include "session/matches.h"
#include "session/output_file.h"
#include "session/pattern_matcher.h"
#include "session/pattern_plan.h"
#include "session/pattern_reporter.h"
#include "session/pattern_source.h"
#include "session/targets.h"
#include "session/tuned_schedules.h"
#include "session/tuner.h"
#include "session/version.h"
#include "session/vertex_order.h"
#include "tools/gpu_options.h"
#include "tools/match_pictures.h"
#include "tools/options.h"
#include "tools/progress.h"
#include "tools/run_checks.h"
#include "tools/run_choice.h"
#include "tools/run_load.h"
#include "tools/run_report.h"
#include "tools/svg.h"

namespace matcha::tools {

namespace {
using pattern::Device;

/// One run, step by step. Every step says how the command ends; Ok goes on to the next.
class Run final : public RunSteps {
 public:
  Run(const RunVerbOptions& options, const PatternOptions& pattern, const Console& console, Session& session,
      SharedInputs* maybe_shared)
      : options_(options),
        pattern_options_(pattern),
        console_(console),
        session_(session),
        maybe_shared_(maybe_shared),
        reporter_(console_),
        compile_(options.compile),
        gpu_(options.gpu),
        cluster_(options.cluster, console),
        parts_(options, console) {
    renew_compilation();
    report_.backend = options.backend;
    report_.only_counts = options.count;
    report_.asks_exists = options.exists;
    report_.threads = options.threads != 0 ? options.threads : runtime::machine().threads;
  }

  Status check() override { return check_options(); }
  Status read() override { return steps({&Run::front_end}); }
  Status prepare() override {
    Status code = steps({&Run::bind, &Run::open_matches, &Run::begin, &Run::load, &Run::check_pattern});
    if (code == Status::Ok && !options_.pattern.per.empty()) code = check_for_orbits(graph(), console_);
    // Of several patterns all are planned before one of them runs.
    if (code != Status::Ok || maybe_shared_ == nullptr) return code;
    code = decide();
    if (code != Status::Ok) return code;
    const planner::Offer& chosen = choice_.chosen();
    if (!chosen.make) code = write_program(chosen.on_gpu);
    // A GPU matches patterns together that it has before the first one runs.
    if (chosen.on_gpu && chosen.engine == "search") executable_ = chosen.make();
    const std::optional<double> ns = sketch_ ? std::optional(pattern_->program().cost) : std::nullopt;
    if (code == Status::Ok) decides_again_ = count_together(options_, choice_.question(), choice_.context(), ns);
    return code;
  }
  Status compute() override {
    return steps({&Run::choose, &Run::write_pattern, &Run::order, &Run::tune, &Run::back_end, &Run::execute});
  }
  Computed computed() override {
    return {&report_,      &bound_,  &*compilation_,   labels_, executable_.get(),
            run_options(), pattern_, pattern_options_, sketch_, searches_};
  }
  Status finish() override {
    report_.verdict = verdict_of(result_.ending, session_);
    const bool stopped = report_.verdict != Status::Ok;
    session_.watch(stopped ? Session::Stops::None : Session::Stops::Signals);
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
    const bool on_output = matches_ && streams() && options_.matches == "-" && !stopped;
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
  std::string given() const { return without_blanks_before(pattern_options_.text); }

  using Step = Status (Run::*)();
  Status steps(std::initializer_list<Step> all) {
    for (Step step : all) {
      if (const Status code = (this->*step)(); code != Status::Ok) return code;
      keep_report();
      if (session_.stopped() && report_.result == nullptr) return session_.stop_early();
    }
    return Status::Ok;
  }

  /// Has a stop report what is known until here: later steps write it while the watchdog reads.
  void keep_report() {
    if (!options_.json || !options_.cluster.speaks() || report_.result != nullptr) return;
    // Until the program of a pattern is there, only the graph is news.
    if (!compilation_->has_graph() && (!report_.signature || kept_bound_ == report_.bound)) return;
    kept_bound_ = report_.bound;
    session_.set_report([this, texts = reports_of_stops(report_)](Status verdict) {
      console_.error(verdict, stop_line(verdict));
      print(texts.at(verdict));
    });
  }

  void renew_compilation() {
    compilation_.emplace(compile_, reporter_);
    compilation_->set_cancel(session_.cancel());
    report_.compilation = &*compilation_;
  }

  Status check_options() {
    Status code = choose_target(options_, console_, target_, may_choose_);
    if (code == Status::Ok) code = check_answer_options(options_, pattern_options_, console_, row_format_);
    if (code == Status::Ok) code = cluster_.check(options_);
    forecast_.processes = cluster_.processes();
    if (code == Status::Ok) code = choose_tier(options_.simd, console_, tier_);
    return code == Status::Ok ? read_query(gpu_.query, console_) : code;
  }

  bool of_pattern() const { return !pattern_options_.text.empty(); }
  const runtime::Graph& graph() const { return bound_.inputs.graphs.at(bound_.main_graph); }
  Status front_end() {
    if (of_pattern()) return read_pattern();
    Status code = compilation_->read();
    if (session_.stopped()) return session_.stop_early();
    if (code == Status::Ok) code = compilation_->check();
    if (code == Status::Ok) code = compilation_->lower();
    if (code != Status::Ok) return code;
    report_.signature = compilation_->signature();
    if (report_.signature->result->is_tuple()) report_.count_names = compilation_->row_names();
    return check_result_type(options_, *report_.signature, console_);
  }

  Status read_pattern() {
    pattern_.emplace(pattern_options_, console_);
    Status code = pattern_->read();
    if (code != Status::Ok) return code;
    reporter_.set_pattern(pattern_->sources(), pattern_->loc());
    compile_.may_loop = compile_.plain_may_loop = compile_.may_loop && pattern_->reads_loops();
    // A .mtg says when it is read whether it has arcs.
    if (!binds_mtg(options_.bind)) code = pattern_->check_arcs(options_.bind.directed);
    if (code != Status::Ok) return code;
    report_.pattern = pattern_->semantics(streams());
    report_.count_names = pattern_->count_names();
    report_.signature = pattern_->signature(streams());
    return code;
  }

  /// Asks the engines. Plans that this takes are kept.
  Status decide() {
    planned_ = Status::Ok;
    planner::Catalog catalog;
    catalog.program_ns = [this](bool on_gpu) { return expected_ns(on_gpu); };
    catalog.threads = std::max(report_.threads, 1U);
    catalog.may_have_gpu = target_->on_gpu || may_choose_;
    catalog.gpu_problem = gpu_problem;
    catalog.ns_to_open = target_->on_gpu ? 0 : kNsToOpenGpu;
    const std::string on_gpu = options_.gpu_given.empty() ? options_.device : "cuda";
    const std::string device = catalog.may_have_gpu ? on_gpu : "cpu";
    const Status decided =
        choice_.decide(question_of_run(options_, pattern_ ? &*pattern_ : nullptr, pattern_options_, streams(), device),
                       context_of_run(options_, bound_, parts_, maybe_shared_), catalog, console_);
    return planned_ == Status::Ok ? decided : planned_;
  }

  /// Expected nanoseconds of the program, on one thread of a CPU.
  std::optional<double> expected_ns(bool on_gpu) {
    if (!of_pattern()) return on_gpu ? std::nullopt : session::expected_ns(*compilation_, bound_);
    if (planned_ == Status::Ok) planned_ = write_program(on_gpu);
    if (planned_ != Status::Ok) return std::nullopt;
    return on_gpu ? forecast_.ns : pattern_->program().cost;
  }

  /// Chooses the engine and the device.
  Status choose() {
    // What the other patterns of the command cost is known now.
    const bool is_decided = maybe_shared_ != nullptr && of_pattern() && !decides_again_;
    const Status code = is_decided ? Status::Ok : decide();
    if (code != Status::Ok) return code;
    const bool is_short = choice_.decision().program_ns && *choice_.decision().program_ns < kNsToOpenGpu;
    if (may_choose_ && is_short && !choice_.chosen().on_gpu) {
      report_.device_why = fmt::format("the CPU is expected to take {:.2g} ms, less than opening a GPU",
                                       *choice_.decision().program_ns / 1e6);
      if (!options_.json) console_.note(report_.device_why);
    }
    return take_device();
  }

  /// Goes on with the device of the chosen offer.
  Status take_device() {
    const bool on_gpu = choice_.chosen().on_gpu;
    report_.engine = choice_.chosen().engine;
    if (on_gpu == target_->on_gpu) return Status::Ok;
    target_ = &target_named(on_gpu ? "cuda" : options_.cpu_target());
    outdated_ = std::move(executable_);
    if (on_gpu) return begin();
    outdated_backend_ = std::move(backend_);
    return Status::Ok;
  }

  /// Makes what answers without a program, or writes the program of the pattern for the graph that was read.
  Status write_pattern() {
    if (!of_pattern()) return Status::Ok;
    while (choice_.chosen().make) {
      const planner::Offer& chosen = choice_.chosen();
      const Stopwatch watch;
      if (executable_ == nullptr) executable_ = chosen.make();
      const double plan_ms = chosen.engine == "search" ? 0 : watch.ms() + forecast_.plan_ms;
      if (!chosen.is_trial) return go_without_program(plan_ms);
      searched_ = try_search(*executable_, bound_.arguments, *bound_.inputs.universe, run_options());
      report_.run_ms = watch.ms();
      if (searched_) return go_without_program(plan_ms);
      executable_.reset();
      choice_.give_up();
      if (const Status code = take_device(); code != Status::Ok) return code;
    }
    if (const Status code = write_program(target_->on_gpu); code != Status::Ok) return code;
    note_pattern();
    for (std::size_t plan = pattern_options_.plan + 1; options_.tune && plan <= kTunedPlans; ++plan) {
      const std::optional<pattern::PatternProgram> other = pattern_->write_plan(plan, *sketch_);
      if (!other) break;
      other_plans_.push_back(other->text);
    }
    return take_program(pattern_->program().text, forecast_.plan_ms);
  }

  Status take_program(const std::string& text, double plan_ms = 0) {
    const Status code = compilation_->lower_text(text, plan_ms);
    if (code == Status::Ok) report_.signature = compilation_->signature();
    return code;
  }
  void note_pattern() {
    if (!options_.json) console_.note(report_.pattern);
  }

  /// Goes on without a program.
  Status go_without_program(double plan_ms) {
    note_pattern();
    report_.backend = report_.engine;
    report_.signature = pattern_->signature(streams());
    searches_ = true;
    if (plan_ms > 0) compilation_->add_plan(plan_ms);
    return Status::Ok;
  }

  Status check_pattern() {
    if (!of_pattern()) return Status::Ok;
    Status code = pattern_->check_arcs(graph().facts().directed);  // .mtg and --temporal too may keep arcs.
    if (code == Status::Ok) code = pattern_->check_set(bound_.inputs.reports.at(bound_.main_graph).graphs);
    return code == Status::Ok ? pattern_->check_labels(graph(), *bound_.inputs.dictionary) : code;
  }
  /// The program of the pattern, and what the run on a device is expected to take. Requires: the pattern is checked.
  Status write_program(bool on_gpu) {
    const Device device = on_gpu ? Device::Gpu : Device::Cpu;
    if (sketch_ && sketch_->device == device) return Status::Ok;
    // What several patterns share is ranked once, by the first one that asks.
    const PlanRequest request{options_.lists(), parts_.order(), maybe_shared_ != nullptr, device,
                              cluster_.planned_threads(report_.threads)};
    const runtime::LabelDictionary& dictionary = *bound_.inputs.dictionary;
    const Status code = plan_pattern(*pattern_, graph(), dictionary, request, sketch_.emplace(), forecast_);
    if (code != Status::Ok) sketch_.reset();
    return code;
  }

  Status bind() {
    std::optional<BindPlan> plan = plan_binding(*report_.signature, options_.bind, console_);
    if (plan) plan_ = std::move(*plan);
    for (ParamPlan& param : plan_.params) param.graph.keep_loops &= compile_.may_loop;
    const PatternSource* const maybe_pattern = pattern_ ? &*pattern_ : nullptr;
    return plan ? parts_.open(maybe_pattern, pattern_options_, session_, plan_, compile_, gpu_, bound_) : Status::Usage;
  }

  /// Rows are streamed to a file, to standard output, or kept for JSON.
  bool streams() const { return options_.lists() && !report_.only_counts && !report_.asks_exists; }

  Status open_matches() {
    if (!streams() || !cluster_.has_answer() || (options_.json && options_.matches.empty())) return Status::Ok;
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
    if (!parts_.needed())
      loaded = load_run(options_, console_, session_, *report_.signature, plan_, maybe_shared_, parts_, bound_);
    report_.load_ms = watch.ms();
    if (pattern_ && pattern_->edge_labelled()) add_hint_of_labels(loaded);
    if (!loaded) return session_.stopped() ? session_.stop_early() : console_.error(loaded.error());
    report_.bound = &bound_;
    // Before anybody asks how a pattern is best matched: labels of several types have programs alone.
    if (of_pattern()) pattern_->take_types(*bound_.inputs.dictionary);
    if (!options_.json && (maybe_shared_ == nullptr || maybe_shared_->is_new())) {
      for (const auto& [name, report] : bound_.inputs.reports) console_.note(report.render());
    }
    // Processes deal out positions of the whole graph.
    const bool whole = parts_.does_not_fit() || options_.cluster.any();
    const Status mapped = parts_.check_loaded(bound_);
    return mapped == Status::Ok && of_pattern() && !whole ? take_graph_of_label(*pattern_, console_, bound_) : mapped;
  }

  /// Compiles before the inputs are read, so that a run finds them where reading them left them, in the caches. A GPU
  /// is opened, and its code compiled, while they are read. A program that depends on them is compiled when they are
  /// there, and once more if it was compiled for shorter lists of neighbours than theirs.
  Status begin() {
    // Of several patterns each is compiled when its turn comes.
    if (options_.tune || maybe_shared_ != nullptr) return Status::Ok;
    backend_ = target_->make(settings());
    backend_->begin();
    if (of_pattern() || compilation_->reads_labels()) return Status::Ok;
    Status code = compile({});
    if (code == Status::Ok) executable_->begin();
    return code;
  }

  /// Finds the words of the graph, and ranks its vertices by degree where nobody can tell.
  Status order() {
    if (searches_) return Status::Ok;
    labels_.code = [words = bound_.inputs.dictionary](std::string_view word) { return words->code(word); };
    labels_.words = bound_.inputs.dictionary->words();
    forecast_.threads = cluster_.planned_threads(report_.threads);
    forecast_.on_gpu = target_->on_gpu;
    const Status code =
        order_vertices(parts_.order(), forecast_, *compilation_, labels_, reporter_, bound_, report_.order);
    report_.load_ms += report_.order.ms;
    return code;
  }

  /// With `--tune`: finds the schedule that an earlier run found best, or the best of a few now, and takes it.
  Status tune() {
    if (!options_.tune) return Status::Ok;
    order_switch_.emplace(bound_);
    const TunedSchedules kept = TunedSchedules(tuning_folder());
    const std::string key =
        tools::tuning_key({options_.compile, options_.bind, bound_, compilation_->text(), other_plans_, options_.order,
                           target_, options_.simd, report_.threads, options_.gpu});
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
      report_.tuning = tools::tune(tuning_task(), console_);
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
    task.target = target_;
    task.code_folder = options_.code_folder;
    task.compile = compile_;
    task.gpu = options_.gpu;
    task.text = compilation_->text();
    task.plans = other_plans_;
    const auto main_graph = bound_.inputs.graphs.find(bound_.main_graph);
    if (main_graph != bound_.inputs.graphs.end()) task.positions = main_graph->second.vertex_count();
    constexpr std::uint64_t kMostArcs = std::uint64_t{1} << 28;  // There are two graphs then.
    task.may_rank = report_.order.could && (report_.order.may_gain || !other_plans_.empty()) &&
                    main_graph != bound_.inputs.graphs.end() && main_graph->second.view().arc_count <= kMostArcs;
    task.rank = [this](bool by_degree, Compilation& compilation) {
      return order_switch_->set(by_degree, compilation, labels_);
    };
    task.run_passes = [this](Compilation& compilation) { return run_passes(compilation, labels_); };
    task.run = [this](codegen::Executable& executable, std::chrono::steady_clock::time_point deadline) {
      codegen::RunOptions run = run_options();
      run.deadline = std::min(deadline, run.deadline.value_or(deadline));
      return executable.run(bound_.arguments, *bound_.inputs.universe, run);
    };
    task.stopped = [this] { return session_.stopped(); };
    return task;
  }

  /// Goes on with what was chosen.
  Status take(const ScheduleChoice& choice) {
    gpu_ = choice.gpu;
    compile_.disabled.insert(compile_.disabled.end(), choice.disabled.begin(), choice.disabled.end());
    Status code = Status::Ok;
    if (choice.plan >= 2) {
      renew_compilation();
      code = take_program(other_plans_[choice.plan - 2]);
    }
    if (code == Status::Ok) rank(choice.by_degree);
    return code;
  }

  /// By degree only where that cannot be told, whatever was remembered.
  void rank(bool by_degree) {
    const double ms = order_switch_->set(by_degree, *compilation_, labels_);
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
    run.labels = bound_.labels;
    run.stop_request = session_.stop_request();
    run.deadline = session_.deadline();
    run.most = options_.most();
    return run;
  }

  Status back_end() {
    if (searches_) return Status::Ok;
    if (executable_ != nullptr && is_as_assumed(bound_, *compilation_)) return Status::Ok;
    outdated_ = std::move(executable_);
    if (backend_ == nullptr) backend_ = target_->make(settings());
    return compile(labels_);
  }
  TargetSettings settings() const { return {options_.code_folder, gpu_, {}}; }

  Status run_passes(Compilation& compilation, const passes::LabelWords& labels) {
    const Status bound = report_.bound == nullptr ? Status::Ok : bind_slices(compilation, reporter_, bound_);
    return bound == Status::Ok ? session::run_passes(*target_, compilation, labels, report_.bound, gpu_.query) : bound;
  }

  Status compile(const passes::LabelWords& labels) {
    compilation_->set_target(target_->info(settings()));
    Status code = run_passes(*compilation_, labels);
    if (code != Status::Ok) return code;
    report_.backend = backend_->name();
    return parts_.load(*compilation_, *backend_, executable_);
  }

  Status execute() {
    const Stopwatch watch;
    codegen::RunOptions run = run_options();
    if (options_.lists() && !streams() && !searches_) {
      matches_.emplace(nullptr, row_format_, *report_.signature->result, std::vector<std::string>(), options_.most(),
                       *bound_.inputs.universe);
      matches_->only_count();
      run.on_rows = [this](const codegen::Rows& rows) { return matches_->take(rows); };
    }
    if (streams()) {
      const std::vector<std::string> names = of_pattern() ? pattern_->vertex_names() : compilation_->row_names();
      report_.columns = column_names(*report_.signature->result, names);
      if (is_picture(options_.matches)) {
        pictures_.emplace(pattern_->set().patterns.front(), *bound_.inputs.universe, &graph());
      }
      matches_.emplace(matches_file_ && !pictures_ ? &*matches_file_ : nullptr, row_format_, *report_.signature->result,
                       names, options_.limit, *bound_.inputs.universe);
      if (of_pattern()) matches_->name_labels(*bound_.inputs.dictionary, pattern_->label_columns());
      if (!cluster_.has_answer()) matches_->only_count();
      run.on_rows = [this](const codegen::Rows& rows) {
        if (pictures_) pictures_->take(rows, options_.limit.value_or(kPicturedMatches));
        return matches_->take(rows);
      };
      report_.matches_path = options_.json || !options_.matches.empty() ? options_.matches : "-";
    }
    if (matches_) report_.matches = &*matches_;
    if (options_.cluster.any()) {
      const std::string what =
          searches_ ? search_words(*pattern_, streams()) : ir::print(compilation_->pipeline().module);
      if (const Status code = cluster_.begin(what, bound_, session_); code != Status::Ok) return code;
      run.maybe_dealer = cluster_.dealer();
    }
    std::optional<codegen::RunOutcome> outcome;
    session_.watch(Session::Stops::Late);
    {
      Progress progress(console_, "running", "");
      if (progress.enabled() && !(matches_file_ && matches_file_->is_standard_output())) {
        run.on_progress = [&progress](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
      }
      outcome = searched_ ? std::move(*searched_) : executable_->run(bound_.arguments, *bound_.inputs.universe, run);
    }
    report_.run_ms += watch.ms();
    if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&*outcome)) {
      return report_failure(*failed, options_.bind, compilation_->sources(), reporter_);
    }
    result_ = std::move(std::get<codegen::RunResult>(*outcome));
    report_.result = &result_;
    const bool by_program = !searches_ || parts_.needed();
    const bool on_gpu = by_program ? target_->on_gpu : result_.tier.starts_with("GPU ");
    if (on_gpu) report_.device = result_.tier;
    if (on_gpu && !options_.json) console_.note(fmt::format("ran on {}", result_.tier));
    for (const std::string& note : result_.notes) console_.note(note);
    return Status::Ok;
  }

  Status print(const std::string& text) {
    const runtime::Status written = write_text_file("-", text);
    return written ? Status::Ok : console_.error(written.error());
  }

  const RunVerbOptions& options_;
  const PatternOptions pattern_options_;
  const Console& console_;
  Session& session_;
  SharedInputs* const maybe_shared_;
  PatternReporter reporter_;
  CompileOptions compile_;
  GpuOptions gpu_;
  ClusterRun cluster_;
  PartsChoice parts_;
  std::optional<Compilation> compilation_;
  std::vector<std::string> other_plans_;  ///< Programs that `--tune` compares with that of the pattern.
  std::optional<PatternSource> pattern_;
  EngineChoice choice_;
  Status planned_ = Status::Ok;  ///< Of the last plan of the program.
  bool decides_again_ = false;   ///< The best engine depends on the other patterns of the command.
  std::optional<runtime::Tier> tier_;
  const Target* target_ = &target_named("llvm");
  std::optional<codegen::RunOutcome> searched_;  ///< Of a search that was tried.
  bool searches_ = false;                        ///< The pattern is matched without a program.
  bool may_choose_ = false;                      ///< The device is chosen when the graph is read.
  Forecast forecast_;
  std::optional<pattern::GraphSketch> sketch_;
  BindPlan plan_;
  BoundInputs bound_;
  passes::LabelWords labels_;
  std::optional<OrderSwitch> order_switch_;  ///< While schedules are timed.
  std::unique_ptr<codegen::Backend> backend_, outdated_backend_;
  std::unique_ptr<codegen::Executable> executable_;
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

std::unique_ptr<RunSteps> make_run(const RunVerbOptions& options, const PatternOptions& pattern, const Console& console,
                                   Session& session, SharedInputs* maybe_shared) {
  return std::make_unique<Run>(options, pattern, console, session, maybe_shared);
}

}  // namespace matcha::tools
