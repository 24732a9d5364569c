#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "ir/support/source.h"

/// The characters of a pattern's text, and its words with their places.
namespace matcha::pattern {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_space(char c) { return is_blank(c) || c == '\n' || c == '\r'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
inline bool is_word(char c) { return is_digit(c) || is_letter(c) || c == '.'; }

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Walks through the text of a file once.
class Scanner {
 public:
  /// `text`: all of `file`.
  Scanner(std::string_view text, std::uint32_t file) : text_(text), file_(file) {}

  bool done() const { return at_ >= text_.size(); }
  /// The next character, or the one `ahead` of it; 0 behind the end.
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  char take() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++line_;
      line_start_ = at_;
    }
    return c;
  }
  void skip_blanks() {
    while (is_blank(peek())) take();
  }
  /// Skips white space, and comments up to the end of their line.
  void skip_space() {
    while (!done() && (is_space(peek()) || peek() == '#')) {
      if (peek() == '#') {
        while (!done() && peek() != '\n') take();
      } else {
        take();
      }
    }
  }
  template <typename Accepts>
  std::string_view take_while(Accepts accepts) {
    const std::size_t begin = at_;
    while (!done() && accepts(peek())) take();
    return text_.substr(begin, at_ - begin);
  }
  std::size_t position() const { return at_; }
  /// The same place of a text that ends at `end`.
  Scanner until(std::size_t end) const {
    Scanner part = *this;
    part.text_ = text_.substr(0, end);
    return part;
  }
  std::string_view text_since(std::size_t begin) const { return text_.substr(begin, at_ - begin); }
  /// The place from `begin`, a position in the same line, up to here; at least one byte.
  SourceLoc since(std::size_t begin) const {
    const std::size_t from = std::max(begin, line_start_);
    return {file_, line_, static_cast<std::uint32_t>(from - line_start_ + 1),
            static_cast<std::uint32_t>(std::max<std::size_t>(at_ - from, 1))};
  }

 private:
  std::string_view text_;
  std::uint32_t file_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace matcha::pattern
