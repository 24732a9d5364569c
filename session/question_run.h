#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engines/search/match_batch.h"
#include "session/bind.h"
#include "session/compile.h"
#include "session/engine_choice.h"
#include "session/forecast.h"
#include "session/gpu.h"
#include "session/pattern_plan.h"
#include "session/pattern_reporter.h"
#include "session/pattern_source.h"
#include "session/reporter.h"
#include "session/targets.h"
#include "session/vertex_order.h"

namespace matcha::session {

/// A program or a pattern, and how to compile it.
struct ProgramRequest {
  std::string text;         ///< The text of a program; empty: there is a pattern, or a file.
  bool reads_file = false;  ///< The program is in `compile.file`.
  PatternOptions pattern;   ///< Its `text` is empty if there is a program.
  bool matches = false;     ///< A pattern's matches are listed, not counted.
  CompileOptions compile;
  std::vector<std::string> params;  ///< `NAME=VALUE`.
  std::string order = "auto";       ///< As `--order`.
  std::string device = "auto";      ///< As `--device`.
  std::string tier = "auto";        ///< As `--tier`.
  std::string backend = "llvm";     ///< As `--backend`.
  std::string engine;               ///< As `--engine`; empty: the cheapest.
  GpuOptions gpu;
  bool some = false;             ///< Runs will have a limit of matches, `RunOptions::most`.
  bool may_search = true;        ///< Engines other than `program` may answer.
  std::string wants_program;     ///< The option that requires a program; empty: none.
  bool explains = false;         ///< All offers are priced.
  bool shares = false;           ///< Runs are shares of a whole one; identities cannot be split.
  bool may_lack_labels = false;  ///< Labels that no vertex or edge has are no error: later updates may add them.
  std::string code_folder;       ///< The folder that keeps compiled code between processes; empty: none.
  /// The batch of patterns that a GPU matches together with this one; null: it is matched alone.
  std::shared_ptr<codegen::MatchBatch> maybe_batch;
  runtime::sample::IntervalRequest interval;  ///< Without a width: the exact answer.
  std::optional<std::uint64_t> maybe_most;    ///< The value of `RunOptions::most`, if it is known.
  /// Rewrites the module after the pipeline `nests`; the result is compiled. Empty: the program is compiled.
  std::function<ir::Module(ir::Context& context, const ir::Module& nests)> rewrite;

  bool of_pattern() const { return !pattern.text.empty(); }
};

/// The steps that answer a question, for the command line, which binds files, and the library, which binds graphs in
/// memory. Callers call them in the order of their declarations. Each gives Ok, or reports its error and gives the
/// kind. Members are the results of the steps. The object must not move: engines refer to its members.
class QuestionRun {
 public:
  /// Runs a step that reads programs or patterns: only one thread of a process may do so at a time.
  using Reading = std::function<void(const std::function<void()>&)>;

  /// `to` outlives it. `reading`: empty: on this thread.
  QuestionRun(ProgramRequest asked, const Reporter& to, Reading reading = {});
  QuestionRun(const QuestionRun&) = delete;
  QuestionRun& operator=(const QuestionRun&) = delete;

