#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "planner/nest.h"
#include "question/pattern.h"

namespace matcha::pattern {

/// The parts of a pattern whose maps do not depend on each other, so that their numbers are multiplied: no edge, no
/// condition and no variable of edges is in two of them, and no edge of the graph can be the image of edges of two.
/// Requires: maps need not be injective. `loops`: the graph may have some. `names`: of the vertices in a program.
std::vector<Mask> independent_parts(const Pattern& pattern, Match match, bool loops,
                                    const std::vector<std::string>& names);

/// One of these parts as a pattern, with the pairs of vertices that must differ.
Pattern independent_part(const Pattern& pattern, Mask part);

/// The name of the function that counts a part of the pattern that function `name` counts.
std::string part_name(const std::string& name, std::size_t part);
/// Writes the function `name`, the product of the numbers of its parts.
void write_product(const std::string& name, std::size_t parts, Text& out);

}  // namespace matcha::pattern
