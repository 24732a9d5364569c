#pragma once

#include <string>
#include <vector>

#include "planner/program.h"
#include "session/pictures/svg.h"

namespace matcha::session {

/// The patterns of a program, each a picture: vertices with the number of their loop and their label, edges, arcs,
/// pairs that must not be adjacent (dashed), and restrictions as arrows to the vertex with the smaller id. Where there
/// are several, each has its name above, and below it its count, as far as there are counts. Of very many only the
/// first are drawn.
std::vector<Drawing> pattern_pictures(const std::vector<pattern::MatchingPlan>& plans,
                                      const std::vector<std::string>& counts = {});

/// A sign of these pictures, in an area of 44 by 24, and its meaning.
struct LegendEntry {
  std::string text;
  Drawing sign;
};
/// The signs that the pictures have.
std::vector<LegendEntry> pattern_legend(const std::vector<pattern::MatchingPlan>& plans);

/// The pictures side by side in rows, and the legend below.
Drawing draw_patterns(const std::vector<pattern::MatchingPlan>& plans, const std::vector<std::string>& counts = {});

/// A whole SVG file of patterns alone: no order of loops, no restrictions. The one picture of a pattern, which the
/// command line, the library and notebooks show.
std::string pattern_svg(const std::vector<pattern::Pattern>& patterns);

/// A match: for each vertex of the pattern its id in the graph, and its label; no labels where the graph has none.
struct DrawnMatch {
  std::vector<std::string> ids, labels;
};
/// Matches side by side in rows, each drawn as the pattern is, with the ids and labels of its own vertices.
Drawing draw_matches(const pattern::Pattern& pattern, const std::vector<DrawnMatch>& matches);

/// The patterns in words, for screen readers.
std::string pattern_words(const std::vector<pattern::MatchingPlan>& plans);

}  // namespace matcha::session
