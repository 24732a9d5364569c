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
  std::uint64_t most_steps = 0;  ///< The most vertices that are tried as images, in all.
};

/// The number of matches of each pattern in a small graph, by trying every map of its vertices: no program, no plan, no
/// restriction, no set operation. All of these are checked against it, and it shares no code with them. Takes memory of
/// the square of the vertices. Nothing if that takes more than `most_steps`, or if the information of edges is not
/// labels.
std::optional<std::vector<std::uint64_t>> count_exhaustively(const pattern::PatternSet& set, const ExhaustiveTask& task,
                                                             const runtime::Graph& graph,
                                                             const runtime::LabelDictionary& dictionary);

}  // namespace matcha::session
