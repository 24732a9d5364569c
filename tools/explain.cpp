#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "frontend/asg.h"
#include "incremental/stream_plan.h"
#include "ir/check.h"
#include "ir/verifier.h"
#include "runtime/machine.h"
#include "session/assumptions.h"
#include "session/engine_choice.h"
#include "session/forecast.h"
#include "session/gpu.h"
#include "session/graph_sketch.h"
#include "session/label_graph.h"
#include "session/loop_counts.h"
#include "session/loop_estimates.h"
#include "session/options.h"
#include "session/output_file.h"
#include "session/pattern_matcher.h"
#include "session/pattern_plan.h"
#include "session/pattern_reporter.h"
#include "session/targets.h"
#include "session/tuned_schedules.h"
#include "session/tuner.h"
#include "session/values.h"
#include "session/vertex_order.h"
#include "tools/error_pages.h"
#include "tools/explanation.h"
#include "tools/explanation_json.h"
#include "tools/explanation_page.h"
#include "tools/numbers.h"
#include "tools/options.h"
#include "tools/run_report.h"
#include "tools/session.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

struct ExplainOptions {
  ConsoleOptions console;
  CompileOptions compile;
  PatternOptions pattern;
  BindOptions bind;
  unsigned threads = 0;
  std::string code_folder = tools::code_folder();
  std::string order = "auto";
  std::string engine;
  bool json = false;
  bool no_run = false;
  std::int64_t sample = 1;
  std::optional<double> timeout;
  bool dot = false;
  std::string svg, html;  ///< Files; empty: none.
};

/// Whether two paths are one file, also if there is none yet.
bool same_file(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code failed;
  if (std::filesystem::equivalent(a, b, failed)) return true;
  return std::filesystem::weakly_canonical(a, failed) == std::filesystem::weakly_canonical(b, failed);
}

/// Finds out all about a program, step by step. Every step says how the command ends; Ok goes on to the next.
class Explain {
 public:
  explicit Explain(const ExplainOptions& options)
      : options_(options),
        console_(options.console),
        session_(console_, options.timeout),
        reporter_(console_),
        compilation_(options.compile, reporter_) {
    compilation_.set_cancel(session_.cancel());
  }

  Status all() { return session_.leave(all_steps()); }

 private:
  Status all_steps() {
    using Step = Status (Explain::*)();
    Status code = Status::Ok;
    if (options_.dot) {
      for (Step step : {&Explain::check_options, &Explain::read}) {
        if (code == Status::Ok) code = (this->*step)();
      }
      return code == Status::Ok ? write("-", frontend::asg::print_dot(compilation_.graph())) : code;
    }
    for (Step step : {&Explain::check_options, &Explain::read, &Explain::load, &Explain::decide, &Explain::order,
                      &Explain::compile, &Explain::run, &Explain::count}) {
      code = (this->*step)();
      if (code == Status::Ok && session_.stopped() && found_.stopped.empty()) code = session_.stop_early();
      if (code != Status::Ok) return code;
    }
    session_.watch(Session::Stops::None);
    return print(found_);
  }

  bool of_pattern() const { return !options_.pattern.text.empty(); }
  bool keeps_loops() const { return options_.bind.keep_loops && (!pattern_ || pattern_->reads_loops()); }
  bool has_inputs() const { return !options_.bind.graph.empty() || !options_.bind.inputs.empty(); }
  bool runs() const { return has_inputs() && !options_.no_run; }

  Status check_options() {
    if (!options_.engine.empty() && !has_inputs()) {
      return console_.error(Status::Usage, "`--engine` is about a graph, and there is none", "give a graph");
    }
    if (options_.sample > 1 && options_.no_run) {
      return console_.error(Status::Usage, "`--sample` is of a run, and `--no-run` says that there is none",
                            "leave one of them out");
    }
    if (of_pattern() && options_.compile.file != kPatternFile) {
      return console_.error(Status::Usage, "`--pattern` writes the program itself",
                            "leave the program out: matcha explain --pattern P GRAPH");
    }
    return open_files();
  }

