#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tools/console.h"

namespace matcha::tools {

/// One line on the terminal with a bar, the rate and the time left. It appears after half a second, so short work
/// shows none, and is wiped at the end. Does nothing unless the console may draw.
class Progress {
 public:
  /// `what` is a verb such as `loading`; `unit` is written after numbers: `B`, or empty.
  Progress(const Console& console, std::string what, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool enabled() const { return enabled_; }
  /// From any thread, but never from two at once.
  void update(std::uint64_t done, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;

  const Console& console_;
  std::string what_;
  std::string unit_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

/// The text of the bar, at most `width` columns. `seconds` have passed.
std::string progress_line(const std::string& what, const std::string& unit, std::uint64_t done, std::uint64_t total,
                          double seconds, unsigned width);

/// A number with a prefix: `950`, `12.3k`, `4.56M`.
std::string short_number(double value);
/// `850 ms`, `12 s`, `3 min 20 s`, `5 h 10 min`.
std::string short_time(double seconds);
/// Three digits: `0.377 ms`, `22.5 ms`, `1.92 s`; from ten minutes on as short_time.
std::string precise_time(double milliseconds);

}  // namespace matcha::tools
