#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "tools/console.h"

namespace matcha::tools {

/// Early ends of a command: Ctrl-C, SIGTERM and `--timeout`. The first signal requests an orderly stop, the second
/// kills the process. If the command has not ended 50 ms after the request, a watchdog ends it: it reports the stop,
/// removes unfinished files and ends the process with the exit code of the stop; no destructor runs. There is one
/// session at a time; its destructor restores the signal actions.
class Session final : public StopControl {
 public:
  explicit Session(const Console& console, std::optional<double> timeout_seconds = std::nullopt);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::atomic<std::uint32_t>* stop_request() const override;
  const std::atomic<bool>* cancel() const override;
  std::optional<std::chrono::steady_clock::time_point> deadline() const override { return deadline_; }
  Status verdict() const override;
  /// Does not return once the watchdog is ending the process.
  void watch(Stops stops) override;
  /// Sets the function that reports a stop. The watchdog calls it on its own thread.
  void set_report(std::function<void(Status verdict)> report) override;
  Status stop_early() override;
  /// Tells the watchdog that the answer is written, so that it may end the process if cleaning up takes long. Returns
  /// `status`.
  Status leave(Status status);

 private:
  using Clock = std::chrono::steady_clock;

  void run_watchdog();
  void wake() const;
  void report(Status verdict) const;

  const Console& console_;
  std::optional<Clock::time_point> deadline_;
  std::mutex mutex_;
  Stops stops_ = Stops::All;
  bool changed_ = false;  ///< `stops_` is new, and time counts from now.
  bool done_ = false;
  std::function<void(Status)> report_;
  std::optional<Status> reported_;
  std::thread watchdog_;
};

/// Ends the process with the exit code of `status`, also if threads still work; no destructor runs.
[[noreturn]] void end_process(Status status);

/// True if the session of this process, if there is one, has received a signal.
bool signal_received();

}  // namespace matcha::tools
