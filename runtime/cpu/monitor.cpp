#include "runtime/cpu/monitor.h"

#include <algorithm>

namespace matcha::runtime {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLook{20};
constexpr std::chrono::milliseconds kReport{100};

}  // namespace

Monitor::Monitor(RegionState& state, const RegionLaunch& launch, const RunControl& control)
    : state_(state), launch_(launch), control_(control) {
  if (control.stop_request == nullptr && !control.deadline && !control.on_progress) return;
  look();
  thread_ = std::thread([this] { watch(); });
}

Monitor::~Monitor() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Monitor::look() {
  if (control_.stop_request != nullptr && control_.stop_request->load(std::memory_order_relaxed) != 0) {
    state_.stop(RegionEnd::StopRequested);
  }
  if (control_.deadline && Clock::now() >= *control_.deadline) state_.stop(RegionEnd::DeadlinePassed);
}

void Monitor::watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  Clock::time_point report = Clock::now() + kReport;
  while (!done_) {
    Clock::time_point next = Clock::now() + kLook;
    if (control_.deadline && *control_.deadline > Clock::now()) next = std::min(next, *control_.deadline);
    wake_.wait_until(lock, next);
    if (done_) return;
    look();
    if (control_.on_progress && Clock::now() >= report) {
      control_.on_progress(state_.positions_done(), launch_.positions);
      report += kReport;
    }
  }
}

}  // namespace matcha::runtime
