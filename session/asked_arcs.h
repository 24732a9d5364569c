#pragma once

#include "frontend/asg.h"

namespace matcha::session {

/// True if the program asks for the `arcs` of this parameter, a graph, which then has to keep its directions.
bool asks_for_arcs(const frontend::asg::Graph& program, const frontend::asg::Param& param);

/// True if the program says that this parameter, a graph, is `symmetric`.
bool asks_for_symmetry(const frontend::asg::Graph& program, const frontend::asg::Param& param);

}  // namespace matcha::session
