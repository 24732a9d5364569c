#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "server/answers.h"

namespace matcha::server {

using Send = std::function<void(std::string_view line)>;

/// The thread that compiles and runs, one request after the other.
class Worker {
 public:
  /// `send` gets each answer, a whole line, on any thread.
  Worker(session::ResidentGraph::Shared graph, std::optional<runtime::Tier> tier, Send send);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// False: a request with this id has no answer yet.
  bool add(std::shared_ptr<Job> job);
  /// Asks a request to end; false if no unanswered request has this id.
  bool cancel(const Json& id);
  /// Ends all running and waiting requests, without answers.
  void abandon();
  /// Whether any request is left. Answers requests that exceeded their time and cannot be interrupted: compiling
  /// continues, and later requests wait for it.
  bool look();

 private:
  Job* find(const Json& id);
  static void stop(Job& job, Status why);
  /// Answers without a result.
  void leave(Job& job);
  /// The first answer counts.
  void answer(Job& job, std::string_view line);
  /// Works, and then waits until the process ends: nauty keeps memory for each thread that only the thread can free.
  /// `ended` is no member: the object is gone once it is set.
  void live(std::promise<void>& ended);
  void work();

  Answers answers_;
  const Send send_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::shared_ptr<Job> current_;
  bool ending_ = false;
  const std::shared_ptr<std::promise<void>> ended_ = std::make_shared<std::promise<void>>();
  std::thread thread_;
};

}  // namespace matcha::server
