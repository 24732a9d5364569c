#pragma once

#include <vector>

#include "frontend/ast.h"
#include "frontend/frontend.h"
#include "ir/support/diagnostics.h"

namespace matcha::frontend {

/// Reads the modules imported by `program.main`, and theirs, and links each imported name to its function.
void load_imports(Program& program, SourceManager& sources, const Options& options, std::uint32_t& next_decl_id,
                  Diagnostics& diagnostics);

/// Links every name to its declaration or built-in operator and selects the entry. Returns the top-level functions,
/// each after the functions it calls. Functions on a cycle are reported and marked `recursive`.
std::vector<ast::Def*> resolve(Program& program, const Options& options, Diagnostics& diagnostics);

}  // namespace matcha::frontend
