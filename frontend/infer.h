#pragma once

#include <vector>

#include "frontend/ast.h"
#include "frontend/frontend.h"
#include "ir/support/diagnostics.h"

namespace matcha::frontend {

/// Gives types to the functions in `order` (each after those it calls) and writes those of parameters, locals and
/// results into the tree. Functions are generalized, but for the entry, whose parameters get the types that its body
/// asks for.
void infer_types(Program& program, const std::vector<ast::Def*>& order, Diagnostics& diagnostics);

}  // namespace matcha::frontend
