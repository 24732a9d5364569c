#pragma once

#include <cstdint>

#include "frontend/ast.h"
#include "ir/support/arena.h"
#include "ir/support/diagnostics.h"

namespace matcha::frontend {

/// Parses file `file` of `diagnostics.sources()` into `arena`. Syntax errors are reported, and the tree, then marked
/// `broken`, has what could be read; null if nothing could: no UTF-8, or nesting or a size beyond limits. Declarations
/// get ids from `next_decl_id` on. Takes time linear in the text; refuses nesting beyond fixed limits.
ast::File* parse_file(std::uint32_t file, Arena& arena, std::uint32_t& next_decl_id, Diagnostics& diagnostics);

}  // namespace matcha::frontend
