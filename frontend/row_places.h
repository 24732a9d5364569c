#pragma once

#include <string>
#include <vector>

#include "frontend/asg.h"

namespace matcha::frontend {

/// If the result is a list with one number for each vertex, or for each edge, of a graph, puts the vertex, or the two
/// ends, in front of each number, so that rows can be read on their own. Returns the column names, `vertex, count` or
/// `source, target, count`; empty for any other result, which is unchanged.
std::vector<std::string> add_row_places(asg::Graph& graph);

}  // namespace matcha::frontend
