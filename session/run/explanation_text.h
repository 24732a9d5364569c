#pragma once

#include <string>
#include <vector>

#include "session/explanation.h"

namespace matcha::session {

/// A loop, a set or an input, with its figures.
struct SizeRow {
  std::size_t depth = 0;
  const Step* step = nullptr;
  std::string text;                     ///< The step without `for each`.
  std::string expected, expected_mean;  ///< The figures in words; empty: none.
  std::string items, mean, kept;
};
/// Every step of the nest that has figures, and every loop.
std::vector<SizeRow> size_rows(const Explanation& all);

/// The name of the run's figures: `actual`, or `sampled` or `partial` if they are not of all of it.
std::string figures_name(const Explanation& all);
/// The names of the columns.
std::string sizes_caption(const Explanation& all);

/// The answer as text; empty if its numbers have names, or there is none.
std::string answer_text(const Explanation& all);
/// The numbers of a pattern's answer, in groups of three digits; of motifs all of them, or none.
std::vector<std::string> count_texts(const Explanation& all);

/// The time of the run beside the estimate of its plan; empty if either is unknown.
std::string actual_time(const Explanation& all);

/// The mean number of items each time, with one decimal. Requires: there was a time.
std::string mean_text(const StepCount& count);
/// The expected number of items each time; empty if there is none.
std::string expected_mean_text(const Step& step);
/// `1,234,567`
std::string grouped(__int128 value);
/// The same for the digits of a number.
std::string grouped(std::string digits);
/// Three digits, the others 0: `1,230,000`; beyond 10^15 `1.2e+17`.
std::string about(double value);

/// An offer or a refusal, in words.
struct EngineRow {
  std::string name;          ///< `search on a CPU`
  std::string cost, memory;  ///< Empty: unknown.
  std::string remark;        ///< The reason of a refusal.
  bool is_chosen = false;
};
/// The rows of `planner::to_json` of a decision.
std::vector<EngineRow> engine_rows(const nlohmann::ordered_json& decision);

std::string explanation_text(const Explanation& all);

}  // namespace matcha::session
