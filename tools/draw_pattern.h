#pragma once

#include <string>
#include <vector>

#include "frontend/pattern/program.h"
#include "tools/svg.h"

namespace matcha::tools {

/// The patterns of a program, side by side: vertices with the number of their loop and their label, edges, arcs, pairs
/// that must not be adjacent (dashed), and restrictions as arrows to the vertex with the smaller id. What the signs
/// mean stands below. Of very many only the first are drawn.
Drawing draw_patterns(const std::vector<frontend::pattern::MatchingPlan>& plans);

/// The same in words, for those who cannot see it.
std::string pattern_words(const std::vector<frontend::pattern::MatchingPlan>& plans);

}  // namespace matcha::tools
