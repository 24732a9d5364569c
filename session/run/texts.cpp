#include "session/run/texts.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <iterator>

namespace matcha::session {

std::string short_number(double value) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < std::size(kPrefixes)) {
    value /= 1000;
    ++prefix;
  }
  if (prefix == 0) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}{}", value, value < 10 ? 2 : value < 100 ? 1 : 0, kPrefixes[prefix]);
}

std::string short_time(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const double whole = std::round(seconds);
  if (whole < kMinute) return fmt::format("{:.0f} s", whole);
  if (whole < kHour) return fmt::format("{:.0f} min {:.0f} s", std::floor(whole / kMinute), std::fmod(whole, kMinute));
  return fmt::format("{:.0f} h {:.0f} min", std::floor(whole / kHour), std::floor(std::fmod(whole, kHour) / kMinute));
}

std::string precise_time(double milliseconds) {
  constexpr double kSecond = 999.5, kTenMinutes = 600;
  const double seconds = milliseconds / 1000;
  if (seconds >= kTenMinutes) return short_time(seconds);
  const bool long_enough = milliseconds >= kSecond;
  const double value = long_enough ? seconds : milliseconds;
  const int decimals = value < 0.9995 ? 3 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, long_enough ? "s" : "ms");
}

std::string stop_line(Status verdict) { return fmt::format("{} before there was a result", stopped_by(verdict)); }

}  // namespace matcha::session
