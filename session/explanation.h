#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/pass_manager.h"
#include "planner/program.h"
#include "session/outline.h"
#include "session/question_run.h"

namespace matcha::session {

/// All that `explain` found out about a question; printed or drawn by others.
struct Explanation {
  std::string name;       ///< The file, or `<pattern>`.
  std::string signature;  ///< The signature of the entry.
  std::string text;       ///< The text of the program; empty if an engine without a program answers.

  // Of patterns only.
  std::string semantics;  ///< The answer in words, in a line.
  std::string meaning;    ///< The same in sentences.
  std::vector<pattern::MatchingPlan> plans;
  std::vector<pattern::Choice> choices;
  bool induced = false;   ///< By the vertices: estimates do not count the edges that must not be there.
  bool of_graph = false;  ///< Estimates are for the given graph, not for a typical one.

  std::string engine = "program";   ///< The name of the engine that answers.
  nlohmann::ordered_json decision;  ///< The offers and refusals, as `planner::to_json` gives them; null without inputs.
  std::vector<std::string> method;  ///< How an engine without a program answers; then there are no steps and passes.

  std::vector<Step> written, nest;  ///< Steps before and after the passes, which leave sets as lists here.
  std::vector<passes::PassRun> passes;
  std::vector<std::string> stream;  ///< How `matcha stream` answers it, in lines; empty: it takes no such program.
  nlohmann::ordered_json stream_decision;  ///< The methods of a stream, as `decision`; null: it takes no such program.
  std::vector<PlannedBuffer> memory;

  // With inputs only.
  std::vector<std::string> graphs;  ///< A line for each file that was loaded.
  std::string order;                ///< The order of the vertices, and its reason.
  std::string schedule;             ///< The stored schedule that `run --tune` takes; empty: none.
  bool ran = false;
  std::string rows;                      ///< The number of rows in words, if the answer is a list of rows.
  std::vector<std::string> values;       ///< The answer's values, in order; empty if it is a list of rows.
  std::vector<std::string> count_names;  ///< For motifs: the name of each of `values`.
  double run_ms = 0;
  unsigned threads = 0;
  std::string simd;
  std::uint64_t positions = 0, deferred = 0;
  /// The vertices of a search that may be images, and the images tried.
  std::uint64_t candidates = 0, images_tried = 0;
  /// Figures are of one in this many outermost positions, scaled up.
  std::uint64_t sample = 1;
  std::string stopped;                                ///< Why the run or its counting ended early; empty: it did not.
  std::vector<std::pair<std::string, double>> times;  ///< Milliseconds of each stage, in order.
};

/// The JSON object of the schema `matcha.plan/1` (docs/api.md).
nlohmann::ordered_json plan_json(const Explanation& all);

/// How much an explanation may take, and its caller's part in it.
struct ExplainRun {
  bool runs = true;         ///< It runs twice: as it is, and counting how often each step is reached.
  std::int64_t sample = 1;  ///< Above 1: counts only one in this many outermost positions.
  unsigned threads = 0;     ///< 0: as many as there are.
  const std::atomic<std::uint32_t>* maybe_stop = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::function<void(bool begins)> on_run = {};  ///< A run begins, or has ended; may be empty.
  /// After the passes, of a program: finds out more; may be empty.
  std::function<void(Explanation& found)> on_plan = {};
  /// Before steps are counted, which compiles. With the explanation so far; may be empty.
  std::function<void(const Explanation& found)> on_answer = {};
  /// A run ended before its end. Gives the status to end with, or Ok with `stopped` set; empty: Ok.
  std::function<Status(const codegen::RunResult& result, Explanation& found)> on_end = {};
};

/// Explains the decision of the engines. Call it after `decide`, or without inputs after the program was lowered. A
/// part that did not end is left out. `complete`: all steps were counted.
Status explain(QuestionRun& run, const ExplainRun& how, Explanation& found);

}  // namespace matcha::session
