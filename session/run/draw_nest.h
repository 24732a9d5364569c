#pragma once

#include <string>
#include <vector>

#include "session/pictures/svg.h"
#include "session/run/explanation_text.h"

namespace matcha::session {

/// The steps of a program: one box a loop, with its inner loops inside, the set that it iterates over, the conditions,
/// and its estimated and actual sizes, also as bars on a logarithmic scale. A legend is below.
Drawing draw_nest(const Explanation& all);

/// The loops in words, for screen readers.
std::string nest_words(const Explanation& all);

}  // namespace matcha::session
