#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "codegen/backend.h"
#include "runtime/machine.h"
#include "session/pattern_list.h"
#include "session/pictures/match_pictures.h"
#include "session/run/graph_set.h"
#include "session/run/shared_inputs.h"
#include "session/run/steps.h"
#include "session/run/verify.h"
#include "tools/exit_codes.h"
#include "tools/ranks.h"
#include "tools/run_options.h"
#include "tools/session.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

bool is_stop(Status status) {
  return status == Status::Timeout || status == Status::Interrupted || status == Status::Terminated;
}

ConsoleOptions without_notes(ConsoleOptions options) {
  options.quiet = options.no_progress = true;
  return options;
}

/// The program, the pattern or the patterns of one command line.
class RunVerb {
 public:
  explicit RunVerb(const RunVerbOptions& options)
      : options_(options),
        console_(options.console),
        quiet_console_(without_notes(options.console)),
        session_(console_, options.timeout) {
    if (options.threads != 0) threads_.emplace(options.threads);
  }

  Status all() {
    Status status = options_.of_one() ? run_one() : run_several();
    if (options_.cluster.team != nullptr) {
      const bool has_result = is_computed_ && (status == Status::Ok || is_stop(status));
      status = leave_team(options_.cluster, console_, status, has_result);
    }
    session_.leave(status);
    const auto is_busy = [](const std::unique_ptr<RunSteps>& run) { return run != nullptr && run->is_busy(); };
    if (std::ranges::any_of(runs_, is_busy) || codegen::compiles_in_background()) end_process(status);
    return status;
  }

 private:
  Status run_one() {
    PatternOptions pattern = options_.pattern;
    if (!options_.patterns.empty()) pattern.text = options_.patterns.front();
    if (pattern.per == "graph") return run_per_graph(options_, pattern, console_, session_);
    // Where a GPU has only a part of the graph, how many neighbours a vertex has is far away.
    if (options_.gpu_memory != 0) pattern.by_degree = false;
    // Lives until exit: background compilation is abandoned there.
    const bool shares = options_.verify && !pattern.text.empty();
    runs_.push_back(make_run(options_, pattern, console_, session_, shares ? &inputs_ : nullptr));
    RunSteps* const run = runs_.back().get();
    Status code = run->check();
    if (code == Status::Ok) code = run->read();
    if (code == Status::Ok) code = run->prepare();
    return code == Status::Ok ? answer(*run) : code;
  }

  Status answer(RunSteps& run) {
    Status code = run.compute();
    is_computed_ = code == Status::Ok;
    if (code == Status::Ok && options_.verify) code = verify_run(run);
    return code == Status::Ok ? run.finish() : code;
  }

  Status verify_run(RunSteps& run) {
    return verify(run, options_, console_, session_, [this](const RunRequest& other, const PatternOptions& pattern) {
      SharedInputs* const maybe_shared = pattern.text.empty() ? nullptr : &inputs_;
      return make_run(other, pattern, quiet_console_, session_, maybe_shared);
    });
  }

  Status run_several() {
    Status code = check_options();
    std::vector<PatternOptions> patterns;
    if (code == Status::Ok) code = find_patterns(patterns);
    if (code != Status::Ok) return code;
    for (const PatternOptions& pattern : patterns) {
      runs_.push_back(make_run(options_, pattern, console_, session_, &inputs_));
      code = runs_.back()->check();
      if (code != Status::Ok) return code;
    }
    code = for_all(false, [](RunSteps& run) { return run.read(); });
    if (code == Status::Ok) code = for_all(true, [](RunSteps& run) { return run.prepare(); });
    return code == Status::Ok ? answer_all() : code;
  }

  Status check_options() const {
    if (options_.lists() && !options_.exists) {
      const char* const option = !options_.matches.empty() ? "--matches" : options_.limit ? "--limit" : "--per";
      return console_.error(Status::Usage, fmt::format("`{}` is for one pattern", option),
                            "of several patterns the matches are counted");
    }
    if (options_.memory != 0 || options_.gpu_memory != 0) {
      const char* const option = options_.memory != 0 ? "--memory" : "--gpu-memory";
      return console_.error(Status::Usage, fmt::format("`{}` is for one program or pattern", option),
                            "run the patterns one by one");
    }
    if (options_.cluster.any()) {
      return console_.error(Status::Usage, "parts of a run are of one program or pattern",
                            "run the patterns one by one");
    }
    return Status::Ok;
  }

