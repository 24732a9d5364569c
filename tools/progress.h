#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tools/console.h"

namespace matcha::tools {

/// One line on the terminal with a bar, the rate and the time left. It appears after half a second, so short work
/// shows none, and is wiped at the end.
class Progress final : public ProgressBar {
 public:
  /// `what` is a verb such as `loading`; `unit` is written after numbers: `B`, or empty.
  Progress(const Console& console, std::string what, std::string unit);
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done, std::uint64_t total) override;

 private:
  using Clock = std::chrono::steady_clock;

  const Console& console_;
  std::string what_;
  std::string unit_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

/// The text of the bar, at most `width` columns. `seconds` have passed.
std::string progress_line(const std::string& what, const std::string& unit, std::uint64_t done, std::uint64_t total,
                          double seconds, unsigned width);

}  // namespace matcha::tools
