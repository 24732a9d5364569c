#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "question/read.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/labels.h"

namespace matcha::session {

/// The count of a pattern, and the limit on steps.
struct ExhaustiveTask {
  pattern::Induced induced = pattern::Induced::Edge;
  bool embeddings = false;       ///< Maps; else maps by automorphisms, which are found by trying too.
  std::uint64_t most_steps = 0;  ///< Vertices that are tried as images, over all.
};

/// The number of matches of each pattern in a small graph, by trying every map of its vertices one after the other: no
/// program, no plan, no restriction, no set operation. It is what all of these are checked against, and shares nothing
/// with them. Takes the square of the vertices in memory. Nothing if there are more steps than wanted, or the
/// information of edges are no labels.
std::optional<std::vector<std::uint64_t>> count_exhaustively(const pattern::PatternSet& set, const ExhaustiveTask& task,
                                                             const runtime::Graph& graph,
                                                             const runtime::LabelDictionary& dictionary);

}  // namespace matcha::session
