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
  std::string text;         ///< Of a program; empty: there is a pattern, or a file.
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
  bool some = false;             ///< Runs will be given `RunOptions::most`: not all matches are wanted.
  bool may_search = true;        ///< Engines other than `program` may answer.
  std::string wants_program;     ///< The option for which only a program may answer; empty: none.
  bool explains = false;         ///< All offers are priced.
  bool shares = false;           ///< Runs are shares of a whole one, which identities do not know.
  bool may_lack_labels = false;  ///< Labels that no vertex or edge has are no error: they may come.
  std::string code_folder;       ///< Where compiled code is kept from process to process; empty: nowhere.
  /// Patterns that a GPU matches together with this one, if it does; null: alone.
  std::shared_ptr<codegen::MatchBatch> maybe_batch;
  std::optional<std::uint64_t> maybe_most;  ///< What `RunOptions::most` will be, if it is known.
  /// Makes the module that is compiled from the one that the pipeline `nests` leaves; empty: the program is compiled.
  std::function<ir::Module(ir::Context& context, const ir::Module& nests)> rewrite;

  bool of_pattern() const { return !pattern.text.empty(); }
};

/// A question on its way to what answers it. The command line binds files, the library graphs in memory; all else is
/// here, once. Callers call the steps in the order of their declarations. Each gives Ok, or reports its error and gives
/// the kind. Members are what the steps so far have made. It stays where it is: engines refer to its members.
class QuestionRun {
 public:
  /// Runs a step that reads programs or patterns: only one thread of a process may.
  using Reading = std::function<void(const std::function<void()>&)>;

  /// `to` outlives it. `reading`: empty: on this thread.
  QuestionRun(ProgramRequest asked, const Reporter& to, Reading reading = {});
  QuestionRun(const QuestionRun&) = delete;
  QuestionRun& operator=(const QuestionRun&) = delete;

  /// Reads and checks the program, or the pattern. `maybe_cancel` ends it.
  Status read(const std::atomic<bool>* maybe_cancel = nullptr);
  /// After the graph of a pattern is in `bound`: whether it has what the pattern asks for. `narrows`: a pattern of one
  /// edge label goes on with the graph of that label.
  Status check_graph(bool narrows);
  /// The question as the request has it. Callers add what only their options say.
  planner::Question question() const;
  /// What engines may use of the graph in `bound`. Callers add what runs share.
  EngineContext context() const;
  /// Asks the engines. `catalog`: of the machine; `program_ns` and `complete` are set here.
  Status decide(planner::Question asked, EngineContext given, planner::Catalog catalog, const Reporter& to);
  /// Takes the target of the chosen offer; true if it is another one than before.
  bool take_device();
  /// Makes the chosen engine without a program, if it is one, and runs what may give up with `trial`; of one that gives
  /// up, the next. Puts the answer of a trial into `tried`.
  void make_engine(const codegen::RunOptions& trial);
  /// Plans and writes the program of the pattern for a device, unless that is done.
  Status write_program(bool on_gpu);
  /// The program of the pattern is read; nothing happens where the program was given.
  Status lower_program();
  /// Finds the words of the graph, and ranks its vertices by degree if no answer shows it and it pays.
  Status order_vertices();
  /// Makes the back end of the target, unless there is one, and has it begin.
  void open_back_end();
  /// Runs the passes of the target on a compilation: for the bound inputs, or for any.
  Status run_passes(Compilation& of);
  /// Runs the passes and loads the module that they leave.
  Status compile();
  /// The second half of `compile`.
  Status load_program();

  /// The compilation begins again, for another program.
  void renew();
  /// From now on programs and patterns are read on the thread of the caller.
  void read_here();
  TargetSettings settings() const { return {request.code_folder, request.gpu, {}}; }
  /// The graph of the pattern; null: there is none, or it is not in memory.
  const runtime::Graph* maybe_graph() const;
  const planner::Offer& chosen() const { return choice.chosen(); }
  /// An engine without a program answers.
  bool lacks_program() const { return executable != nullptr && choice.chosen().make != nullptr; }

  ProgramRequest request;  ///< The compilation and the pattern refer to it.
  const Reporter& log;
  PatternReporter reporter{log};  ///< What the compilation says of a pattern is about the pattern.
  std::optional<PatternSource> pattern;
  std::optional<Compilation> compilation;
  Signature signature;
  std::string semantics, meaning;  ///< Of a pattern, as it was given; if the request explains.
  BoundInputs bound;
  bool is_bound = false;  ///< The inputs are there.
  /// The graph that a pattern is planned for and matched in; null: the main one of `bound`.
  const runtime::Graph* maybe_pattern_graph = nullptr;
  PlanRequest plan;                            ///< How a pattern's program is to run; the device is set here.
  EngineChoice choice;                         ///< After `decide`.
  nlohmann::ordered_json offers;               ///< If the request explains: what `planner::to_json` gives.
  std::optional<pattern::GraphSketch> sketch;  ///< What the pattern's program was written for.
  std::optional<codegen::RunOutcome> tried;    ///< Of a trial that did not give up.
  Forecast forecast;
  passes::LabelWords labels;
  OrderReport order;
  const Target* target = &target_named("llvm");
  std::unique_ptr<codegen::Backend> backend;
  std::unique_ptr<codegen::Executable> executable;
  /// Loads what the passes left in another way; empty: as the back end does.
  std::function<Status(Compilation&, codegen::Backend&, std::unique_ptr<codegen::Executable>&)> load;

 private:
  Status read_program(const std::atomic<bool>* maybe_cancel);
  Status rewrite();
  std::optional<double> expected_ns(bool on_gpu);
  std::string_view cpu_target() const {
    return request.backend != "llvm" ? request.backend : target_of_tier(request.tier);
  }

  Reading reading_;
  const std::atomic<bool>* maybe_cancel_ = nullptr;
  Status planned_ = Status::Ok;  ///< Of the last plan of the program.
};

}  // namespace matcha::session
