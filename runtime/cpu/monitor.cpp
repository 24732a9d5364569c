#include "runtime/cpu/monitor.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace matcha::runtime {
namespace {

constexpr std::chrono::milliseconds kLook{20};
constexpr std::chrono::milliseconds kReport{100};

}  // namespace

/// The thread that monitors all regions. It lives as long as the process and sleeps while there are none.
class Watcher {
 public:
  static Watcher& instance() {
    static Watcher* const watcher = new Watcher;
    return *watcher;
  }

  void add(Monitor* monitor) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      monitors_.push_back(monitor);
    }
    wake_.notify_one();
  }

  /// Returns when the thread no longer uses `monitor`.
  void remove(Monitor* monitor) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::erase(monitors_, monitor);
  }

 private:
  Watcher() {
    std::thread([this] { watch(); }).detach();
  }

  void watch() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return !monitors_.empty(); });
      Monitor::Clock::time_point next = Monitor::Clock::time_point::max();
      const Monitor::Clock::time_point now = Monitor::Clock::now();
      for (const Monitor* monitor : monitors_) next = std::min(next, monitor->next_poll(now));
      wake_.wait_until(lock, next);
      for (Monitor* monitor : monitors_) {
        monitor->poll();
        monitor->report();
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Monitor*> monitors_;
};

Monitor::Monitor(RegionState& state, const RunControl& control)
    : state_(state), control_(control), report_at_(Clock::now() + kLook) {
  if (control.stop_request == nullptr && !control.deadline && !control.on_progress) return;
  poll();
  Watcher::instance().add(this);
  watched_ = true;
}

Monitor::~Monitor() {
  if (watched_) Watcher::instance().remove(this);
}

void Monitor::poll() {
  if (control_.stop_request != nullptr && control_.stop_request->load(std::memory_order_relaxed) != 0) {
    state_.stop(RegionEnd::StopRequested);
  }
  if (control_.deadline && Clock::now() >= *control_.deadline) state_.stop(RegionEnd::DeadlinePassed);
}

void Monitor::report() {
  if (!control_.on_progress || Clock::now() < report_at_) return;
  control_.on_progress(state_.work_done(), state_.work_total());
  report_at_ += kReport;
}

Monitor::Clock::time_point Monitor::next_poll(Clock::time_point now) const {
  const Clock::time_point next = now + kLook;
  return control_.deadline && *control_.deadline > now ? std::min(next, *control_.deadline) : next;
}

void start_watching() { Watcher::instance(); }

}  // namespace matcha::runtime
