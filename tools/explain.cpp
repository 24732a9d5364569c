#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "frontend/asg.h"
#include "incremental/methods.h"
#include "session/explanation.h"
#include "session/gpu.h"
#include "session/graph_sketch.h"
#include "session/options.h"
#include "session/output_file.h"
#include "session/run/explanation_page.h"
#include "session/run/explanation_text.h"
#include "session/run/report.h"
#include "session/run/steps.h"
#include "session/tuned_schedules.h"
#include "session/tuner.h"
#include "tools/beside.h"
#include "tools/error_pages.h"
#include "tools/numbers.h"
#include "tools/options.h"
#include "tools/ranks.h"
#include "tools/run_options.h"
#include "tools/session.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

struct ExplainOptions {
  RunVerbOptions run;  ///< Of the run that is explained.
  bool json = false;
  bool no_run = false;
  std::int64_t sample = 1;
  bool dot = false;
  std::string svg, html;  ///< Files; empty: none.
  std::string beside;     ///< Options of a second plan; empty: there is none.
};

/// Whether two paths are one file, also if there is none yet.
bool same_file(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code failed;
  if (std::filesystem::equivalent(a, b, failed)) return true;
  return std::filesystem::weakly_canonical(a, failed) == std::filesystem::weakly_canonical(b, failed);
}

/// Collects the facts about a run, step by step, without it or with it on a CPU. Every step gives the status of the
/// command; Ok continues with the next.
class Explain {
 public:
  /// `maybe_text` gets the text that is printed otherwise.
  explicit Explain(const ExplainOptions& options, std::string* maybe_text = nullptr)
      : all_(options),
        maybe_text_(maybe_text),
        options_(options.run),
        console_(options_.console),
        session_(console_, options_.timeout),
        steps_(make_run(options_, options_.pattern, console_, session_, nullptr)),
        run_(steps_->computed().run) {}

  Status all() { return session_.leave(all_steps()); }

 private:
  Status all_steps() {
    using Step = Status (Explain::*)();
    for (Step step : {&Explain::check_options, &Explain::read, &Explain::decide, &Explain::explain}) {
      Status code = (this->*step)();
      if (code == Status::Ok && session_.stopped() && found_.stopped.empty()) code = session_.stop_early();
      if (code != Status::Ok) return code;
      if (all_.dot && step == &Explain::read) {
        return write("-", frontend::asg::print_dot(run_.compilation->graph()));
      }
    }
    session_.watch(Session::Stops::None);
    return print(found_);
  }

  bool of_pattern() const { return !options_.pattern.text.empty(); }
  bool has_inputs() const { return !options_.bind.graph.empty() || !options_.bind.inputs.empty(); }

  /// Only the decision and the plan are shown of runs on a GPU, of a part of a run, and with a limit of memory.
  bool runs() const {
    return !all_.no_run && options_.device != "cuda" && !options_.cluster.any() && options_.memory == 0 &&
           options_.gpu_memory == 0;
  }

  Status check_options() {
    const std::pair<const char*, bool> about_graphs[] = {{"--engine", !options_.engine.empty()},
                                                         {"--per", !options_.pattern.per.empty()},
                                                         {"--shard", !options_.cluster.shard.empty()},
                                                         {"--memory", options_.memory != 0},
                                                         {"--gpu-memory", options_.gpu_memory != 0}};
    for (const auto& [option, is_given] : about_graphs) {
      if (!is_given || has_inputs()) continue;
      return console_.error(Status::Usage, fmt::format("`{}` is about a graph, and there is none", option),
                            "give a graph");
    }
    if (options_.pattern.per == "graph") {
      return console_.error(Status::Usage, "`--per graph` is one run for all graphs, and is not explained",
                            "leave it out to explain the count of the pattern");
    }
    if (all_.sample > 1 && !runs()) {
      return console_.error(Status::Usage,
                            all_.no_run ? "`--sample` is of a run, and `--no-run` says that there is none"
                                        : "`--sample` is of a run, and this one is not made to be explained",
                            all_.no_run ? "leave one of them out" : "leave it out");
    }
    if (of_pattern() && options_.compile.file != kPatternFile) {
      return console_.error(Status::Usage, "`--pattern` writes the program itself",
                            "leave the program out: matcha explain --pattern P GRAPH");
    }
    return open_files();
  }

