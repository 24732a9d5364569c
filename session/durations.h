#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matcha::session {

/// The nanoseconds of a unit: `ns`, `us`, `ms`, `s`, `m`, `h`, `d` or `w`; nothing for other words.
std::optional<std::int64_t> ns_of_unit(std::string_view unit);
/// A duration such as `30d`, `90m` or `3600` (seconds) in seconds; nothing for other texts.
std::optional<std::int64_t> seconds_of(const std::string& text);
/// A duration such as `50ms` or `2s` in milliseconds; nothing for other texts.
std::optional<std::int64_t> milliseconds_of(const std::string& text);

/// The time that is `seconds` from now, at most 10⁹ s: that is longer than any run, and the clock overflows at about
/// 10¹⁰ s.
std::chrono::steady_clock::time_point time_after(double seconds);

}  // namespace matcha::session
