#pragma once

#include <string>

#include "session/status.h"

/// Numbers, times and stops in words.
namespace matcha::session {

/// A number with a prefix: `950`, `12.3k`, `4.56M`.
std::string short_number(double value);
/// `850 ms`, `12 s`, `3 min 20 s`, `5 h 10 min`.
std::string short_time(double seconds);
/// Three digits: `0.377 ms`, `22.5 ms`, `1.92 s`; from ten minutes on as short_time.
std::string precise_time(double milliseconds);
/// `stopped by a signal before there was a result`.
std::string stop_line(Status verdict);

}  // namespace matcha::session