  /// The program; that of a pattern only if it need not wait for its graph.
  Status read() {
    Status code = steps_->check();
    if (code == Status::Ok) code = steps_->read();
    if (code != Status::Ok || (has_inputs() && !all_.dot)) return code;
    // Without a graph the target is a CPU, unless a GPU is requested.
    if (options_.device != "cuda") run_.target = &target_named("llvm");
    if (!of_pattern()) return code;
    code = run_.pattern->write(false, pattern::typical_graph());
    return code == Status::Ok ? run_.compilation->lower_text(run_.pattern->program().text) : code;
  }

  /// Asks the engines, as the run does.
  Status decide() {
    if (!has_inputs()) return Status::Ok;
    const Status code = steps_->prepare();
    found_.times.emplace_back("load", steps_->computed().report->load_ms);
    if (all_.sample > 1) run_.request.wants_program = "`--sample`";
    return code == Status::Ok ? steps_->decide() : code;
  }

  Status explain() {
    ExplainRun how;
    how.runs = runs();
    how.sample = all_.sample;
    how.threads = options_.threads;
    how.maybe_stop = session_.stop_request();
    how.deadline = session_.deadline();
    how.on_run = [this](bool begins) {
      session_.watch(begins ? Session::Stops::Late : session_.stopped() ? Session::Stops::None : Session::Stops::All);
    };
    if (has_inputs()) how.on_plan = [this](Explanation& found) { found.schedule = find_schedule(); };
    // The answer of the run is reported even if a stop comes while the counting program compiles.
    how.on_answer = [this](const Explanation& so_far) {
      session_.set_report([this, found = so_far](Status verdict) mutable {
        if (found.stopped.empty()) found.stopped = fmt::format("{} before sizes were counted", stopped_by(verdict));
        print(found);
      });
    };
    how.on_end = [this](const codegen::RunResult& result, Explanation& found) {
      if (result.ending != codegen::Ending::Deadline) return session_.stop_early();
      if (!found.stopped.empty()) found.stopped += ", and ";
      found.stopped += fmt::format("{} --timeout after {}", found.stopped.empty() ? "stopped by" : "its counting by",
                                   iterations_text(result));
      return Status::Ok;
    };
    find_stream();
    return session::explain(run_, how, found_);
  }

  /// The schedule that `run --tune` takes, if one is remembered for the device that it chooses; empty: none is.
  std::string find_schedule() {
    const TunedSchedules schedules = TunedSchedules(options_.tuning_folder);
    if (schedules.empty()) return {};
    const Target& target = target_named(gpu_problem().empty() ? "cuda" : "llvm");
    std::string text(run_.compilation->text());
    std::vector<std::string> plans;
    if (of_pattern()) {
      if (options_.pattern.plan != 1 || run_.maybe_graph() == nullptr) return {};
      using pattern::Device;
      const pattern::GraphSketch sketch = sketch_of(*run_.maybe_graph(), *run_.bound.inputs.dictionary,
                                                    {target.on_gpu ? Device::Gpu : Device::Cpu,
                                                     run_.forecast.gains_by_degree(), run_.pattern->vertex_labelled()});
      for (std::size_t plan = 1; plan <= kTunedPlans; ++plan) {
        const std::optional<pattern::PatternProgram> program = run_.pattern->write_plan(plan, sketch);
        if (!program) break;
        if (plan == 1) text = program->text;
        if (plan > 1) plans.push_back(program->text);
      }
    }
    TuningSubject subject{options_.compile, options_.bind, run_.bound, text, plans};
    subject.order = options_.order;
    subject.target = &target;
    subject.threads = options_.threads;
    const std::optional<Tuning> kept = schedules.load(tuning_key(subject));
    return kept ? schedule_text(kept->chosen) : std::string();
  }

