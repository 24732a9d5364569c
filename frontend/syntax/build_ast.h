#pragma once

#include <MatchaParser.h>

#include "frontend/ast.h"
#include "frontend/syntax/tokens.h"

namespace matcha::frontend::syntax {

/// Height of an expression; keeps the recursion of later stages within a thread's stack.
inline constexpr std::uint32_t kMaxExprDepth = 1000;

/// From a parse tree to the syntax tree in `arena`. `broken`: the text has syntax errors; a statement on a line of
/// `source.lines_with_errors` is then `Broken`, or binds or returns a `Broken` expression. `tokens` are those of the
/// tree. Reports numbers that do not fit, and trees too deep, of which it gives null.
ast::File* build_ast(grammar::MatchaParser::ProgramContext* tree, antlr4::CommonTokenStream& tokens, bool broken,
                     SourceText& source, Arena& arena, std::uint32_t& next_decl_id);

}  // namespace matcha::frontend::syntax
