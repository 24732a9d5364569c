#include "frontend/parse.h"

#include <MatchaParser.h>

#include "frontend/syntax/build_ast.h"
#include "frontend/syntax/errors.h"
#include "frontend/syntax/tokens.h"

namespace matcha::frontend {
namespace {

using grammar::MatchaParser;

/// Parses with SLL prediction first, which decides every correct program quickly. A text that fails is parsed again
/// with full LL prediction, which also gives the error messages.
MatchaParser::ProgramContext* parse_tree(MatchaParser& parser, antlr4::CommonTokenStream& stream,
                                         syntax::SourceText& source) {
  antlr4::atn::ParserATNSimulator* simulator = parser.getInterpreter<antlr4::atn::ParserATNSimulator>();
  parser.removeErrorListeners();
  simulator->setPredictionMode(antlr4::atn::PredictionMode::SLL);
  parser.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
  try {
    return parser.program();
  } catch (const antlr4::ParseCancellationException&) {
    stream.seek(0);
    parser.reset();
    simulator->setPredictionMode(antlr4::atn::PredictionMode::LL);
    parser.setErrorHandler(std::make_shared<syntax::SyntaxErrors>(source));
    return parser.program();
  }
}

}  // namespace

ast::File* parse_file(std::uint32_t file, Arena& arena, std::uint32_t& next_decl_id, Diagnostics& diagnostics) {
  std::string_view text = diagnostics.sources().text(file);
  std::size_t errors_before = diagnostics.error_count();
  syntax::SourceText source{file, text, syntax::LineIndex(file, text), diagnostics, {}, {}};
  syntax::Tokens tokens = syntax::tokenize(source);
  if (!tokens.parsable) return nullptr;
  antlr4::ListTokenSource token_source(std::move(tokens.tokens));
  antlr4::CommonTokenStream stream(&token_source);
  MatchaParser parser(&stream);
  MatchaParser::ProgramContext* tree = parse_tree(parser, stream, source);
  bool failed = diagnostics.error_count() != errors_before || parser.getNumberOfSyntaxErrors() != 0;
  return syntax::build_ast(tree, stream, failed, source, arena, next_decl_id);
}

}  // namespace matcha::frontend
