#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "codegen/match/matcher.h"
#include "driver/bind.h"
#include "driver/pattern_source.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/labels.h"

namespace matcha::driver {

/// When a pattern is matched by candidates and search (`runtime/match`) instead of a program.
enum class SearchUse {
  Never,
  Try,  ///< A program is compiled only when the search takes more than `kTrialSteps`.
  Always,
};

/// Steps of a search that take less time than a compilation.
inline constexpr std::uint64_t kTrialSteps = 100'000;

/// Always where `--algorithm` is `join`. With `auto` for undirected patterns of which all vertices have labels: always
/// if rows, or only `some` matches, are wanted, or there are many vertices or automorphisms; else it is tried. Of arcs,
/// and where vertices lack labels, always if there are many of these, each with a label or an edge with one. Never for
/// other matches than isomorphisms, edges that are counted one by one (`?`, or one of several labels), vertices that
/// have one of several labels, are given or have loops, motifs, and graphs that lack labels. `graph` has the labels of
/// edges if the pattern has any.
SearchUse use_of_search(const PatternSource& pattern, const PatternOptions& options, const runtime::Graph& graph,
                        bool some);

/// What a run then does, for people. Requires: not Never.
std::string search_text(SearchUse use);

/// What is looked for in `graph`: rows are in the order of the pattern's vertices, and have each subgraph once unless
/// embeddings are asked for. Requires: `use_of_search`, and the labels were checked.
codegen::MatchTask match_task(const PatternSource& pattern, const PatternOptions& options, const runtime::Graph& graph,
                              const runtime::LabelDictionary& dictionary, const BoundInputs& bound, bool rows);

/// Runs a matcher for at most `kTrialSteps`; nothing if it takes more.
std::optional<codegen::RunOutcome> try_search(codegen::Executable& matcher,
                                              std::span<const codegen::Argument> arguments,
                                              const runtime::Universe& universe, codegen::RunOptions options);

}  // namespace matcha::driver
