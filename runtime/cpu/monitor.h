#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "runtime/cpu/region_state.h"

namespace matcha::runtime {

/// A thread that watches the stop request and the deadline of a region and reports its progress; none is started when
/// the control asks for nothing of that.
class Monitor {
 public:
  Monitor(RegionState& state, const RegionLaunch& launch, const RunControl& control);
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor();

 private:
  void watch();
  void look();

  RegionState& state_;
  const RegionLaunch& launch_;
  const RunControl& control_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace matcha::runtime
