#pragma once

#include <MatchaParser.h>

#include "frontend/ast.h"
#include "frontend/syntax/tokens.h"

namespace matcha::frontend::syntax {

/// Height of an expression; keeps the recursion of later stages within a thread's stack.
inline constexpr std::uint32_t kMaxExprDepth = 1000;

/// From a parse tree without errors to the syntax tree in `arena`. Reports numbers that do not fit and trees too deep.
ast::File* build_ast(grammar::MatchaParser::ProgramContext* tree, SourceText& source, Arena& arena,
                     std::uint32_t& next_decl_id);

}  // namespace matcha::frontend::syntax
