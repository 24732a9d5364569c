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

/// Early ends of a command: Ctrl-C, SIGTERM and `--timeout`. The first signal asks for an orderly stop,
/// the second kills. Whatever the command is doing, it ends: unless it has ended by itself 50 ms after it was asked to,
/// a watchdog reports the stop, removes unfinished files and ends the process with its exit code; no destructor runs.
/// One session at a time; it restores the signal actions at its end.
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
  /// The watchdog calls it on its own thread.
  void set_report(std::function<void(Status verdict)> report) override;
  Status stop_early() override;
  /// All is reported; the rest may be cut off if it takes long. Gives the status back.
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

/// Ends the process with the exit code of a command whose threads still work in vain; no destructor runs.
[[noreturn]] void end_process(Status status);

/// Whether the session of this process, if there is one, has seen a signal.
bool signal_came();

}  // namespace matcha::tools
