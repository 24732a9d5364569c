#include "tools/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "session/run/texts.h"

namespace matcha::tools {

namespace {

constexpr unsigned kBar = 24;

}  // namespace

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
    : console_(console), what_(std::move(what)), unit_(std::move(unit)) {
  constexpr std::chrono::milliseconds kPatience{500};
  next_ = start_ + kPatience;
}

Progress::~Progress() {
  if (drawn_) console_.write("\r\033[K");
}

void Progress::update(std::uint64_t done, std::uint64_t total) {
  const Clock::time_point now = Clock::now();
  if (now < next_ || total == 0) return;
  constexpr std::chrono::milliseconds kPause{100};
  next_ = now + kPause;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  console_.write("\r" + progress_line(what_, unit_, done, total, seconds, terminal_width(STDERR_FILENO)) + "\033[K");
}

}  // namespace matcha::tools
