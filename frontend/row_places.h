#pragma once

#include <string>
#include <vector>

#include "frontend/asg.h"

namespace matcha::frontend {

/// Where the result is a list with one number for each vertex, or for each edge, of a graph, puts that vertex, or the
/// two ends, in front of each number, so that the rows make sense by themselves. Gives the names of their columns,
/// `vertex, count` or `source, target, count`; nothing for any other result, which stays as it is.
std::vector<std::string> add_row_places(asg::Graph& graph);

}  // namespace matcha::frontend
