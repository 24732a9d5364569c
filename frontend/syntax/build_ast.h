#pragma once

#include <MatchaParser.h>

#include "frontend/ast.h"
#include "frontend/syntax/tokens.h"

namespace matcha::frontend::syntax {

/// Greatest height of an expression; limits the recursion of later stages to a thread's stack.
inline constexpr std::uint32_t kMaxExprDepth = 1000;

/// Builds the syntax tree in `arena` from a parse tree. `broken`: the text has syntax errors; a statement on a line of
/// `source.lines_with_errors` is then `Broken`, or binds or returns a `Broken` expression. `tokens` are those of the
/// tree. Reports numbers that do not fit. Reports trees that are too deep and returns null for them.
ast::File* build_ast(grammar::MatchaParser::ProgramContext* tree, antlr4::CommonTokenStream& tokens, bool broken,
                     SourceText& source, Arena& arena, std::uint32_t& next_decl_id);

}  // namespace matcha::frontend::syntax
