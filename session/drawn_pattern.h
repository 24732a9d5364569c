#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "question/pattern.h"
#include "runtime/sample/sampler.h"

namespace matcha::session {

/// The vertices of a connected pattern of at least two in the order in which bounded draws place them
/// (runtime/sample/bounded_draws.h): an edge that most others are adjacent to, then the vertices by their distance.
/// `labels`: the code of each vertex of the pattern, nothing for any; empty: no vertex has one.
std::vector<runtime::sample::PatternVertex> vertices_to_draw(
    const pattern::Pattern& pattern, pattern::Induced induced,
    const std::vector<std::optional<std::int64_t>>& labels = {});

}  // namespace matcha::session
