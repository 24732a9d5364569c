#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

/// Work that its caller may leave behind.
namespace matcha::api {

using Clock = std::chrono::steady_clock;

/// Runs the work on a thread that does nothing else meanwhile. The end of the process cancels tasks and waits for all
/// of it, as static objects are gone afterwards.
void in_background(std::function<void()> work);

/// Runs the work on the one thread that reads programs and patterns, and waits for it: nauty, which finds symmetries of
/// patterns, mixes up the memory of several threads even when they take turns.
void on_reading_thread(const std::function<void()>& work);

/// True in a child of the process that has begun background work: its threads are not there.
bool after_fork();

/// A request to end calls, from any thread.
struct Canceller {
  std::atomic<bool> requested = false;
};

/// Work in the background, and whoever waits for it. Work that does not end soon after it was asked to is left behind:
/// it goes on to its end, and nobody gets what it finds.
class Task {
 public:
  enum class End { Done, Cancelled, TimedOut };

  /// Ends when the canceller, if there is one, asks for it, or at the deadline.
  explicit Task(std::optional<Clock::time_point> deadline, std::shared_ptr<const Canceller> maybe_canceller = nullptr)
      : deadline_(deadline), maybe_canceller_(std::move(maybe_canceller)) {}

  /// Called once. The work owns all that it touches, or shares it.
  static void start(const std::shared_ptr<Task>& task, std::function<void()> work);

  void cancel();
  /// Waits until it has ended or was left behind; false if that was not before `until`, or `maybe_ready` gave true,
  /// which is asked at the start and after every `wake`.
  bool wait(std::optional<Clock::time_point> until = std::nullopt, const std::function<bool()>& maybe_ready = {});
  void wake();
  /// After `wait` gave true. Done: what the work wrote may be read, by one thread.
  End end() const;
  /// After `wait` gave true: what it was asked for before it ended.
  End why() const;

  // What the work looks at.
  const std::atomic<std::uint32_t>& stop() const { return stop_; }       ///< It was cancelled.
  const std::atomic<bool>& interrupted() const { return interrupted_; }  ///< It was cancelled, or its time is over.
  const std::optional<Clock::time_point>& deadline() const { return deadline_; }

 private:
  void ask(End why, Clock::time_point now);

  const std::optional<Clock::time_point> deadline_;
  const std::shared_ptr<const Canceller> maybe_canceller_;
  std::atomic<std::uint32_t> stop_ = 0;
  std::atomic<bool> interrupted_ = false;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  bool left_ = false;
  End asked_ = End::Done;  ///< What it was asked for; Done: nothing.
  Clock::time_point leave_at_{};
};

}  // namespace matcha::api
