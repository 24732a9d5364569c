#pragma once

#include <string>

#include "question/pattern.h"

namespace matcha::pattern {

/// The program `(G: Graph, a: int, b: int) -> int` that gives how many more matches of a pattern a graph has with the
/// edge from `a` to `b` than without it. `G` is without it. Subgraphs, or `embeddings`: every map of the pattern.
/// Requires: `has_delta`, and the pattern has no arcs.
std::string delta_text(const Pattern& pattern, Induced induced, bool embeddings);

}  // namespace matcha::pattern
