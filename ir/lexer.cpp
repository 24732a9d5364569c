#include "ir/lexer.h"

namespace matcha::ir {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_word_start(c) || is_digit(c); }

}  // namespace

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    char c = text_[at_];
    if (c == '\n') {
      ++line_;
      line_start_ = at_ + 1;
    } else if (c == '#') {
      while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
    ++at_;
  }
}

Token Lexer::take(TokenKind kind, std::size_t length) {
  SourceLoc loc{file_, line_, static_cast<std::uint32_t>(at_ - line_start_ + 1), static_cast<std::uint32_t>(length)};
  Token token{kind, text_.substr(at_, length), loc};
  at_ += length;
  return token;
}

Token Lexer::next() {
  skip_blanks();
  if (at_ >= text_.size()) return take(TokenKind::End, 0);
  std::string_view rest = text_.substr(at_);
  std::size_t length = 1;
  if (is_word_start(rest[0])) {
    while (length < rest.size() && is_word(rest[length])) ++length;
    return take(TokenKind::Word, length);
  }
  if (rest[0] == '%' && rest.size() > 1 && is_word(rest[1])) {
    while (length < rest.size() && (is_word(rest[length]) || rest[length] == '.')) ++length;
    Token token = take(TokenKind::Value, length);
    token.text.remove_prefix(1);
    return token;
  }
  bool negative = rest[0] == '-' && rest.size() > 1 && (is_digit(rest[1]) || rest.substr(1, 3) == "inf");
  if (is_digit(rest[0]) || negative) {
    while (length < rest.size()) {
      bool exponent_sign = (rest[length] == '+' || rest[length] == '-') && (rest[length - 1] == 'e');
      if (!is_word(rest[length]) && rest[length] != '.' && !exponent_sign) break;
      ++length;
    }
    return take(TokenKind::Number, length);
  }
  if (rest[0] == '"') {
    while (length < rest.size() && rest[length] != '"' && rest[length] != '\n') {
      bool escape = rest[length] == '\\' && length + 1 < rest.size() && rest[length + 1] != '\n';
      length += escape ? 2 : 1;
    }
    if (length >= rest.size() || rest[length] != '"') return take(TokenKind::Bad, 1);
    Token token = take(TokenKind::String, length + 1);
    token.text = token.text.substr(1, length - 1);
    return token;
  }
  if (rest.size() > 1 && rest[1] == '=' && (rest[0] == '=' || rest[0] == '!' || rest[0] == '<')) {
    return take(TokenKind::Punct, 2);
  }
  constexpr std::string_view kPunct = "(){}[]<>,:;=+-*/%";
  return take(kPunct.find(rest[0]) != std::string_view::npos ? TokenKind::Punct : TokenKind::Bad, 1);
}

}  // namespace matcha::ir
