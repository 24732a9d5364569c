#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "passes/pass_manager.h"
#include "planner/program.h"
#include "session/outline.h"

namespace matcha::session::stream {
struct StreamPlan;
}  // namespace matcha::session::stream

namespace matcha::tools {

using namespace session;

/// All that `explain` found out about a program; drawn or printed by others.
struct Explanation {
  std::string name;       ///< The file, or `<pattern>`.
  std::string signature;  ///< Of the entry.
  std::string text;       ///< Of the program.

  // Of patterns only.
  std::string semantics;  ///< What is counted, in a line.
  std::string meaning;    ///< The same in sentences.
  std::vector<pattern::MatchingPlan> plans;
  std::vector<pattern::Choice> choices;
  bool induced = false;   ///< By the vertices: estimates do not count the edges that must not be there.
  bool of_graph = false;  ///< Estimates are of the graph at hand, not of a typical one.

  std::string engine = "program";   ///< What answers.
  nlohmann::ordered_json decision;  ///< The offers and refusals, as `planner::to_json` gives them; null without inputs.
  std::vector<std::string> method;  ///< How an engine without a program answers; then there are no steps and passes.

  std::vector<Step> written, nest;  ///< Steps before and after the passes, which leave sets as lists here.
  std::vector<passes::PassRun> passes;
  std::vector<std::string> stream;  ///< How `matcha stream` answers it, in lines; empty: it takes no such program.
  std::vector<PlannedBuffer> memory;

  // With inputs only.
  std::vector<std::string> graphs;  ///< What was loaded, a line each.
  std::string order;                ///< By what vertices are ranked, and why.
  std::string schedule;             ///< That `run --tune` takes; empty: none is remembered.
  bool ran = false;
  std::string answer;                    ///< Empty if it is a list, or of motifs.
  std::vector<std::string> count_names;  ///< Of motifs: what each of `counts` is of.
  std::vector<std::string> counts;       ///< The answer's numbers, each by itself; empty if it is a list of a program.
  double run_ms = 0;
  unsigned threads = 0;
  std::string simd;
  std::uint64_t positions = 0, deferred = 0;
  std::uint64_t candidates = 0, images_tried = 0;  ///< Of a search.
  std::uint64_t sample = 1;  ///< Figures are of one in so many outermost positions, times that number.
  std::string stopped;       ///< What ended the run or its counting early; empty: they ran to their end.
  std::vector<std::pair<std::string, double>> times;  ///< Milliseconds of each stage, in order.
};

/// A loop, a set or what is given, with its figures.
struct SizeRow {
  std::size_t depth = 0;
  const Step* step = nullptr;
  std::string text;                     ///< The step without `for each`.
  std::string expected, expected_mean;  ///< The figures in words; empty where there is none.
  std::string items, mean, kept;
};
/// Every step of the nest that has figures, and every loop.
std::vector<SizeRow> size_rows(const Explanation& all);

/// What the figures of the run are called: `actual`, or `sampled` or `partial` if they are not of all of it.
std::string figures_name(const Explanation& all);
/// What the columns are.
std::string sizes_caption(const Explanation& all);

/// How long the run took beside the estimate of its plan; empty if one of them is not there.
std::string actual_time(const Explanation& all);

/// The items of each time, with one decimal. Requires: there was a time.
std::string mean_text(const StepCount& count);
/// What is expected of each time; empty if nothing is.
std::string expected_mean_text(const Step& step);
/// `1,234,567`
std::string grouped(__int128 value);
/// The same of the number in decimal.
std::string grouped(std::string digits);
/// Three digits, the others 0: `1,230,000`; beyond 10^15 `1.2e+17`.
std::string about(double value);

/// An offer or a refusal, in words.
struct EngineRow {
  std::string name;          ///< `search on a CPU`
  std::string cost, memory;  ///< Empty where they are not known.
  std::string remark;        ///< Of a refusal, why.
  bool is_chosen = false;
};
std::vector<EngineRow> engine_rows(const Explanation& all);

/// How a stream answers a program, in lines.
std::vector<std::string> stream_text(const stream::StreamPlan& plan);

std::string explanation_text(const Explanation& all);

}  // namespace matcha::tools
