#include "tools/numbers.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace matcha::tools {

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto read = [least, most](std::string& text) -> std::string {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) {
      return fmt::format("`{}` is no whole number", text);
    }
    std::uint64_t number = 0;
    const std::from_chars_result end = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end.ec != std::errc() || number < least || number > most) {
      return fmt::format("{} is not between {} and {}", text, least, most);
    }
    text = std::to_string(number);
    return {};
  };
  return CLI::Validator(read, "");
}

CLI::Validator byte_count() {
  const auto read = [](std::string& given) -> std::string {
    std::uint64_t number = 0;
    const char* const end = given.data() + given.size();
    const std::from_chars_result digits = std::from_chars(given.data(), end, number);
    const std::string_view unit(digits.ptr, static_cast<std::size_t>(end - digits.ptr));
    const std::size_t power = unit.empty() ? 0 : std::string_view("KMGT").find(unit) + 1;
    const bool fits = power <= 4 && number <= std::numeric_limits<std::uint64_t>::max() >> (10 * power);
    if (digits.ec != std::errc() || unit.size() > 1 || unit.empty() != (power == 0) || !fits || number == 0) {
      return fmt::format("`{}` is no number of bytes, such as 800M or 2G", given);
    }
    given = std::to_string(number << (10 * power));
    return {};
  };
  return CLI::Validator(read, "");
}

CLI::Validator seconds() {
  const auto check = [](std::string& given) -> std::string {
    double number = 0;
    const char* const end = given.data() + given.size();
    const std::from_chars_result read = std::from_chars(given.data(), end, number);
    const bool is_number = read.ec == std::errc() && read.ptr == end && std::isfinite(number) && number >= 0;
    return is_number ? std::string() : fmt::format("`{}` is no number of seconds", given);
  };
  return CLI::Validator(check, "");
}

CLI::Option* add_whole_number(CLI::App& verb, const std::string& name, std::function<void(std::uint64_t)> put,
                              std::function<std::string()> now, const std::string& text, std::uint64_t least,
                              std::uint64_t most) {
  CLI::Option* const option = verb.add_option_function<std::uint64_t>(name, std::move(put), text);
  option->default_function(std::move(now));
  return option->transform(whole_number(least, most))->type_name("N");
}

CLI::Option* add_bytes(CLI::App& verb, const std::string& name, std::uint64_t& bytes, const std::string& text) {
  return verb.add_option(name, bytes, text)->transform(byte_count())->type_name("BYTES");
}

}  // namespace matcha::tools
