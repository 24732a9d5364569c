#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

/// Options that take numbers. CLI11 itself takes `010` for 8, and `-1` or a number of more than
/// 64 bits for the largest number there is.
namespace matcha::tools {

/// Takes whole numbers from `least` to `most` in decimal.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);
/// Takes a number of bytes, at least 1: digits, and K, M, G or T for powers of 1024. Gives the digits of bytes.
CLI::Validator byte_count();
/// Takes a number of seconds from 0 on.
CLI::Validator seconds();

/// The type of the values of an option that may be left out.
template <typename Number>
struct NumberOf {
  using Type = Number;
};
template <typename Number>
struct NumberOf<std::optional<Number>> {
  using Type = Number;
};

/// `put` gets the number; `now` is its value without the option, for `capture_default_str`.
CLI::Option* add_whole_number(CLI::App& verb, const std::string& name, std::function<void(std::uint64_t)> put,
                              std::function<std::string()> now, const std::string& text, std::uint64_t least,
                              std::uint64_t most);

/// An option with a whole number from `least` to `most`, shown as N.
template <typename Number>
CLI::Option* add_number(CLI::App& verb, const std::string& name, Number& number, const std::string& text,
                        std::uint64_t least = 0,
                        std::uint64_t most = std::numeric_limits<typename NumberOf<Number>::Type>::max()) {
  using Type = typename NumberOf<Number>::Type;
  const auto put = [&number](std::uint64_t given) { number = static_cast<Type>(given); };
  const auto now = [&number] { return std::to_string(std::optional<Type>(number).value_or(0)); };
  return add_whole_number(verb, name, put, now, text, least, most);
}

/// An option with a number of bytes.
CLI::Option* add_bytes(CLI::App& verb, const std::string& name, std::uint64_t& bytes, const std::string& text);

}  // namespace matcha::tools
