#include "frontend/syntax/encoding.h"

#include "frontend/syntax/tokens.h"
#include "ir/support/utf8.h"

namespace matcha::frontend::syntax {
namespace {

constexpr char kPlaceholder = '\x1a';

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

std::string hex_byte(unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

bool looks_like_utf16(std::string_view text) {
  if (text.size() < 2) return false;
  unsigned char a = byte_at(text, 0);
  unsigned char b = byte_at(text, 1);
  return (a == 0xFF && b == 0xFE) || (a == 0xFE && b == 0xFF) || (a == 0 && b != 0) || (a != 0 && b == 0);
}

}  // namespace

std::optional<std::string> one_byte_a_character(SourceText& source) {
  std::string_view text = source.text;
  if (looks_like_utf16(text)) {
    source.diagnostics.error(DiagId::Encoding, source.lines.loc(0, 1), "the file is UTF-16 or binary, not UTF-8",
                             "save it as UTF-8");
    return std::nullopt;
  }
  std::string plain(text);
  std::size_t at = 0;
  if (text.substr(0, 3) == kByteOrderMark) {
    plain.replace(0, 3, "   ");
    at = 3;
  }
  while (at < text.size()) {
    std::size_t size = character_size(text.substr(at));
    if (size == 0) {
      source.diagnostics.error(DiagId::Encoding, source.lines.loc(at, at + 1),
                               "the byte " + hex_byte(byte_at(text, at)) + " is not UTF-8", "save the file as UTF-8");
      return std::nullopt;
    }
    if (text[at] == '\0') {
      source.diagnostics.error(DiagId::Encoding, source.lines.loc(at, at + 1), "a NUL byte in the program",
                               "is this a binary file?");
      return std::nullopt;
    }
    if (size > 1) plain.replace(at, size, size, kPlaceholder);
    at += size;
  }
  return plain;
}

std::string_view character_at(std::string_view text, std::size_t at) {
  std::size_t size = character_size(text.substr(at));
  return text.substr(at, size == 0 ? 1 : size);
}

}  // namespace matcha::frontend::syntax
