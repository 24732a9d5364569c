#include "session/durations.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace matcha::session {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// A number with a unit of at least `ns` nanoseconds, in such steps; nothing for other texts, and for numbers that are
/// too large. `plain`: the unit of a number without one.
std::optional<std::int64_t> time_of(std::string_view text, std::string_view plain, std::int64_t ns) {
  std::int64_t number = 0, time = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || number < 0) return std::nullopt;
  const std::string_view unit(read.ptr, static_cast<std::size_t>(end - read.ptr));
  const std::optional<std::int64_t> of_unit = ns_of_unit(unit.empty() ? plain : unit);
  if (!of_unit || *of_unit < ns || __builtin_mul_overflow(number, *of_unit / ns, &time)) return std::nullopt;
  return time;
}

}  // namespace

std::optional<std::int64_t> ns_of_unit(std::string_view unit) {
  constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
      {"ns", 1},           {"us", 1'000},          {"ms", 1'000'000},       {"s", kSecond},
      {"m", 60 * kSecond}, {"h", 3'600 * kSecond}, {"d", 86'400 * kSecond}, {"w", 604'800 * kSecond}};
  for (const auto& [name, ns] : kUnits) {
    if (name == unit) return ns;
  }
  return std::nullopt;
}

std::optional<std::int64_t> seconds_of(const std::string& text) { return time_of(text, "s", kSecond); }

std::optional<std::int64_t> milliseconds_of(const std::string& text) { return time_of(text, "", kSecond / 1000); }

std::chrono::steady_clock::time_point time_after(double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr double kMost = 1e9;
  const std::chrono::duration<double> length(std::min(seconds, kMost));
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(length);
}

}  // namespace matcha::session
