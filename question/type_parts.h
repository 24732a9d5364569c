#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "question/pattern.h"

/// Subgraphs of patterns whose vertices may match the same vertex of a graph by different types, `a:Person-b:Admin`.
namespace matcha::pattern {

/// The pattern with labels replaced by whether a vertex has one, or which set of alternatives.
Pattern without_types(Pattern pattern);

/// Maps of a pattern to the same vertices and edges are one subgraph, even if a vertex of the graph has the types of
/// several vertices of the pattern. Such maps differ by an automorphism that may exchange types, but keeps whether a
/// vertex has a type, one of several (`Pattern::kinds`), or none. If labels are equal or exclude each other, these are
/// the automorphisms that keep labels, and the result is empty: the pattern itself counts each subgraph once. Otherwise
/// its labels are split, and the resulting patterns together count each subgraph once. Empty if there would be more
/// than `most`.
std::optional<std::vector<Pattern>> type_parts(const Pattern& pattern, Induced induced, std::size_t most);

}  // namespace matcha::pattern
