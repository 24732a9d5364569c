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
class Session {
 public:
  explicit Session(const Console& console, std::optional<double> timeout_seconds = std::nullopt);
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

  /// Late: all, but a step that looks at stops by itself and then has a partial result gets five seconds for it.
  enum class Stops : std::uint8_t { None, Signals, Late, All };
  /// Which stops the watchdog sees to from now on; All at the start. Does not return once it is ending the process.
  void watch(Stops stops);
  /// Reports a stop before there was a result, instead of `stop_line` as an error. The watchdog calls it too, on its
  /// own thread, so it reads nothing that the command writes from now on.
  void set_report(std::function<void(Status verdict)> report);
  /// Reports a stop before there was a result; the verdict.
  Status stop_early();
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

/// Whether the session of this process, if there is one, has seen a signal.
bool signal_came();

/// `stopped by a signal before there was a result`.
std::string stop_line(Status verdict);

}  // namespace matcha::tools
