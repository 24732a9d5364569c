#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ir/support/diagnostics.h"
#include "planner/counted.h"
#include "planner/program.h"

/// Patterns whose counts, or matches, add up to those of a pattern.
namespace matcha::pattern {

/// Patterns that one may be the sum of.
inline constexpr std::size_t kMostExpansions = 64;

/// The patterns that a program is for; nothing after an error.
std::optional<std::vector<Expansion>> expand(const PatternSet& set, const Request& request, SourceLoc loc,
                                             Diagnostics& diagnostics);

/// Patterns whose embeddings, with their factors, are as many as the maps with `Match::Edge` of some patterns have in a
/// graph without loops. Each is a pattern in which vertices that are not adjacent have become one, so that no two edges
/// have. Nothing: there would be more than `most`, or edges have labels, or something else stands in the way.
std::optional<std::vector<Expansion>> quotients_of(const std::vector<Expansion>& patterns, std::size_t most);

}  // namespace matcha::pattern
