#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "tools/exit_codes.h"

namespace matcha::tools {

/// What can end a command before its end: Ctrl-C, SIGTERM and `--timeout`. The first signal asks for an orderly stop,
/// the second kills. One session at a time; it restores the signal actions at its end.
class Session {
 public:
  explicit Session(std::optional<double> timeout_seconds);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Not 0 once a signal came.
  const std::atomic<std::uint32_t>* stop_request() const;
  /// True once a signal came or the deadline passed.
  const std::atomic<bool>* cancel() const;
  std::optional<std::chrono::steady_clock::time_point> deadline() const { return deadline_; }

  /// Why to stop now: Ok, Timeout, Interrupted or Terminated.
  Status verdict() const;
  bool stopped() const { return verdict() != Status::Ok; }

  /// Runs `work`, which does not look at stops. If one is asked for and `work` has not ended 50 ms later, calls
  /// `report` on another thread, where it may read nothing that `work` writes, and ends the process with its exit code:
  /// no destructor runs, so `report` discards files that are half written.
  void run_unstoppable(const std::function<void()>& work, const std::function<Status()>& report) const;

 private:
  void watch();

  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread watchdog_;
};

/// `timeout`, `interrupt` or `terminate`, for people and JSON.
const char* stop_word(Status verdict);

}  // namespace matcha::tools
