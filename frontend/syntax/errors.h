#pragma once

#include <antlr4-runtime.h>

#include "frontend/syntax/tokens.h"

namespace matcha::frontend::syntax {

/// Reports the parser's errors in our own words, at most one for each logical line, and continues with the next line.
class SyntaxErrors : public antlr4::DefaultErrorStrategy {
 public:
  explicit SyntaxErrors(SourceText& source) : source_(source) {}

  /// Skips the rest of the line: inside an expression up to its end, in a statement beyond it. After an error in the
  /// header of a function, its block is still parsed.
  void recover(antlr4::Parser* parser, std::exception_ptr error) override;
  /// Between the imports and functions of a file: skips all other lines, each with its error.
  void sync(antlr4::Parser* parser) override;

 protected:
  void reportNoViableAlternative(antlr4::Parser* parser, const antlr4::NoViableAltException& error) override;
  void reportInputMismatch(antlr4::Parser* parser, const antlr4::InputMismatchException& error) override;
  void reportUnwantedToken(antlr4::Parser* parser) override;
  void reportMissingToken(antlr4::Parser* parser) override;
  /// Never assumes that the end of a line or a block is a superfluous token.
  antlr4::Token* singleTokenDeletion(antlr4::Parser* parser) override;
  /// ANTLR asks the token's source for a place, which our tokens do not have; the tree of a wrong program is not read.
  antlr4::Token* getMissingSymbol(antlr4::Parser* parser) override { return parser->getCurrentToken(); }

 private:
  void report(antlr4::Parser* parser, const antlr4::Token* seen);
  void skip_block(antlr4::Parser* parser);

  SourceText& source_;
};

}  // namespace matcha::frontend::syntax
