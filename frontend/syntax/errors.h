#pragma once

#include <antlr4-runtime.h>

#include "frontend/syntax/tokens.h"

namespace matcha::frontend::syntax {

/// Words the parser's errors in our own terms, at most one a logical line, and recovers as ANTLR does.
class SyntaxErrors : public antlr4::DefaultErrorStrategy {
 public:
  explicit SyntaxErrors(SourceText& source) : source_(source) {}

 protected:
  void reportNoViableAlternative(antlr4::Parser* parser, const antlr4::NoViableAltException& error) override;
  void reportInputMismatch(antlr4::Parser* parser, const antlr4::InputMismatchException& error) override;
  void reportUnwantedToken(antlr4::Parser* parser) override;
  void reportMissingToken(antlr4::Parser* parser) override;
  /// ANTLR asks the token's source for a place, which our tokens do not have; the tree of a wrong program is not read.
  antlr4::Token* getMissingSymbol(antlr4::Parser* parser) override { return parser->getCurrentToken(); }

 private:
  void report(antlr4::Parser* parser, const antlr4::Token* seen);

  SourceText& source_;
};

}  // namespace matcha::frontend::syntax
