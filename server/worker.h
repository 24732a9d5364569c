#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "server/answers.h"

namespace matcha::server {

/// Waiting jobs. Those of a client come in order; clients take turns, so that one with many jobs holds up no other
/// (start-time fair queueing, with jobs of equal weight).
class FairQueue {
 public:
  void add(std::shared_ptr<Job> job);
  /// Requires: it is not empty.
  std::shared_ptr<Job> take();
  const std::deque<std::shared_ptr<Job>>& jobs() const { return jobs_; }

 private:
  std::deque<std::shared_ptr<Job>> jobs_;
  std::uint64_t now_ = 0;                      ///< The turn of the last job that was taken.
  std::map<std::string, std::uint64_t> last_;  ///< By client, the turn of its last job; those after `now_`.
};

/// How many requests may wait.
struct QueueLimits {
  std::size_t most = std::numeric_limits<std::size_t>::max();
  std::size_t most_of_client = std::numeric_limits<std::size_t>::max();
};

/// The thread that compiles and runs, one request after the other.
class Worker {
 public:
  enum class Added : std::uint8_t { Yes, SameId, Full };

  Worker(session::ResidentGraph::Shared graph, std::optional<runtime::Tier> tier, QueueLimits limits = {});
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// SameId: a request of this client with this id has no answer yet.
  Added add(std::shared_ptr<Job> job);
  /// Asks a request to end; false if no unanswered request of the client has this id.
  bool cancel(const std::string& client, const Json& id);
  /// The same; nothing happens if it has an answer.
  void cancel(Job& job);
  /// Asks all requests to end.
  void cancel_all();
  /// Ends all running and waiting requests, without answers.
  void abandon();
  /// Whether any request is left. Answers requests that exceeded their time and did not end by themselves; later
  /// requests wait until they have.
  bool look();
  /// The number of requests that wait, and whether one is worked on.
  std::pair<std::size_t, bool> load() const;

 private:
  Job* find(const std::string& client, const Json& id);
  static void stop(Job& job, Status why);
  /// Answers without a result.
  static void leave(Job& job);
  /// The first answer counts.
  static void answer(Job& job, const Answer& answer);
  /// Works, and then waits until the process ends: nauty keeps memory for each thread that only the thread can free.
  /// `ended` is no member: the object is gone once it is set.
  void live(std::promise<void>& ended);
  void work();

  Answers answers_;
  const QueueLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable more_;
  FairQueue waiting_;
  std::shared_ptr<Job> current_;
  bool ending_ = false;
  const std::shared_ptr<std::promise<void>> ended_ = std::make_shared<std::promise<void>>();
  std::thread thread_;
};

}  // namespace matcha::server
