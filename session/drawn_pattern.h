#pragma once

#include <vector>

#include "question/pattern.h"
#include "runtime/sample/sampler.h"

namespace matcha::session {

/// The vertices of a connected pattern of at least two, without labels, in the order in which bounded draws place them
/// (runtime/sample/bounded_draws.h): an edge that most others are adjacent to, then the vertices by their distance.
std::vector<runtime::sample::PatternVertex> vertices_to_draw(const pattern::Pattern& pattern, pattern::Induced induced);

}  // namespace matcha::session