  /// Those of `--pattern`, then those of `--patterns`.
  Status find_patterns(std::vector<PatternOptions>& patterns) const {
    for (const std::string& text : options_.patterns) {
      PatternOptions one = options_.pattern;
      one.text = text;
      one.name = fmt::format("<pattern {}>", patterns.size() + 1);
      patterns.push_back(std::move(one));
    }
    if (options_.pattern_list.empty()) return Status::Ok;
    runtime::Result<std::vector<PatternOptions>> listed = read_pattern_list(options_.pattern_list, options_.pattern);
    if (!listed) return console_.error(listed.error());
    patterns.insert(patterns.end(), listed->begin(), listed->end());
    return Status::Ok;
  }

  /// A step of every pattern, so that the errors of all are found before one of them runs; the first that failed. What
  /// goes wrong with the graph goes wrong with all.
  template <typename Step>
  Status for_all(bool needs_graph, Step step) {
    Status first = Status::Ok;
    for (const std::unique_ptr<RunSteps>& run : runs_) {
      const Status code = step(*run);
      const bool of_pattern = code == Status::Query || code == Status::Usage || code == Status::Run;
      if (code != Status::Ok && (!of_pattern || (needs_graph && inputs_.empty()))) return code;
      if (first == Status::Ok) first = code;
    }
    return first;
  }

  Status answer_all() {
    std::size_t width = 0, left = runs_.size();
    for (const std::unique_ptr<RunSteps>& run : runs_) width = std::max(width, run->name_width());
    Status first = Status::Ok;
    for (std::unique_ptr<RunSteps>& run : runs_) {
      session_.watch(Session::Stops::All);
      run->print_name(width);
      const Status code = answer(*run);
      // It refers to the run.
      session_.set_report({});
      // It would wait for the compiler, which is left alone at the end.
      if (!codegen::compiles_in_background()) run.reset();
      --left;
      if (is_stop(code)) {
        if (left != 0) console_.note(fmt::format("{} of {} patterns were not run", left, runs_.size()));
        return code;
      }
      if (first == Status::Ok) first = code;
    }
    return first;
  }

  const RunVerbOptions& options_;
  Console console_;
  Console quiet_console_;  ///< Of runs that check others.
  Session session_;
  std::optional<runtime::ThreadLimit> threads_;
  SharedInputs inputs_;
  bool is_computed_ = false;
  std::vector<std::unique_ptr<RunSteps>> runs_;
};

}  // namespace

Status run(const RunVerbOptions& options) { return RunVerb(options).all(); }

void add_run(CLI::App& app, Action& action, std::vector<std::string> words) {
  CLI::App* verb = app.add_subcommand("run", "Run a program on a graph");
  auto options = std::make_shared<RunVerbOptions>();
  options->cluster.words = std::move(words);
  add_run_options(*verb, *options);
  verb->callback([options, verb, &action] {
    RunVerbOptions& given = *options;
    const bool of_patterns = !given.patterns.empty() || !given.pattern_list.empty();
    if (!of_patterns && given.compile.file.empty()) throw CLI::RequiredError("FILE");
    if (of_patterns) {
      // The pattern replaces the program, so the first file is the graph.
      if (given.bind.graph.empty()) given.bind.graph = std::exchange(given.compile.file, kPatternFile);
    }
    if (is_picture(given.matches) && !given.limit) given.limit = kPicturedMatches;
    given.gpu.code_folder = given.code_folder;
    read_environment(given.cluster);
    given.compile.may_loop = given.compile.plain_may_loop = given.bind.keep_loops;
    for (const CLI::Option* option : verb->get_options()) {
      const bool is_list = option->get_name() == "--pattern" || option->get_name() == "--patterns";
      if (option->get_group() == "Pattern" && option->count() != 0 && !of_patterns && !is_list) {
        throw CLI::RequiresError(option->get_name(), "--pattern");
      }
      if (option->get_group() == "GPU" && option->count() != 0) given.gpu_given.push_back(option->get_name());
    }
    action = [options] {
      const Status joined = options->cluster.mpi ? join_team(*options) : Status::Ok;
      return joined == Status::Ok ? run(*options) : joined;
    };
  });
}

}  // namespace matcha::tools
