#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace matcha::session {

/// Nanoseconds of a unit: `ns`, `us`, `ms`, `s`, `m`, `h`, `d` or `w`; nothing for other words.
std::optional<std::int64_t> ns_of_unit(std::string_view unit);
/// A time such as `30d`, `90m` or `3600` in seconds, the unit of the times of updates; nothing for other texts.
std::optional<std::int64_t> seconds_of(const std::string& text);
/// A time such as `50ms` or `2s` in milliseconds; nothing for other texts.
std::optional<std::int64_t> milliseconds_of(const std::string& text);

/// The time so many seconds from now. More than 10⁹, which is far beyond any run, are as many: a clock holds no more
/// than some 10¹⁰.
std::chrono::steady_clock::time_point time_after(double seconds);

}  // namespace matcha::session
