#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/machine.h"
#include "session/compile.h"
#include "session/graph_info.h"
#include "session/options.h"
#include "session/output_file.h"
#include "session/prepared.h"
#include "session/run/device_options.h"
#include "session/values.h"
#include "session/version.h"
#include "tools/numbers.h"
#include "tools/options.h"
#include "tools/session.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

using Json = nlohmann::ordered_json;

struct BenchOptions {
  ConsoleOptions console;
  std::vector<std::string> files;  ///< Programs, then the graph.
  std::vector<std::string> patterns;
  session::ProgramRequest request;  ///< The part that all programs share.
  GraphInput graph;                 ///< Without its path.
  std::string simd;
  std::optional<double> timeout;
  std::uint64_t runs = 10;
  std::optional<std::uint64_t> cold_runs;
  unsigned threads = 0;
  bool json = false;
};

/// Milliseconds of the steps of a run.
enum Phase : std::uint8_t { Load, Compile, Upload, Execute, kSteps };
constexpr std::array<const char*, kSteps> kStepNames = {"load", "compile", "upload", "run"};
using Times = std::array<double, kSteps>;

struct Statistics {
  Times least{}, median{}, most{};
};

double median_of(std::vector<double> sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/// Requires: there is one.
Statistics statistics(const std::vector<Times>& all) {
  Statistics found;
  for (std::size_t step = 0; step < kSteps; ++step) {
    std::vector<double> sorted;
    for (const Times& one : all) sorted.push_back(one[step]);
    std::sort(sorted.begin(), sorted.end());
    found.least[step] = sorted.front();
    found.median[step] = median_of(sorted);
    found.most[step] = sorted.back();
  }
  return found;
}

/// One program or pattern, and its times.
struct Subject {
  std::string name;
  session::ProgramRequest request;
  std::unique_ptr<session::Prepared> kept;  ///< For the runs with all kept.
  std::string answer;                       ///< JSON: the result, or the number of its rows.
  bool is_list = false;
  std::string meaning;  ///< Of a pattern.
  std::vector<Times> cold, warm;

  bool is_pattern() const { return !request.pattern.text.empty(); }
};

/// Of the first runs; the run itself from those where all is kept.
Statistics usual(const Subject& subject) {
  Statistics found = statistics(subject.cold);
  const Statistics warm = statistics(subject.warm);
  found.least[Execute] = warm.least[Execute];
  found.median[Execute] = warm.median[Execute];
  found.most[Execute] = warm.most[Execute];
  return found;
}

class Bench {
 public:
  explicit Bench(const BenchOptions& options)
      : options_(options), console_(options.console), session_(console_, options.timeout) {
    if (options.threads != 0) {
      threads_.emplace(options.threads);
    }
  }

  Status all() { return session_.leave(all_steps()); }

 private:
  Status all_steps() {
    using Work = Status (Bench::*)();
    for (Work work : {&Bench::choose_subjects, &Bench::cold_runs, &Bench::keep, &Bench::warm_runs}) {
      const Status status = (this->*work)();
      if (session_.stopped()) return session_.stop_early();
      if (status != Status::Ok) return status;
    }
    session_.watch(Session::Stops::Signals);
    const runtime::Status written = write_text_file("-", options_.json ? json() : text());
    return written ? Status::Ok : console_.error(written.error());
  }

  std::uint64_t cold_count() const {
    constexpr std::uint64_t kUsual = 3;
    return options_.cold_runs.value_or(std::min(options_.runs, kUsual));
  }

  Status choose_subjects() {
    const auto is_program = [](const std::string& path) { return path.ends_with(".mt"); };
    input_ = options_.graph;
    std::vector<std::string> programs = options_.files;
    if (input_.table.sql.empty()) {
      const bool is_last = !programs.empty() && !is_program(programs.back());
      if (!is_last && input_.inputs.empty()) {
        return console_.error(Status::Usage,
                              programs.empty()
                                  ? std::string("there is no graph")
                                  : fmt::format("`{}` is a program, and there is no graph", programs.back()),
                              "the graph comes last: matcha bench PROGRAM… GRAPH");
      }
      if (is_last) {
        input_.path = programs.back();
        programs.pop_back();
      }
    }
    if (const Status tables = input_.check(console_); tables != Status::Ok) return tables;
    if (programs.empty() && options_.patterns.empty()) {
      return console_.error(Status::Usage, "there is nothing to measure",
                            "give a program before the graph, or `--pattern`");
    }
    for (const std::string& program : programs) {
      Subject& subject = subjects_.emplace_back();
      subject.name = program;
      subject.request = options_.request;
      subject.request.compile.file = subject.name;
      const Status status = read_program(subject.name, session_.cancel(), console_, subject.request.text);
      if (status != Status::Ok) return status;
    }
    for (const std::string& pattern : options_.patterns) {
      Subject& subject = subjects_.emplace_back();
      subject.name = pattern;
      subject.request = options_.request;
      subject.request.pattern.text = pattern;
    }
    for (Subject& subject : subjects_) {
      if (const Status status = read_query(subject.request.gpu.query, console_); status != Status::Ok) return status;
    }
    rounds_ = subjects_.size() * (cold_count() + options_.runs);
    return choose_tier(options_.simd, console_, tier_);
  }

  Status load(session::ResidentGraph::Shared& graph) {
    runtime::Result<session::ResidentGraph::Shared> read = input_.read(session_.cancel());
    if (!read) return console_.error(read.error());
    graph = std::move(*read);
    return Status::Ok;
  }

  Status make(const session::ProgramRequest& request, const session::ResidentGraph::Shared& graph,
              std::unique_ptr<session::Prepared>& prepared) const {
    const std::shared_ptr<const Reporter> reporter(std::shared_ptr<void>(), &console_);
    return session::Prepared::make(request, graph, {}, reporter, prepared);
  }

  /// Runs once and adds its time to `times`.
  Status run(Subject& subject, session::Prepared& prepared, Times& times) {
    codegen::RunOptions how;
    how.threads = options_.threads;
    how.tier = tier_;
    how.stop_request = session_.stop_request();
    how.deadline = session_.deadline();
    const Stopwatch watch;
    const codegen::RunOutcome outcome = prepared.run(how);
    times[Execute] = watch.ms();
    if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&outcome)) {
      return prepared.report(*failed, console_);
    }
    const codegen::RunResult& result = std::get<codegen::RunResult>(outcome);
    if (result.ending != codegen::Ending::Complete) return session_.verdict();
    for (const auto& [part, ms] : result.times) {
      if (part != "ready" && part != "upload") continue;
      times[part == "ready" ? Compile : Upload] += ms;
      times[Execute] -= ms;
    }
    if (prepared.on_gpu()) device_ = result.tier;
    return check_answer(subject, prepared, result);
  }

  /// All runs of a program give one answer.
  Status check_answer(Subject& subject, const session::Prepared& prepared, const codegen::RunResult& result) {
    std::string answer;
    if (const codegen::ListValue* list = std::get_if<codegen::ListValue>(result.values.data())) {
      subject.is_list = true;
      answer = std::to_string(list->size);
    } else {
      answer = json_result(result.values, *prepared.signature().result, prepared.universe());
    }
    if (subject.answer.empty()) subject.answer = answer;
    if (subject.answer == answer) return Status::Ok;
    return console_.error(Status::Run,
                          fmt::format("two runs of `{}` differ: {}, then {}", subject.name, subject.answer, answer),
                          "this is a bug in matcha; please report it with the command");
  }

  /// Every step from the files on, with nothing kept from run to run.
  Status cold_runs() {
    for (std::uint64_t round = 0; round < cold_count(); ++round) {
      for (Subject& subject : subjects_) {
        Times times{};
        session::ResidentGraph::Shared graph;
        const Stopwatch loading;
        Status status = load(graph);
        times[Load] = loading.ms();
        if (status != Status::Ok) return status;
        if (done_ == 0 && !options_.json) note_reports(*graph, console_);
        std::unique_ptr<session::Prepared> prepared;
        session::ProgramRequest request = subject.request;
        request.code_folder.clear();
        const Stopwatch compiling;
        status = make(request, graph, prepared);
        if (status != Status::Ok) return status;
        times[Load] += prepared->order().ms;
        times[Compile] = compiling.ms() - prepared->order().ms;
        subject.meaning = prepared->semantics();
        status = run(subject, *prepared, times);
        if (status != Status::Ok) return status;
        subject.cold.push_back(times);
        tell_progress();
      }
    }
    return Status::Ok;
  }

  /// The graph and all programs in memory, each run once.
  Status keep() {
    Status status = load(graph_);
    for (std::size_t i = 0; i < subjects_.size() && status == Status::Ok; ++i) {
      Subject& subject = subjects_[i];
      status = make(subject.request, graph_, subject.kept);
      Times times{};
      if (status == Status::Ok) status = run(subject, *subject.kept, times);
    }
    return status;
  }

  /// The programs take turns, so that other load on the machine meets all of them.
  Status warm_runs() {
    for (std::uint64_t round = 0; round < options_.runs; ++round) {
      for (Subject& subject : subjects_) {
        Times times{};
        if (const Status status = run(subject, *subject.kept, times); status != Status::Ok) return status;
        subject.warm.push_back(times);
        tell_progress();
      }
    }
    progress_.reset();
    return Status::Ok;
  }

  void tell_progress() {
    ++done_;
    if (done_ == 1) progress_ = console_.progress("measuring", "");
    if (progress_) progress_->update(done_, rounds_);
  }

  /// The time of a program's runs as a multiple of the first program's; null: the first took no time.
  std::optional<double> ratio(const Subject& subject) const {
    const double first = statistics(subjects_.front().warm).median[Execute];
    if (first <= 0) return std::nullopt;
    return statistics(subject.warm).median[Execute] / first;
  }

  static Json json_of(const Times& times, bool only_run = false) {
    Json object = Json::object();
    for (std::size_t step = only_run ? std::size_t{Upload} : 0; step < kSteps; ++step) {
      object[kStepNames[step]] = rounded(times[step]);
    }
    return object;
  }

  static void add_statistics(Json& object, const Statistics& found, bool only_run = false) {
    object["min_ms"] = json_of(found.least, only_run);
    object["median_ms"] = json_of(found.median, only_run);
    object["max_ms"] = json_of(found.most, only_run);
  }

  std::string json() const {
    Json report;
    report["schema"] = "matcha.bench/1";
    report["version"] = matcha_version();
    report["device"] = device_;
    report["threads"] = options_.threads != 0 ? options_.threads : runtime::machine().threads;
    add_graphs(*graph_, report);
    report["runs"] = options_.runs;
    report["cold_runs"] = cold_count();
    add_statistics(report, usual(subjects_.front()));
    report["programs"] = Json::array();
    for (const Subject& subject : subjects_) {
      Json one;
      one[subject.is_pattern() ? "pattern" : "program"] = subject.name;
      if (subject.is_pattern()) one["meaning"] = subject.meaning;
      one["signature"] = to_string(subject.kept->signature());
      // As text, so that sums of more than 64 bits stay exact.
      one[subject.is_list ? "rows" : "result"] = subject.answer;
      one["order"] = subject.kept->order().by_degree ? "degree" : "id";
      add_statistics(one, usual(subject));
      const std::optional<double> times = ratio(subject);
      one["ratio"] = times ? Json(rounded(*times)) : Json();
      add_statistics(one["cold"], statistics(subject.cold));
      add_statistics(one["warm"], statistics(subject.warm), true);
      report["programs"].push_back(one);
    }
    return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  static std::string line(std::string_view name, const Statistics& found, Phase step) {
    return fmt::format("  {:<10}{:>12.3f}{:>12.3f}{:>12.3f}\n", name, found.least[step], found.median[step],
                       found.most[step]);
  }

  std::string text() const {
    std::string out;
    for (const Subject& subject : subjects_) {
      const Statistics cold = statistics(subject.cold), warm = statistics(subject.warm);
      out += fmt::format("{}: {}{}\n", subject.name, subject.answer, subject.is_list ? " rows" : "");
      out += fmt::format("  {:<10}{:>12}{:>12}{:>12}\n", "ms", "min", "median", "max");
      out += line("load", cold, Load) + line("compile", cold, Compile);
      if (!device_.starts_with("cpu")) out += line("upload", cold, Upload);
      out += line("first run", cold, Execute) + line("run", warm, Execute);
    }
    if (subjects_.size() == 1) return out;
    out += "runs, as multiples of the first:\n";
    for (const Subject& subject : subjects_) {
      const std::optional<double> times = ratio(subject);
      out += fmt::format("  {:>8}  {}\n", times ? fmt::format("{:.2f}", *times) : "-", subject.name);
    }
    return out;
  }

  const BenchOptions& options_;
  Console console_;
  Session session_;
  std::optional<runtime::ThreadLimit> threads_;
  std::optional<runtime::Tier> tier_;
  GraphInput input_;
  std::string device_ = "cpu";
  session::ResidentGraph::Shared graph_;
  std::vector<Subject> subjects_;
  std::unique_ptr<ProgressBar> progress_;
  std::uint64_t done_ = 0, rounds_ = 0;
};

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("bench", "Measure the time of programs on a graph");
  auto options = std::make_shared<BenchOptions>();
  BenchOptions& o = *options;
  verb->add_option("FILE", o.files, "Programs (.mt), then the graph; `FILE:src,dst` takes these columns")
      ->type_name("");
  OptionTargets to = targets_of(o.request);
  put_targets(to, o.graph);
  to.patterns = &o.patterns;
  to.simd_name = &o.simd;
  to.threads = &o.threads;
  to.timeout = &o.timeout;
  to.json = &o.json;
  add_options(*verb, kBench, to);
  need_pattern(*verb);
  verb->get_option("--pattern")->description("Measure a pattern too; may be repeated");
  add_number(*verb, "--runs", o.runs, "Runs of each program with graph and program kept; default: 10", 1)
      ->group("Measure");
  add_number(*verb, "--cold-runs", o.cold_runs, "Runs from the files on, with nothing kept; default: 3 at most", 1)
      ->group("Measure");
  add_console_options(*verb, o.console);
  verb->footer(R"(
Examples:
  matcha bench examples/triangle.mt graph.txt.gz
  matcha bench old.mt new.mt graph.txt.gz --runs 20
  matcha bench --pattern house --pattern gem graph.txt.gz --json
  matcha bench compare.mt --in old=march.csv:src,dst --in new=may.csv:src,dst

`load`, `compile`, `upload` and `first run` are of runs from the files on with
nothing kept; `run` is of runs with the graph and the program in memory.)");
  verb->callback([options, &action] { action = [options] { return Bench(*options).all(); }; });
}

}  // namespace matcha::tools
