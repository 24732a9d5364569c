#pragma once

#include <vector>

#include "frontend/ast.h"
#include "frontend/frontend.h"
#include "ir/support/diagnostics.h"

namespace matcha::frontend {

/// Infers the types of the functions in `order` (each after those it calls) and writes the types of parameters, locals
/// and results into the tree. Functions are generalized, except for the entry: its parameters get the types that its
/// body requires.
void infer_types(Program& program, const std::vector<ast::Def*>& order, Diagnostics& diagnostics);

}  // namespace matcha::frontend
