#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/nodes.h"
#include "runtime/graph/graph.h"

namespace matcha::session {

enum class StepKind { Find, Loop, If, Else, Value, Set, Give, Graph, Result };

/// How often a step was reached in a run, and its items.
struct StepCount {
  __int128 times = 0;  ///< The step was reached: a loop entered, a set computed, a value given.
  __int128 items = 0;  ///< Bodies that ran, items of the sets, the sum of the ints that were given; else as `times`.
  __int128 kept = 0;   ///< Loops: bodies that went on after the conditions at their top.
};

/// A step of a module in plain words, and those inside it.
struct Step {
  StepKind kind = StepKind::Value;
  std::string text;  ///< `for each u in the vertices of G`
  const ir::Stmt* stmt = nullptr;
  std::vector<Step> steps = {};
  std::optional<StepCount> actual = {};
  std::optional<double> expected = {};        ///< The cost model's estimate of `items`,
  std::optional<double> expected_times = {};  ///< and of `times`.
};

/// Codes to label words.
using LabelNames = std::map<std::int64_t, std::string>;

/// The label words of a module that has them still, by the codes that they will have. `code` as in `ir::LabelWords`.
LabelNames label_names(const ir::Module& module,
                       const std::function<std::optional<std::int64_t>(std::string_view)>& code);

/// The steps of a module; nothing is counted yet. A label is printed as its word.
std::vector<Step> steps_of(const ir::Module& module, const LabelNames& labels);

/// A line a step, those inside another indented:
///
///     for each u in the vertices of G
///       for each v in the neighbors of u below u
///         add the size of … to n
std::string outline(const std::vector<Step>& steps);

/// Scratch memory of one worker.
struct PlannedBuffer {
  std::string name;
  std::string capacity;  ///< In words, such as `the maximum degree of G`.
  std::uint64_t item_bytes = 0;
  std::optional<std::int64_t> items;  ///< With graphs: the number.
};

/// Every buffer of the module's regions, in order. `graphs` are the bound ones by parameter; may be empty.
std::vector<PlannedBuffer> memory_plan(const ir::Module& module,
                                       const std::map<std::string, const runtime::Graph*>& graphs);

}  // namespace matcha::session
