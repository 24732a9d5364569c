#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "question/pattern.h"
#include "runtime/graph/graph.h"
#include "runtime/graph/labels.h"
#include "runtime/sample/bounded_draws.h"

namespace matcha::session {

/// A pattern as bounded draws take it (runtime/sample/bounded_draws.h).
struct DrawnPattern {
  /// The lists of the graph, then of its reverse and of labels of edges, as far as the pattern needs them.
  std::vector<runtime::sample::NeighborLists> lists;
  std::vector<runtime::sample::DrawnVertex> vertices;
  std::string text;  ///< The same for the same lists and vertices.
};

/// Why no matches of the pattern are drawn from the graph; empty: they are. `maybe_labels`: its words.
std::string problem_of_draws(const pattern::Pattern& pattern, const runtime::Graph& graph,
                             const runtime::LabelDictionary* maybe_labels);

/// The vertices in the order of their draws: an edge that most others are adjacent to, then by their distance. The
/// graph outlives it. Requires: no problem. Errors: Resource when out of memory.
runtime::Result<DrawnPattern> drawn_pattern(const pattern::Pattern& pattern, pattern::Induced induced,
                                            const runtime::Graph& graph, const runtime::LabelDictionary* maybe_labels);

}  // namespace matcha::session