  /// The program; that of a pattern only if it need not wait for its graph.
  Status read() {
    Status code = Status::Ok;
    if (!of_pattern()) {
      code = compilation_.read();
      if (code == Status::Ok) code = compilation_.check();
      return code == Status::Ok ? compilation_.lower() : code;
    }
    pattern_.emplace(options_.pattern, console_);
    code = pattern_->read();
    if (code != Status::Ok) return code;
    reporter_.set_pattern(pattern_->sources(), pattern_->loc());
    found_.semantics = pattern_->semantics(false);
    found_.meaning = pattern_->meaning();
    found_.induced = pattern_->induced() == pattern::Induced::Vertex;
    found_.count_names = pattern_->count_names();
    if (!has_inputs()) return write_pattern(pattern::typical_graph());
    // A .mtg says when it is read whether it has arcs.
    if (!binds_mtg(options_.bind)) code = pattern_->check_arcs(options_.bind.directed);
    return code;
  }

  Status write_pattern(const pattern::GraphSketch& sketch) {
    const Status code = pattern_->write(false, sketch);
    return code == Status::Ok ? take_pattern(sketch.of_graph) : code;
  }

  Status take_pattern(bool of_graph) {
    found_.plans = pattern_->program().plans;
    found_.choices = pattern_->program().choices;
    found_.of_graph = of_graph;
    return compilation_.lower_text(pattern_->program().text);
  }

  Status load() {
    if (!has_inputs()) return Status::Ok;
    const Signature program = pattern_ ? pattern_->signature(false) : compilation_.signature();
    BindOptions options = options_.bind;
    options.keep_loops = keeps_loops();
    const std::optional<BindPlan> plan = plan_binding(program, options, console_);
    if (!plan) return Status::Usage;
    const Stopwatch watch;
    runtime::IoOptions io;
    io.cancel = session_.cancel();
    io.notes_folder = options_.code_folder;
    const runtime::Status loaded = load_inputs(program, *plan, io, bound_);
    if (!loaded) return session_.stopped() ? session_.stop_early() : console_.error(loaded.error());
    found_.times.emplace_back("load", watch.ms());
    for (const auto& [name, report] : bound_.inputs.reports) {
      console_.note(report.render());
      found_.graphs.push_back(report.render());
    }
    if (!of_pattern()) return Status::Ok;
    const runtime::Graph& graph = bound_.inputs.graphs.at(bound_.main_graph);
    Status code = pattern_->check_arcs(graph.facts().directed);
    if (code == Status::Ok) code = pattern_->check_set(bound_.inputs.reports.at(bound_.main_graph).graphs);
    if (code == Status::Ok) code = pattern_->check_labels(graph, *bound_.inputs.dictionary);
    if (code == Status::Ok) code = take_graph_of_label(*pattern_, console_, bound_);
    if (code != Status::Ok) return code;
    return code;
  }

  /// Asks the engines, as `run` does: the one that it would run on a CPU is explained.
  Status decide() {
    if (!has_inputs()) return Status::Ok;
    Status planned = Status::Ok;
    planner::Catalog catalog;
    catalog.program_ns = [&](bool on_gpu) { return expected_ns(on_gpu, planned); };
    catalog.threads = std::max(threads(), 1U);
    catalog.may_have_gpu = may_have_gpu();
    catalog.gpu_problem = gpu_problem;
    catalog.ns_to_open = reads_small_graph(options_.bind) ? kNsToOpenGpu : 0;
    catalog.complete = true;
    planner::Question question;
    if (of_pattern()) question = question_of(*pattern_, options_.pattern, false);
    question.engine = options_.engine;
    if (options_.sample > 1) question.wants_program = "`--sample`";
    EngineContext context;
    const auto graph = bound_.inputs.graphs.find(bound_.main_graph);
    if (graph != bound_.inputs.graphs.end()) context.maybe_graph = &graph->second;
    context.maybe_labels = bound_.inputs.dictionary.get();
    context.code_folder = options_.code_folder;
    Status code = choice_.decide(std::move(question), std::move(context), catalog, console_);
    if (planned != Status::Ok) code = planned;
    // The program that is explained is that of a CPU.
    if (code == Status::Ok && of_pattern() && sketch_->device != pattern::Device::Cpu) {
      (void)expected_ns(false, code);
    }
    if (code != Status::Ok) return code;
    found_.decision = planner::to_json(choice_.decision());
    choice_.stay_on_cpu();
    if (choice_.decision().is_empty())
      return console_.error(Status::Usage, "what runs on a GPU alone is not explained");
    return take_engine();
  }

