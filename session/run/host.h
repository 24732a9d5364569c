#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "session/reporter.h"
#include "session/status.h"

/// The services that a run needs from the process that it is a part of: the command line, or another program.
namespace matcha::session {

/// A progress bar, shown while the object lives.
class ProgressBar {
 public:
  virtual ~ProgressBar() = default;
  /// From any thread, but never from two at once.
  virtual void update(std::uint64_t done, std::uint64_t total) = 0;
};

/// Takes the messages of a run.
class RunReporter : public Reporter {
 public:
  /// True if messages are JSON: nothing else may stand among them.
  virtual bool json() const = 0;
  /// `verb`: such as `loading`. `unit`: written after numbers; may be empty. Null: no bar is shown.
  virtual std::unique_ptr<ProgressBar> progress(std::string verb, std::string unit) const = 0;
};

/// Early ends of a run: by a signal or a time limit.
class StopControl {
 public:
  virtual ~StopControl() = default;
  /// A number that is not 0 after a signal.
  virtual const std::atomic<std::uint32_t>* stop_request() const = 0;
  /// A flag that is true after a signal or the deadline.
  virtual const std::atomic<bool>* cancel() const = 0;
  virtual std::optional<std::chrono::steady_clock::time_point> deadline() const = 0;
  /// The reason to stop now: Timeout, Interrupted or Terminated; Ok: none.
  virtual Status verdict() const = 0;
  bool stopped() const { return verdict() != Status::Ok; }

  /// Late: all, but a step that tests for stops itself, and then has a partial result, gets five seconds for it.
  enum class Stops : std::uint8_t { None, Signals, Late, All };
  /// Sets the stops after which the process is ended if the run does not end by itself; All at the start.
  virtual void watch(Stops stops) = 0;
  /// Sets the function that reports a stop before there is a result; by default `stop_line` is an error. It may be
  /// called on another thread, so it must not read data that the run still writes.
  virtual void set_report(std::function<void(Status verdict)> report) = 0;
  /// Reports a stop before there is a result. Returns the verdict.
  virtual Status stop_early() = 0;
};

}  // namespace matcha::session
