#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

/// Options that take numbers, as people write them. CLI11 itself takes `010` for 8, and `-1` or what has more than 64
/// bits for the largest number there is.
namespace matcha::tools {

/// Takes whole numbers from `least` to `most` in decimal.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);

/// The type of the values of an option that may be left out.
template <typename Number>
struct NumberOf {
  using Type = Number;
};
template <typename Number>
struct NumberOf<std::optional<Number>> {
  using Type = Number;
};

/// An option with a whole number from `least` to `most`, shown as N.
template <typename Number>
CLI::Option* add_number(CLI::App& verb, const std::string& name, Number& number, const std::string& text,
                        std::uint64_t least = 0,
                        std::uint64_t most = std::numeric_limits<typename NumberOf<Number>::Type>::max()) {
  return verb.add_option(name, number, text)->transform(whole_number(least, most))->type_name("N");
}

/// An option with a number of bytes, at least 1: digits, and K, M, G or T for powers of 1024.
CLI::Option* add_bytes(CLI::App& verb, const std::string& name, std::uint64_t& bytes, const std::string& text);

/// `--timeout SECONDS`: a number from 0 on.
CLI::Option* add_timeout(CLI::App& verb, std::optional<double>& seconds, const std::string& text);

}  // namespace matcha::tools