  /// Tries what gives up early, and goes on with what answers.
  Status take_engine() {
    if (choice_.chosen().is_trial && (!runs() || !gives_answer())) choice_.give_up();
    found_.engine = choice_.chosen().engine;
    if (choice_.chosen().plan && !is_program()) found_.method = choice_.chosen().plan();
    found_.plans = of_pattern() ? pattern_->program().plans : found_.plans;
    found_.choices = of_pattern() ? pattern_->program().choices : found_.choices;
    found_.of_graph = true;
    if (!of_pattern()) return Status::Ok;
    if (is_program()) return compilation_.lower_text(pattern_->program().text);
    found_.signature = to_string(pattern_->signature(false));
    found_.name = compilation_.name();
    return Status::Ok;
  }

  bool gives_answer() {
    codegen::RunOptions run;
    run.threads = options_.threads;
    run.stop_request = session_.stop_request();
    run.deadline = session_.deadline();
    const std::unique_ptr<codegen::Executable> trial = choice_.chosen().make();
    return try_search(*trial, bound_.arguments, *bound_.inputs.universe, run).has_value();
  }

  bool is_program() const { return found_.engine == "program"; }
  unsigned threads() const { return options_.threads == 0 ? runtime::machine().threads : options_.threads; }

  /// What the program is expected to take on one thread, or on a GPU.
  std::optional<double> expected_ns(bool on_gpu, Status& status) {
    using pattern::Device;
    if (!of_pattern()) return on_gpu ? std::nullopt : session::expected_ns(compilation_, bound_);
    const Device device = on_gpu ? Device::Gpu : Device::Cpu;
    if (status == Status::Ok && (!sketch_ || sketch_->device != device)) {
      PlanRequest request;
      request.order = options_.order;
      request.device = device;
      request.threads = runtime::machine().threads;
      const runtime::Graph& graph = bound_.inputs.graphs.at(bound_.main_graph);
      status = plan_pattern(*pattern_, graph, *bound_.inputs.dictionary, request, sketch_.emplace(), forecast_);
      if (status != Status::Ok) sketch_.reset();
    }
    if (status != Status::Ok) return std::nullopt;
    return on_gpu ? forecast_.ns : pattern_->program().cost;
  }

  /// Finds the words of the graph, and ranks its vertices as a run does.
  Status order() {
    if (!has_inputs() || !is_program()) return Status::Ok;
    const std::shared_ptr<const runtime::LabelDictionary> dictionary = bound_.inputs.dictionary;
    labels_.code = [dictionary](std::string_view word) { return dictionary->code(word); };
    labels_.words = dictionary->words();
    forecast_.threads = runtime::machine().threads;
    OrderReport report;
    const Status code = order_vertices(options_.order, forecast_, compilation_, labels_, reporter_, bound_, report);
    if (code != Status::Ok) return code;
    found_.order = report.text();
    if (report.by_degree) found_.times.emplace_back("order", report.ms);
    find_schedule();
    return code;
  }

  /// Finds the schedule that `run --tune` takes, if one is remembered for the device that it chooses.
  void find_schedule() {
    const TunedSchedules schedules = TunedSchedules(tuning_folder());
    if (schedules.empty()) return;
    const Target& target = target_named(gpu_problem().empty() ? "cuda" : "llvm");
    std::string text(compilation_.text());
    std::vector<std::string> plans;
    if (of_pattern()) {
      if (options_.pattern.plan != 1) return;
      using pattern::Device;
      const pattern::GraphSketch sketch = sketch_of(
          bound_.inputs.graphs.at(bound_.main_graph), *bound_.inputs.dictionary,
          {target.on_gpu ? Device::Gpu : Device::Cpu, forecast_.gains_by_degree(), pattern_->vertex_labelled()});
      for (std::size_t plan = 1; plan <= kTunedPlans; ++plan) {
        const std::optional<pattern::PatternProgram> program = pattern_->write_plan(plan, sketch);
        if (!program) break;
        if (plan == 1) text = program->text;
        if (plan > 1) plans.push_back(program->text);
      }
    }
    TuningSubject subject{options_.compile, options_.bind, bound_, text, plans};
    subject.order = options_.order;
    subject.target = &target;
    subject.threads = options_.threads;
    const std::optional<Tuning> kept = schedules.load(tuning_key(subject));
    if (kept) found_.schedule = schedule_text(kept->chosen);
  }

