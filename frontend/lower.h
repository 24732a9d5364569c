#pragma once

#include <optional>

#include "frontend/asg.h"
#include "ir/context.h"
#include "ir/nodes.h"
#include "ir/support/diagnostics.h"

namespace matcha::frontend {

/// The module of stage Loop that computes the graph's result; nothing if there are errors. The module's parameters are
/// the entry's, in order. Ints that hold vertices are `vid`s wherever they come from a graph or only move between lists
/// of vertices; a list parameter has `vid` columns where the program uses them as vertices.
/// Nothing is optimized: a value stands where it is first needed, every `apply` that is stored collects a list, and
/// every `sum` walks one.
/// `may_loop`: graphs whose edges carry information may have loops; `plain_may_loop`: others, too.
std::optional<ir::Module> lower(const asg::Graph& graph, ir::Context& context, Diagnostics& diagnostics,
                                bool may_loop = false, bool plain_may_loop = false);

}  // namespace matcha::frontend
