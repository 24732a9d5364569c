#include "tools/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace matcha::tools {

namespace {

constexpr unsigned kBar = 24;

}  // namespace

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

std::string progress_line(const std::string& what, const std::string& unit, std::uint64_t done, std::uint64_t total,
                          double seconds, unsigned width) {
  done = std::min(done, total);
  const double part = total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total);
  const unsigned filled = static_cast<unsigned>(part * kBar);
  std::string bar(filled, '=');
  if (filled < kBar) bar += '>';
  bar.resize(kBar, ' ');
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string line = fmt::format("{} [{}] {:3.0f}%  {}{}/{}{}  {}{}/s", what, bar, std::floor(part * 100),
                                 short_number(static_cast<double>(done)), unit,
                                 short_number(static_cast<double>(total)), unit, short_number(rate), unit);
  if (done > 0 && done < total) line += fmt::format("  {} left", short_time(seconds * (1 - part) / part));
  if (line.size() >= width) line.resize(width - 1);
  return line;
}

Progress::Progress(const Console& console, std::string what, std::string unit)
    : console_(console), what_(std::move(what)), unit_(std::move(unit)), enabled_(console.progress()) {
  constexpr std::chrono::milliseconds kPatience{500};
  next_ = start_ + kPatience;
}

Progress::~Progress() {
  if (drawn_) console_.write("\r\033[K");
}

void Progress::update(std::uint64_t done, std::uint64_t total) {
  const Clock::time_point now = Clock::now();
  if (!enabled_ || now < next_ || total == 0) return;
  constexpr std::chrono::milliseconds kPause{100};
  next_ = now + kPause;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  console_.write("\r" + progress_line(what_, unit_, done, total, seconds, terminal_width()) + "\033[K");
}

}  // namespace matcha::tools