  /// How a stream answers it, unless it takes no such program.
  void find_stream() {
    const auto& params = run_.signature.params;
    const auto count = [&](bool (frontend::Type::*is)() const) {
      return std::ranges::count_if(params, [&](const Signature::Param& param) { return (param.type->*is)(); });
    };
    if (of_pattern() ? !options_.pattern.per.empty()
                     : count(&frontend::Type::is_list) != 0 || count(&frontend::Type::is_graph) != 1) {
      return;
    }
    ProgramRequest request;
    request.compile = options_.compile;
    request.pattern = options_.pattern;
    request.pattern.may_ask_columns = true;
    request.params = options_.bind.params;
    if (!of_pattern()) request.text = std::string(run_.compilation->text());
    const runtime::Graph* const graph = run_.maybe_graph();
    using Kind = stream::DeltaDevice::Kind;
    stream::MethodQuestion question{request, {}};
    question.options.explains = true;
    question.directed = graph != nullptr ? graph->facts().directed
                                         : options_.bind.directed || (of_pattern() && run_.pattern->directed());
    question.device = options_.device == "cuda" ? Kind::Gpu : options_.device == "cpu" ? Kind::Cpu : Kind::Auto;
    if (graph != nullptr) {
      question.maybe_labels = &graph->dictionary();
      question.graph = stream::figures_of(*graph);
    }
    const stream::MethodChoice choice(question);
    found_.stream = choice.lines();
    found_.stream_decision = planner::to_json(choice.decision());
  }

  static std::string json_text(const Explanation& found) {
    return plan_json(found).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }

  Status write(const std::string& path, const std::string& text) const {
    const runtime::Status written = write_text_file(path, text);
    return written ? Status::Ok : console_.error(written.error());
  }

  /// Writes the requested files, or the text. Timeout if it is not all.
  Status print(const Explanation& found) {
    if (files_.empty()) {
      const std::string text = all_.json ? json_text(found) : explanation_text(found);
      if (maybe_text_ != nullptr) *maybe_text_ = text;
      if (const Status code = maybe_text_ != nullptr ? Status::Ok : write("-", text); code != Status::Ok) return code;
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
    if (all_.dot && !(all_.svg.empty() && all_.html.empty())) {
      return console_.error(Status::Usage, "`--dot` prints the ASG alone", "leave out --svg and --html");
    }
    if (all_.json && (all_.dot || !all_.svg.empty() || !all_.html.empty())) {
      return console_.error(Status::Usage, "`--json` prints the plan as JSON alone",
                            "leave out --dot, --svg and --html");
    }
    if (!all_.svg.empty() && same_file(all_.svg, all_.html)) {
      return console_.error(Status::Usage, "`--svg` and `--html` are the same file", "give each a file of its own");
    }
    using TextOf = std::string (*)(const Explanation&);
    for (const auto& [path, text_of] : {std::pair<std::string, TextOf>{all_.svg, &explanation_svg},
                                        std::pair<std::string, TextOf>{all_.html, &explanation_html}}) {
      if (path.empty()) continue;
      runtime::Result<OutputFile> file = OutputFile::open(path);
      if (!file) return console_.error(file.error());
      files_.emplace_back(std::move(*file), text_of);
    }
    return Status::Ok;
  }

  const ExplainOptions& all_;
  std::string* const maybe_text_;
  const RunVerbOptions& options_;
  Console console_;
  Session session_;
  std::unique_ptr<RunSteps> steps_;
  QuestionRun& run_;
  std::vector<std::pair<OutputFile, std::string (*)(const Explanation&)>> files_;
  Explanation found_;
};

/// Adds the options of the run that is explained, which a second plan may have otherwise.
void add_run_options(CLI::App& verb, ExplainOptions& o) {
  add_options(verb, kExplain, targets_of(o.run));
  verb.add_flag("--no-run", o.no_run, "Only look at the graph: estimates and memory, no run");
  add_number(verb, "--sample", o.sample, "Walk one in N outermost positions only; sizes are N times theirs", 1,
             std::uint64_t{1} << 40);
}

/// The settings of a run that follow from others.
void settle(RunVerbOptions& given) {
  given.compile.may_loop = given.compile.plain_may_loop = given.bind.keep_loops;
  given.gpu.code_folder = given.code_folder;
  read_environment(given.cluster);
}

/// Two explanations of one question in two columns: with the options, and with those of `--beside` too.
Status explain_both(const ExplainOptions& first) {
  constexpr std::size_t kWidth = 96;
  const Console console(first.run.console);
  if (first.json || first.dot || !first.svg.empty() || !first.html.empty()) {
    return console.error(Status::Usage, "`--beside` prints two columns of text",
                         "leave out --json, --dot, --svg and --html; or explain each plan alone");
  }
  ExplainOptions second = first;
  second.run.console.quiet = true;  // The load report is of both.
  CLI::App app;
  add_run_options(app, second);
  try {
    app.parse(first.beside);
  } catch (const CLI::ParseError& error) {
    return console.error(Status::Usage, fmt::format("--beside: {}", error.what()),
                         "it takes options of explain in quotes, as in --beside '--algorithm decompose'");
  }
  settle(second.run);
  const auto goes_on = [](Status status) { return status == Status::Ok || status == Status::Timeout; };
  std::string left, right;
  const Status status = Explain(first, &left).all();
  const Status other = goes_on(status) ? Explain(second, &right).all() : status;
  const runtime::Status written = write_text_file("-", goes_on(other) ? beside(left, right, kWidth) : left);
  if (!written) return console.error(written.error());
  return status != Status::Ok ? status : other;
}

}  // namespace

