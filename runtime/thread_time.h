#pragma once

#include <ctime>

namespace matcha::runtime {

/// The CPU time of this thread, in milliseconds: time of other threads on its processor is not counted.
inline double thread_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

}  // namespace matcha::runtime