  /// Reads and checks the program, or the pattern. `maybe_cancel` ends it.
  Status read(const std::atomic<bool>* maybe_cancel = nullptr);
  /// Checks that the graph of a pattern, in `bound`, has the labels and vertices that the pattern asks for. `narrows`:
  /// a pattern with a single edge label continues with the graph of that label.
  Status check_graph(bool narrows);
  /// Whether the program has rounds, which run on a CPU alone. After `read`.
  bool has_rounds() const;
  /// The question of the request. Callers add the parts that depend on their own options.
  planner::Question question() const;
  /// The graph in `bound`, as engines see it. Callers add the data that runs share.
  EngineContext context();
  /// Whether the engine `patterns` may answer the question of a program, as far as is known before there is a graph.
  bool may_count_patterns(const planner::Question& asked);
  /// Lets the engines decide. `catalog`: of the machine; `program_ns` and `complete` are set here.
  Status decide(planner::Question asked, EngineContext given, planner::Catalog catalog, const Reporter& to);
  /// Switches to the target of the chosen offer; true if that is another one than before.
  bool take_device();
  /// Makes the chosen engine, if it needs no program. An engine that may give up is run with `trial`; if it does, the
  /// next engine is made, unless the rest of the trial is expected to be faster. `tried` gets the answer of a trial.
  void make_engine(const codegen::RunOptions& trial);
  /// Plans and writes the program of the pattern for a device, unless that was done.
  Status write_program(bool on_gpu);
  /// Reads the program of the pattern; does nothing if the program was given.
  Status lower_program();
  /// The label words of the graph that is bound, for passes.
  passes::LabelWords label_words() const;
  /// Loads the label words of the graph. Ranks its vertices by degree if that cannot change the answer and saves time.
  Status order_vertices();
  /// Makes the back end of the target, unless there is one, and lets it begin in the background.
  void open_back_end();
  /// Runs the passes of the target on a compilation: for the bound inputs, or for any.
  Status run_passes(Compilation& of);
  /// Runs the passes and loads the module that they leave.
  Status compile();
  /// The second half of `compile`.
  Status load_program();

  /// Starts a new compilation, for another program.
  void renew();
  /// From now on the caller's thread reads programs and patterns.
  void read_here();
  TargetSettings settings() const { return {request.code_folder, request.gpu, {}}; }
  /// The graph of the pattern; null: there is none, or it is not in memory.
  const runtime::Graph* maybe_graph() const;
  const planner::Offer& chosen() const { return choice.chosen(); }
  /// An engine without a program answers.
  bool lacks_program() const { return executable != nullptr && choice.chosen().make != nullptr; }

  ProgramRequest request;  ///< The compilation and the pattern refer to it.
  const Reporter& log;
  PatternReporter reporter{log};  ///< Moves errors in the generated program to the pattern.
  std::optional<PatternSource> pattern;
  std::optional<Compilation> compilation;
  Signature signature;
  std::string semantics, meaning;  ///< For a pattern, as given; if the request explains.
  BoundInputs bound;
  bool is_bound = false;  ///< The inputs are bound.
  /// The graph for planning and matching a pattern; null: the main graph of `bound`.
  const runtime::Graph* maybe_pattern_graph = nullptr;
  PlanRequest plan;                            ///< The way to run a pattern's program; the device is set here.
  EngineChoice choice;                         ///< After `decide`.
  nlohmann::ordered_json offers;               ///< `planner::to_json` of the offers, if the request explains.
  std::optional<pattern::GraphSketch> sketch;  ///< The statistics that the pattern's program was planned with.
  std::optional<codegen::RunOutcome> tried;    ///< The outcome of a trial that did not give up.
  Forecast forecast;
  passes::LabelWords labels;
  OrderReport order;
  const Target* target = &target_named("llvm");
  std::unique_ptr<codegen::Backend> backend;
  std::unique_ptr<codegen::Executable> executable;
  /// An alternative loader of the module that the passes leave; empty: that of the back end.
  std::function<Status(Compilation&, codegen::Backend&, std::unique_ptr<codegen::Executable>&)> load;

 private:
  Status read_program(const std::atomic<bool>* maybe_cancel);
  /// The patterns that the program counts, for the engine `patterns`. `maybe_bound`: null: not known yet.
  std::optional<CountedProgram> counted(const BoundInputs* maybe_bound, std::string& why);
  Status rewrite();
  std::optional<double> expected_ns(bool on_gpu);
  /// True if the engine that answers in place of the trial is expected to take more than `ns`.
  bool next_takes(double ns, double threads);
  std::string_view cpu_target() const {
    return request.backend != "llvm" ? request.backend : target_of_tier(request.tier);
  }

  /// The patterns of the program, if it counts patterns, and else the reason.
  struct Counted {
    ir::AssumptionKinds allowed;  ///< The assumptions on the graph.
    std::optional<CountedProgram> found;
    std::string why;
  };

  Reading reading_;
  std::optional<Counted> counted_;  ///< The last one.
  const std::atomic<bool>* maybe_cancel_ = nullptr;
  Status planned_ = Status::Ok;  ///< The status of the last plan of the program.
};

}  // namespace matcha::session
