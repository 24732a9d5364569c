#pragma once

#include <string_view>

#include "ir/support/source.h"

namespace matcha::ir {

enum class TokenKind { End, Word, Value, Number, String, Punct, Bad };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;  ///< A String: the text between the quotes, escapes kept. A Value: the name without `%`.
  SourceLoc loc;
};

/// Cuts the text of the intermediate representation into tokens. `==`, `!=`, `<=` are one token each.
class Lexer {
 public:
  Lexer(std::string_view text, std::uint32_t file) : text_(text), file_(file) {}
  Token next();

 private:
  void skip_blanks();
  Token take(TokenKind kind, std::size_t length);

  std::string_view text_;
  std::uint32_t file_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
};

}  // namespace matcha::ir
