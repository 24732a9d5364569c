#pragma once

#include <optional>

#include "frontend/asg.h"
#include "ir/context.h"
#include "ir/nodes.h"
#include "ir/support/diagnostics.h"

namespace matcha::frontend {

/// The module of stage Loop that computes the graph's result; empty if there are errors. The module's parameters are
/// the entry's, in order. Ints that hold vertices are `vid`s if they come from a graph or only move between lists of
/// vertices. A list parameter has `vid` columns if the program uses them as vertices. Nothing is optimized: a value is
/// computed at its first use, every stored `apply` collects a list, and every `sum` walks one. `may_loop`: graphs whose
/// edges carry information may have loops; `plain_may_loop`: the other graphs may, too.
std::optional<ir::Module> lower(const asg::Graph& graph, ir::Context& context, Diagnostics& diagnostics,
                                bool may_loop = false, bool plain_may_loop = false);

}  // namespace matcha::frontend
