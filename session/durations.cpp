#include "session/durations.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace matcha::session {

namespace {

/// A number with one of the units; nothing for other texts, and for numbers that are too large.
std::optional<std::int64_t> time_of(const std::string& text,
                                    std::initializer_list<std::pair<std::string_view, std::int64_t>> units) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || number < 0) return std::nullopt;
  const std::string_view unit(read.ptr, static_cast<std::size_t>(end - read.ptr));
  for (const auto& [name, factor] : units) {
    std::int64_t time = 0;
    if (name == unit && !__builtin_mul_overflow(number, factor, &time)) return time;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> seconds_of(const std::string& text) {
  return time_of(text, {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}});
}

std::optional<std::int64_t> milliseconds_of(const std::string& text) {
  return time_of(text, {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}});
}

std::chrono::steady_clock::time_point time_after(double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr double kMost = 1e9;
  const std::chrono::duration<double> length(std::min(seconds, kMost));
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(length);
}

}  // namespace matcha::session
