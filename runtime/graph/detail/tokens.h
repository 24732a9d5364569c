#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "runtime/graph/detail/source.h"

/// Reading one line of text. Cursors need no end pointer: every line ends with a newline, where all loops stop.
namespace matcha::runtime::detail {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
inline bool ends_token(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\n' || c == '\r'; }

inline const char* skip_blanks(const char* p) {
  while (is_blank(*p)) ++p;
  return p;
}

inline const char* skip_token(const char* p) {
  while (!ends_token(*p)) ++p;
  return p;
}

/// Past the separator after a token: blanks with at most one comma among them.
inline const char* skip_separator(const char* p) {
  p = skip_blanks(p);
  return *p == ',' ? skip_blanks(p + 1) : p;
}

inline std::string_view token_at(const char* p) {
  return std::string_view(p, static_cast<std::size_t>(skip_token(p) - p));
}

inline bool is_number_start(char c) { return (c >= '0' && c <= '9') || c == '-'; }

/// True for `#`, `%` and `//`. Requires: blanks are skipped.
inline bool starts_comment(const char* p) { return *p == '#' || *p == '%' || (*p == '/' && p[1] == '/'); }

/// The name of an id in messages.
inline constexpr std::string_view kIdWords = "a vertex id";

enum class NumberState { Ok, NotANumber, TooLarge };

/// A decimal int64 token at `p`; moves `p` past it when Ok.
inline NumberState parse_int(const char*& p, std::int64_t& out) {
  const char* at = p;
  const bool negative = *at == '-';
  at += negative ? 1 : 0;
  const char* const first = at;
  std::uint64_t value = 0;
  unsigned digit = static_cast<unsigned>(*at) - '0';
  while (digit <= 9) {
    value = value * 10 + digit;
    digit = static_cast<unsigned>(*++at) - '0';
  }
  if (at == first || !ends_token(*at)) return NumberState::NotANumber;
  constexpr int kSafeDigits = 18;
  if (at - first > kSafeDigits) {
    const std::from_chars_result slow = std::from_chars(p, at, out);
    if (slow.ec != std::errc()) return NumberState::TooLarge;
    p = at;
    return NumberState::Ok;
  }
  out = negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
  p = at;
  return NumberState::Ok;
}

/// A decimal double token at `p`; moves `p` past it when Ok.
inline NumberState parse_float(const char*& p, double& out) {
  const char* const end = skip_token(p);
  const std::from_chars_result result = std::from_chars(p, end, out);
  if (result.ec == std::errc::result_out_of_range) return NumberState::TooLarge;
  if (result.ec != std::errc() || result.ptr != end) return NumberState::NotANumber;
  p = end;
  return NumberState::Ok;
}

/// A number with a fraction of zeros, such as `1.0`, without the fraction; any other token as it is.
std::string_view without_zero_fraction(std::string_view token);

/// True if the cell looks like a number, including numbers that no column may hold.
bool is_meant_as_number(std::string_view cell);

/// Its letters of ASCII in lower case.
std::string lower_case(std::string_view text);

/// True if the whole token is a uint64.
inline bool is_unsigned(std::string_view token) {
  std::uint64_t ignored = 0;
  const std::from_chars_result read = std::from_chars(token.data(), token.data() + token.size(), ignored);
  return read.ec == std::errc() && read.ptr == token.data() + token.size();
}

/// A failure at a line of a chunk, counted from 0.
struct LineError {
  std::uint64_t line = 0;
  std::string message;
  std::string hint;
};

/// Describes a token that is not a number. `what` names the expected value: "a vertex id".
LineError bad_number(const char* token, std::string_view what, NumberState state);

/// True when the line from `begin` to its newline holds a carriage return that does not end it.
bool has_lone_return(const char* begin, const char* newline);
LineError lone_return();

}  // namespace matcha::runtime::detail
