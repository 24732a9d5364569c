#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

/// Background work that its caller may abandon.
namespace matcha::api {

using Clock = std::chrono::steady_clock;

/// Runs the work on a separate thread. The end of the process cancels tasks and waits for all work, because static
/// objects are destroyed afterwards.
void in_background(std::function<void()> work);

/// Runs the work on the only thread that reads programs and patterns, and waits for it: nauty, which finds symmetries
/// of patterns, corrupts its memory if several threads use it, even one at a time. The StopScope of the caller's thread
/// is that of the work.
void on_reading_thread(const std::function<void()>& work);

/// True in a forked child of a process that has background threads: they do not exist in the child.
bool after_fork();
inline constexpr const char* kAfterFork = "error: after a fork only the parent process may run programs\n";

/// A cancel token: requests the end of calls, from any thread.
struct CancelToken {
  std::atomic<bool> requested = false;
};

/// Work in the background, and its waiting caller. Work that does not end soon after a stop request is abandoned: it
/// runs to its end, and its result is dropped.
class Task {
 public:
  enum class End { Done, Cancelled, TimedOut };

  /// Stops when the cancel token, if any, requests it, or at the deadline.
  explicit Task(std::optional<Clock::time_point> deadline,
                std::shared_ptr<const CancelToken> maybe_cancel_token = nullptr)
      : deadline_(deadline), maybe_cancel_token_(std::move(maybe_cancel_token)) {}

  /// To be called once. The work owns, or shares, all data that it uses.
  static void start(const std::shared_ptr<Task>& task, std::function<void()> work);

  void cancel();
  /// Waits until the work has ended or was abandoned. False if neither happened before `until`, or if `maybe_ready`
  /// gave true, which is tested at the start and after every `wake`.
  bool wait(std::optional<Clock::time_point> until = std::nullopt, const std::function<bool()>& maybe_ready = {});
  void wake();
  /// Requires: `wait` gave true. Done: the results of the work may be read, by one thread.
  End end() const;
  /// Requires: `wait` gave true. The stop request that came before the end; Done: none.
  End why() const;

  // Tested by the work.
  const std::atomic<std::uint32_t>& stop() const { return stop_; }       ///< Cancelled.
  const std::atomic<bool>& interrupted() const { return interrupted_; }  ///< Cancelled, or past the deadline.
  const std::optional<Clock::time_point>& deadline() const { return deadline_; }
  /// Why the work is to end now, whether anybody waits or not; Done: it is not.
  End due() const;

 private:
  void ask(End why, Clock::time_point now);

  const std::optional<Clock::time_point> deadline_;
  const std::shared_ptr<const CancelToken> maybe_cancel_token_;
  std::atomic<std::uint32_t> stop_ = 0;
  std::atomic<bool> interrupted_ = false;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  bool left_ = false;
  End requested_ = End::Done;  ///< The stop request; Done: none.
  Clock::time_point leave_at_{};
};

}  // namespace matcha::api
