#pragma once

#include <chrono>

#include "runtime/cpu/region_state.h"

namespace matcha::runtime {

/// Has a region's stop request and deadline watched and its progress reported while it lives, unless the control asks
/// for nothing of that. One thread watches all regions of the process: making and joining a thread would take longer
/// than a small region.
class Monitor {
 public:
  Monitor(RegionState& state, const RunControl& control);
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor();

 private:
  friend class Watcher;
  using Clock = std::chrono::steady_clock;

  void look();
  void report();
  /// When to look next, after `now`.
  Clock::time_point next_look(Clock::time_point now) const;

  RegionState& state_;
  const RunControl& control_;
  Clock::time_point report_at_;
  bool watched_ = false;
};

}  // namespace matcha::runtime
