#pragma once

#include <string>

#include "session/run/explanation_text.h"

namespace matcha::session {

/// The pattern, if there is one, and the loops as one SVG file.
std::string explanation_svg(const Explanation& all);

/// Everything as one HTML page that loads nothing: pictures, tables, texts.
std::string explanation_html(const Explanation& all);

}  // namespace matcha::session
