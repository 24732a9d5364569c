#pragma once

#include <string>
#include <vector>

#include "session/pictures/svg.h"
#include "tools/explanation.h"

namespace matcha::tools {

/// The steps of a program: one box a loop, those inside it within, with the set that it walks, the conditions, and its
/// estimated and actual sizes, also as bars on a logarithmic scale. What the signs mean stands below.
Drawing draw_nest(const Explanation& all);

/// The loops in words, for those who cannot see the picture.
std::string nest_words(const Explanation& all);

}  // namespace matcha::tools
