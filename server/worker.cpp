#include "server/worker.h"

#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "session/durations.h"

namespace matcha::server {

void FairQueue::add(std::shared_ptr<Job> job) {
  std::uint64_t& last = last_[job->client];
  job->turn = last = std::max(last, now_) + 1;
  jobs_.push_back(std::move(job));
}

std::shared_ptr<Job> FairQueue::take() {
  const auto next = std::ranges::min_element(jobs_, {}, [](const std::shared_ptr<Job>& job) { return job->turn; });
  std::shared_ptr<Job> job = *next;
  jobs_.erase(next);
  now_ = job->turn;
  std::erase_if(last_, [this](const auto& entry) { return entry.second <= now_; });
  return job;
}

Worker::Worker(session::ResidentGraph::Shared graph, std::optional<runtime::Tier> tier, QueueLimits limits)
    : answers_(std::move(graph), tier), limits_(limits), thread_([this, ended = ended_] { live(*ended); }) {}

Worker::~Worker() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  more_.notify_all();
  ended_->get_future().wait();
  thread_.detach();
}

Worker::Added Worker::add(std::shared_ptr<Job> job) {
  JsonLog log;
  log.error(Status::Resource, "out of memory");
  job->spare = error_answer(job->request.id, Status::Resource, log);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!job->request.id.is_null() && find(job->client, job->request.id) != nullptr) return Added::SameId;
    const auto is_of_client = [&](const std::shared_ptr<Job>& one) { return one->client == job->client; };
    const std::size_t own = static_cast<std::size_t>(std::ranges::count_if(waiting_.jobs(), is_of_client));
    if (waiting_.jobs().size() >= limits_.most || own >= limits_.most_of_client) return Added::Full;
    waiting_.add(std::move(job));
  }
  more_.notify_all();
  return Added::Yes;
}

bool Worker::cancel(const std::string& client, const Json& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Job* const job = find(client, id);
  if (job == nullptr) return false;
  stop(*job, Status::Interrupted);
  if (job != current_.get()) leave(*job);
  return true;
}

void Worker::cancel(Job& job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (job.answered) return;
  stop(job, Status::Interrupted);
  if (&job != current_.get()) leave(job);
}

void Worker::cancel_all() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (current_ != nullptr) stop(*current_, Status::Interrupted);
  for (const std::shared_ptr<Job>& job : waiting_.jobs()) {
    stop(*job, Status::Interrupted);
    leave(*job);
  }
}

void Worker::abandon() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const std::shared_ptr<Job>& job : waiting_.jobs()) job->answered = true;
  if (current_ != nullptr) {
    current_->answered = true;
    stop(*current_, Status::Interrupted);
  }
}

bool Worker::look() {
  constexpr std::chrono::milliseconds kPatience{60}, kLatePatience{5000};
  const std::lock_guard<std::mutex> lock(mutex_);
  if (current_ == nullptr) return !waiting_.jobs().empty();
  Job& job = *current_;
  if (!job.asked && job.deadline && Clock::now() >= *job.deadline) {
    job.asked = job.deadline;
    job.why = Status::Timeout;
  }
  if (job.asked && Clock::now() >= *job.asked + (job.runs ? kLatePatience : kPatience)) leave(job);
  return true;
}

std::pair<std::size_t, bool> Worker::load() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {waiting_.jobs().size(), current_ != nullptr};
}

Job* Worker::find(const std::string& client, const Json& id) {
  const auto is = [&](const std::shared_ptr<Job>& job) {
    return !job->answered && job->client == client && job->request.id == id;
  };
  if (current_ != nullptr && is(current_)) return current_.get();
  const auto found = std::ranges::find_if(waiting_.jobs(), is);
  return found == waiting_.jobs().end() ? nullptr : found->get();
}

void Worker::stop(Job& job, Status why) {
  if (!job.asked) {
    job.asked = Clock::now();
    job.why = why;
  }
  job.stop = 1;
}

void Worker::leave(Job& job) { answer(job, stopped_answer(job.request.id, job.why)); }

void Worker::answer(Job& job, const Answer& answer) {
  if (!job.answered.exchange(true)) job.send(answer);
}

void Worker::live(std::promise<void>& ended) {
  work();
  ended.set_value();
  for (;;) ::pause();
}

void Worker::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    more_.wait(lock, [&] { return ending_ || !waiting_.jobs().empty(); });
    if (waiting_.jobs().empty()) return;
    current_ = waiting_.take();
    Job& job = *current_;
    std::optional<double> seconds = job.request.timeout;
    if (job.request.most_seconds)
      seconds = std::min(seconds.value_or(*job.request.most_seconds), *job.request.most_seconds);
    if (seconds) job.deadline = session::time_after(*seconds);
    lock.unlock();
    try {
      if (!job.answered) answer(job, answers_.of(job));
    } catch (const std::bad_alloc&) {
      answer(job, job.spare);
    }
    lock.lock();
    current_ = nullptr;
  }
}

}  // namespace matcha::server
