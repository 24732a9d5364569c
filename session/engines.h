#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/search/match_batch.h"
#include "planner/decide.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/labels.h"
#include "runtime/sample/kept_draws.h"
#include "session/motif_sets.h"
#include "session/pattern_source.h"
#include "session/program_patterns.h"

namespace matcha::session {

/// The graph that engines work on, and the parts that runs of one command share. Outlives the engines and their offers.
struct EngineContext {
  const runtime::Graph* maybe_graph = nullptr;  ///< With labels of edges if the pattern has some; null: not in memory.
  const runtime::LabelDictionary* maybe_labels = nullptr;
  /// The index that searches share; empty: a run makes it.
  std::function<std::shared_ptr<runtime::match::MatchIndex>()> match_index = {};
  /// Draws of intervals that stay with the graph; null: none do.
  std::shared_ptr<runtime::sample::KeptDraws> maybe_draws = {};
  /// The patterns that a GPU matches together, which the first one of them makes; null: each is matched alone.
  std::shared_ptr<codegen::MatchBatch>* maybe_batch = nullptr;
  MotifSets* maybe_together = nullptr;  ///< Patterns of one command, which identities may count together.
  /// Counts in parts of the graph; empty: `no_parts` says why not.
  std::function<std::unique_ptr<codegen::Executable>()> parts = {};
  std::uint64_t bytes_of_part = 0;
  std::string no_parts = "the graph is in memory; parts are for `--memory` and `--gpu-memory`";
  std::string does_not_fit = {};  ///< Why nothing may have all of the graph in memory; empty: it fits.
  std::string code_folder = {};   ///< Where compiled kernels are kept; empty: nowhere.
  /// The patterns that the program counts, or nothing, with the reason in `why`. Requires: there is no pattern.
  std::function<std::optional<CountedProgram>(std::string& why)> counted = {};
  /// Runs a step that reads a program or a pattern, of which a process does one at a time.
  std::function<void(const std::function<void()>&)> reading = {};
};

/// The engines that this program has, in the order of engines.def. The question and the context outlive them. Each
/// program defines it: session/engines/all.cpp has them all.
planner::EngineList make_engines(const planner::Question& question, const EngineContext& context);

/// The words of `--engine`, in the same order, of all engines.
const std::vector<std::string>& engine_names();

/// The question of a pattern; the caller adds device, engine and limits. The source outlives it.
planner::Question question_of(const PatternSource& pattern, const PatternOptions& options, bool rows);

}  // namespace matcha::session