  Status compile() {
    if (!is_program()) return Status::Ok;
    const passes::LabelWords& labels = labels_;
    found_.name = compilation_.name();
    found_.signature = to_string(compilation_.signature());
    found_.text = compilation_.text();
    found_.written = steps_of(compilation_.loop(), {});
    const Target& target = target_named("llvm");
    const Status code = has_inputs() ? run_passes(target, compilation_, labels, &bound_)
                                     : compilation_.run_passes(target.pipeline, labels, {});
    if (code != Status::Ok) return code;
    const ir::Module& module = compilation_.pipeline().module;
    found_.passes = compilation_.pipeline().runs;
    lists_ = compilation_.module_of_lists(labels);
    found_.nest = steps_of(*lists_, label_names(compilation_.loop(), labels.code));
    add_estimates(found_.plans, found_.nest);
    std::map<std::string, const runtime::Graph*> graphs;
    for (const auto& [name, graph] : bound_.inputs.graphs) graphs.emplace(name, &graph);
    found_.memory = memory_plan(module, graphs);
    find_stream();
    return Status::Ok;
  }

  /// How a stream answers it, if that takes such a program.
  void find_stream() {
    const auto& params = compilation_.loop().params;
    const bool takes_list = std::ranges::any_of(params, [](const ir::Var* param) { return param->type->is_list(); });
    const auto graphs = std::ranges::count_if(params, [](const ir::Var* param) { return param->type->is_graph(); });
    if (!of_pattern() && (takes_list || graphs != 1)) return;
    const std::optional<ir::Module> nests = compilation_.nests(labels_);
    if (!nests) return;
    ProgramRequest request;
    request.compile = options_.compile;
    request.pattern = options_.pattern;
    request.params = options_.bind.params;
    if (!of_pattern()) request.text = std::string(compilation_.text());
    const auto graph = bound_.inputs.graphs.find(bound_.main_graph);
    const bool is_known = graph != bound_.inputs.graphs.end();
    const bool directed =
        is_known ? graph->second.facts().directed : options_.bind.directed || (pattern_ && pattern_->directed());
    const runtime::LabelDictionary* const maybe_labels = is_known ? &graph->second.dictionary() : nullptr;
    found_.stream = stream_text(stream::stream_plan(request, *nests, directed, maybe_labels));
  }

  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  /// Runs on the bound inputs until the deadline; the rows of a list are only counted.
  Status execute(codegen::Executable& executable, Deadline deadline, double& ms, codegen::RunResult& result) {
    codegen::RunOptions run;
    run.threads = options_.threads;
    run.labels = bound_.labels;
    run.stop_request = session_.stop_request();
    run.deadline = deadline;
    run.on_rows = [](const codegen::Rows&) { return true; };
    const Stopwatch watch;
    session_.watch(Session::Stops::Late);
    codegen::RunOutcome outcome = executable.run(bound_.arguments, *bound_.inputs.universe, run);
    session_.watch(session_.stopped() ? Session::Stops::None : Session::Stops::All);
    ms = watch.ms();
    if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&outcome)) {
      return reporter_.error_at(status_of(failed->error.kind), compilation_.sources(), failed->loc,
                                failed->error.message, failed->error.hint);
    }
    result = std::move(std::get<codegen::RunResult>(outcome));
    if (result.ending == codegen::Ending::Deadline) {
      if (!found_.stopped.empty()) found_.stopped += ", and ";
      found_.stopped += fmt::format("{} --timeout after {}", found_.stopped.empty() ? "stopped by" : "its counting by",
                                    iterations_text(result));
    } else if (result.ending != codegen::Ending::Complete) {
      return session_.stop_early();
    }
    found_.simd = result.tier;
    return Status::Ok;
  }

  /// Half of the time that is left is for the run, the rest for counting.
  Deadline half_time() const {
    if (!session_.deadline()) return std::nullopt;
    const auto now = std::chrono::steady_clock::now();
    return now + (*session_.deadline() - now) / 2;
  }

  Status run() {
    if (!runs()) return Status::Ok;
    backend_ = target_named("llvm").make({options_.code_folder, {}, {}});
    if (options_.sample > 1) return Status::Ok;
    std::unique_ptr<codegen::Executable> executable;
    if (!is_program()) executable = choice_.chosen().make();
    Status code = is_program() ? compilation_.load(*backend_, executable) : Status::Ok;
    if (code != Status::Ok) return code;
    const auto& steps = compilation_.times();
    found_.times.insert(found_.times.end(), steps.begin(), steps.end());
    codegen::RunResult result;
    double ms = 0;
    code = execute(*executable, half_time(), ms, result);
    if (code != Status::Ok) return code;
    found_.times.emplace_back("run", ms);
    found_.run_ms = ms;
    found_.threads = threads();
    found_.ran = true;
    found_.positions = result.positions;
    found_.deferred = result.deferred;
    found_.candidates = result.candidates;
    found_.images_tried = result.images_tried;
    const Signature signature = is_program() ? compilation_.signature() : pattern_->signature(false);
    if (signature.result->is_list() && found_.count_names.empty()) {
      found_.answer = fmt::format("{} items", result.rows);
    } else if (!found_.count_names.empty()) {
      found_.counts = value_texts(result.values, *signature.result, *bound_.inputs.universe);
      if (found_.counts.size() != found_.count_names.size()) found_.counts.clear();
      for (std::string& count : found_.counts) count = grouped(std::move(count));
    } else {
      RunReport report;
      report.compilation = &compilation_;
      report.signature = signature;
      report.bound = &bound_;
      report.result = &result;
      for (const codegen::ResultValue& value : result.values) {
        const __int128* whole = std::get_if<__int128>(&value);
        if (whole != nullptr) found_.counts.push_back(grouped(*whole));
      }
      found_.answer = report_text(report);
      found_.answer.pop_back();
    }
    return Status::Ok;
  }

  /// Runs once more, counting, or for the first time if a sample is enough.
  Status count() {
    if (!runs() || !is_program()) return Status::Ok;
    const LoopCounts counts(*lists_, compilation_.context(), options_.sample);
    if (!counts.any()) {
      console_.note("sizes: too many loops to count how often each runs");
      return Status::Ok;
    }
    SourceManager sources;
    Diagnostics diagnostics(sources);
    MATCHA_CHECK(ir::verify(counts.module(), diagnostics), "the counting module breaks a rule of the verifier");
    // What the run gave is not lost while this compiles.
    if (found_.ran) {
      session_.set_report([this, found = found_](Status verdict) mutable {
        if (found.stopped.empty()) found.stopped = fmt::format("{} before sizes were counted", stopped_by(verdict));
        print(found);
      });
    }
    std::unique_ptr<codegen::Executable> executable;
    Status code = compilation_.load_variant(counts.module(), "llvm, counting", *backend_, executable);
    if (code != Status::Ok) return code;
    found_.times.push_back(compilation_.times().back());
    codegen::RunResult result;
    double ms = 0;
    code = execute(*executable, session_.deadline(), ms, result);
    if (code != Status::Ok) return code;
    found_.times.emplace_back("run, counting", ms);
    found_.sample = static_cast<std::uint64_t>(options_.sample);
    if (options_.sample > 1) {
      found_.ran = true;
      found_.positions = result.positions;
      found_.deferred = result.deferred;
    }
    counts.fill(result, found_.nest);
    return Status::Ok;
  }

  Status write(const std::string& path, const std::string& text) const {
    const runtime::Status written = write_text_file(path, text);
    return written ? Status::Ok : console_.error(written.error());
  }

  /// The files that were asked for, or the text; and whether it is all.
  Status print(const Explanation& found) {
    if (files_.empty()) {
      const Status code = write("-", options_.json ? explanation_json(found) : explanation_text(found));
      if (code != Status::Ok) return code;
    }
    for (auto& [file, text_of] : files_) file.write(text_of(found));
    for (auto& [file, text_of] : files_) {
      const runtime::Status written = file.commit();
      if (!written) return console_.error(written.error());
    }
    if (found.stopped.empty()) return Status::Ok;
    if (!console_.json()) console_.write(fmt::format("partial result: {}\n", found.stopped));
    return Status::Timeout;
  }

  /// Opens the files, so that one that cannot be written is found before the run.
  Status open_files() {
    if (options_.dot && !(options_.svg.empty() && options_.html.empty())) {
      return console_.error(Status::Usage, "`--dot` prints the ASG alone", "leave out --svg and --html");
    }
    if (options_.json && (options_.dot || !options_.svg.empty() || !options_.html.empty())) {
      return console_.error(Status::Usage, "`--json` prints the plan as JSON alone",
                            "leave out --dot, --svg and --html");
    }
    if (!options_.svg.empty() && same_file(options_.svg, options_.html)) {
      return console_.error(Status::Usage, "`--svg` and `--html` are the same file", "give each a file of its own");
    }
    using TextOf = std::string (*)(const Explanation&);
    for (const auto& [path, text_of] : {std::pair<std::string, TextOf>{options_.svg, &explanation_svg},
                                        std::pair<std::string, TextOf>{options_.html, &explanation_html}}) {
      if (path.empty()) continue;
      runtime::Result<OutputFile> file = OutputFile::open(path);
      if (!file) return console_.error(file.error());
      files_.emplace_back(std::move(*file), text_of);
    }
    return Status::Ok;
  }

 public:
  /// Name of the program that `--pattern` writes.
  static constexpr const char* kPatternFile = "<pattern>";

 private:
  const ExplainOptions& options_;
  Console console_;
  Session session_;
  PatternReporter reporter_;
  Compilation compilation_;
  std::optional<PatternSource> pattern_;
  BoundInputs bound_;
  Forecast forecast_;
  std::optional<pattern::GraphSketch> sketch_;
  EngineChoice choice_;
  passes::LabelWords labels_;
  std::unique_ptr<codegen::Backend> backend_;
  std::vector<std::pair<OutputFile, std::string (*)(const Explanation&)>> files_;
  std::optional<ir::Module> lists_;  ///< What is shown and counted: every set is a list.
  Explanation found_;
};

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "explain", "Show the plan of a program, with a graph also what its run takes; or what an error means");
  auto options = std::make_shared<ExplainOptions>();
  ExplainOptions& o = *options;
  add_program_file(*verb, o.compile);
  verb->get_option("FILE")->required(false);
  add_graph_file(*verb, o.bind);
  OptionTargets to;
  put_targets(to, o.bind);
  to.compile = &o.compile;
  to.entry = &o.compile.entry;
  to.pattern = &o.pattern;
  to.threads = &o.threads;
  to.order = &o.order;
  to.engine = &o.engine;
  to.code_folder = &o.code_folder;
  to.timeout = &o.timeout;
  add_options(*verb, kExplain, to);
  need_pattern(*verb);
  verb->add_flag("--no-run", o.no_run, "Only look at the graph: estimates and memory, no run");
  add_number(*verb, "--sample", o.sample, "Walk one in N outermost positions only; sizes are N times theirs", 1,
             std::uint64_t{1} << 40);
  verb->add_option("--svg", o.svg, "Draw the pattern and the loops into this file instead (`-`: stdout)")
      ->type_name("FILE");
  verb->add_option("--html", o.html, "Write a page with pictures and tables instead (`-`: stdout)")->type_name("FILE");
  verb->add_flag("--json", o.json, "Print the plan as a JSON object, `matcha.plan/1`, instead");
  verb->add_flag("--dot", o.dot, "Print the graph of the program (ASG) for Graphviz instead");
  add_console_options(*verb, o.console);
  verb->footer(R"(
Examples:
  matcha explain query.mt
  matcha explain query.mt graph.txt.gz
  matcha explain --pattern house graph.txt.gz --no-run
  matcha explain --pattern house graph.txt.gz --sample 100 --timeout 60
  matcha explain --pattern house graph.txt.gz --html house.html
  matcha explain query.mt --dot | dot -Tsvg -o query.svg
  matcha explain arg-type

The last one is the page of an error, by the id that its message ends in.)");
  verb->callback([options, &action] {
    options->compile.may_loop = options->compile.plain_may_loop = options->bind.keep_loops;
    ExplainOptions& given = *options;
    if (given.pattern.text.empty() && given.bind.graph.empty() && names_error(given.compile.file)) {
      action = [options] { return print_error_page(options->compile.file, options->console); };
      return;
    }
    if (given.pattern.text.empty() && given.compile.file.empty()) throw CLI::RequiredError("FILE");
    if (!given.pattern.text.empty() && given.bind.graph.empty()) {
      // The pattern stands for the program, so the first file is the graph.
      given.bind.graph = std::exchange(given.compile.file, Explain::kPatternFile);
    }
    action = [options] { return Explain(*options).all(); };
  });
}

}  // namespace matcha::tools
