#pragma once

#include <vector>

#include "question/pattern.h"
#include "session/pictures/svg.h"

namespace matcha::session {

/// Where to draw the vertices of a pattern, adjacent ones about `unit` apart; the corner of the area is (0, 0). Parts
/// that are not connected stand side by side. The same each time.
///
/// Distances on paper approach those in the pattern (stress majorization: Gansner, Koren and North, "Graph drawing by
/// stress majorization", section 2) from several starts; the result with the fewest crossings is turned so that as many
/// edges as possible are level or upright.
std::vector<Point> layout(const pattern::Pattern& pattern, double unit);

/// How near `at` comes to the straight way between two points.
double distance_to_line(Point at, Point from, Point to);

}  // namespace matcha::session
