#pragma once

#include <chrono>

#include "runtime/cpu/region_state.h"

namespace matcha::runtime {

/// Watches a region's stop request and deadline and reports its progress while it lives, if the control asks for any of
/// these. One thread watches all regions of the process: starting and joining a thread takes longer than a small
/// region.
class Monitor {
 public:
  Monitor(RegionState& state, const RunControl& control);
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor();

 private:
  friend class Watcher;
  using Clock = std::chrono::steady_clock;

  void poll();
  void report();
  /// The time of the next check, after `now`.
  Clock::time_point next_poll(Clock::time_point now) const;

  RegionState& state_;
  const RunControl& control_;
  Clock::time_point report_at_;
  bool watched_ = false;
};

}  // namespace matcha::runtime