void add_explain(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand(
      "explain", "Show the plan of a program, with a graph also what its run takes; or what an error means");
  auto options = std::make_shared<ExplainOptions>();
  ExplainOptions& o = *options;
  o.run.explains = true;
  add_program_file(*verb, o.run.compile);
  verb->get_option("FILE")->required(false);
  add_graph_file(*verb, o.run.bind);
  add_run_options(*verb, o);
  need_pattern(*verb);
  verb->add_option("--beside", o.beside, "Explain the same with these options too, and print both in two columns")
      ->type_name("OPTIONS");
  verb->add_option("--svg", o.svg, "Draw the pattern and the loops into this file instead (`-`: stdout)")
      ->type_name("FILE");
  verb->add_option("--html", o.html, "Write a page with pictures and tables instead (`-`: stdout)")->type_name("FILE");
  verb->add_flag("--json", o.json, "Print the plan as a JSON object, `matcha.plan/1`, instead");
  verb->add_flag("--dot", o.dot, "Print the graph of the program (ASG) for Graphviz instead");
  add_console_options(*verb, o.run.console);
  verb->footer(R"(
Examples:
  matcha explain query.mt
  matcha explain query.mt graph.txt.gz
  matcha explain --pattern house graph.txt.gz --no-run
  matcha explain --pattern house graph.txt.gz --sample 100 --timeout 60
  matcha explain --pattern house graph.txt.gz --html house.html
  matcha explain --pattern house graph.txt.gz --beside '--engine program'
  matcha explain query.mt --dot | dot -Tsvg -o query.svg
  matcha explain arg-type

The last one is the page of an error, by the id that its message ends in.)");
  verb->callback([options, &action] {
    RunVerbOptions& given = options->run;
    settle(given);
    if (given.pattern.text.empty() && given.bind.graph.empty() && names_error(given.compile.file)) {
      action = [options] { return print_error_page(options->run.compile.file, options->run.console); };
      return;
    }
    if (given.pattern.text.empty() && given.compile.file.empty()) throw CLI::RequiredError("FILE");
    if (!given.pattern.text.empty() && given.bind.graph.empty()) {
      // The pattern replaces the program, so the first file is the graph.
      given.bind.graph = std::exchange(given.compile.file, kPatternFile);
    }
    action = [options] { return options->beside.empty() ? Explain(*options).all() : explain_both(*options); };
  });
}

}  // namespace matcha::tools
