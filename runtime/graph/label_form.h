#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace matcha::runtime {

/// The number that a label is: decimal digits, `-` before them or not. Leading zeros mean nothing: `07` is 7. Nothing:
/// it is a word, or a number beyond int64.
inline std::optional<std::int64_t> label_number(std::string_view label) {
  std::int64_t number = 0;
  const char* const end = label.data() + label.size();
  const std::from_chars_result read = std::from_chars(label.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

/// The label in its one form: `7` for `07`, and words as they are.
inline std::string label_form(std::string_view label) {
  const std::optional<std::int64_t> number = label_number(label);
  return number ? std::to_string(*number) : std::string(label);
}

}  // namespace matcha::runtime
