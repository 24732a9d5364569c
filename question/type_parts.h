#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "question/pattern.h"

/// Subgraphs of patterns whose vertices may match the same vertex of a graph by different types, `a:Person-b:Admin`.
namespace matcha::pattern {

/// The pattern with labels that say only whether a vertex has one, or the same one of several.
Pattern without_types(Pattern pattern);

/// Maps of a pattern to the same vertices and edges are one subgraph, also where a vertex of the graph has the types of
/// several vertices of the pattern: maps that differ by an automorphism that may change one type for another, but keeps
/// which vertices have one, one of several (`Pattern::kinds`), or none. Where labels are alike or exclude each other,
/// these are the automorphisms that keep labels, and the result is empty: the pattern stands for itself. Else its
/// labels are split, and the result has patterns that stand for themselves and have each subgraph once in all.
/// Nothing if there would be more than `most`.
std::optional<std::vector<Pattern>> type_parts(const Pattern& pattern, Induced induced, std::size_t most);

}  // namespace matcha::pattern
