#pragma once

#include <cstdint>

#include "frontend/ast.h"
#include "ir/support/arena.h"
#include "ir/support/diagnostics.h"

namespace matcha::frontend {

/// Parses file `file` of `diagnostics.sources()` into `arena`. Syntax errors are reported; the tree is then marked
/// `broken` and has the readable parts. Null if nothing is readable: no UTF-8, or nesting or size beyond the limits.
/// Declarations get ids from `next_decl_id` on. Takes time linear in the text.
ast::File* parse_file(std::uint32_t file, Arena& arena, std::uint32_t& next_decl_id, Diagnostics& diagnostics);

}  // namespace matcha::frontend
