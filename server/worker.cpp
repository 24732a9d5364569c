#include "server/worker.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace matcha::server {

Worker::Worker(session::ResidentGraph::Shared graph, std::optional<runtime::Tier> tier, Send send)
    : answers_(std::move(graph), tier), send_(std::move(send)), thread_([this, ended = ended_] { live(*ended); }) {}

Worker::~Worker() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  more_.notify_all();
  ended_->get_future().wait();
  thread_.detach();
}

bool Worker::add(std::shared_ptr<Job> job) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!job->request.id.is_null() && find(job->request.id) != nullptr) return false;
    waiting_.push_back(std::move(job));
  }
  more_.notify_all();
  return true;
}

bool Worker::cancel(const Json& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Job* const job = find(id);
  if (job == nullptr) return false;
  stop(*job, Status::Interrupted);
  if (job != current_.get()) leave(*job);
  return true;
}

void Worker::abandon() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const std::shared_ptr<Job>& job : waiting_) job->answered = true;
  if (current_ != nullptr) {
    current_->answered = true;
    stop(*current_, Status::Interrupted);
  }
}

bool Worker::look() {
  constexpr std::chrono::milliseconds kPatience{60}, kLatePatience{5000};
  const std::lock_guard<std::mutex> lock(mutex_);
  if (current_ == nullptr) return !waiting_.empty();
  Job& job = *current_;
  if (!job.asked && job.deadline && Clock::now() >= *job.deadline) {
    job.asked = job.deadline;
    job.why = Status::Timeout;
  }
  if (job.asked && Clock::now() >= *job.asked + (job.runs ? kLatePatience : kPatience)) leave(job);
  return true;
}

Job* Worker::find(const Json& id) {
  const auto is = [&](const std::shared_ptr<Job>& job) { return !job->answered && job->request.id == id; };
  if (current_ != nullptr && is(current_)) return current_.get();
  const auto found = std::ranges::find_if(waiting_, is);
  return found == waiting_.end() ? nullptr : found->get();
}

void Worker::stop(Job& job, Status why) {
  if (!job.asked) {
    job.asked = Clock::now();
    job.why = why;
  }
  job.stop = 1;
}

void Worker::leave(Job& job) {
  AnswerLine line(job.request.id, job.why);
  line.add("result", Json());
  line.add("complete", false);
  answer(job, line.take());
}

void Worker::answer(Job& job, std::string_view line) {
  if (!job.answered.exchange(true)) send_(line);
}

void Worker::live(std::promise<void>& ended) {
  work();
  ended.set_value();
  for (;;) ::pause();
}

void Worker::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    more_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    current_ = std::move(waiting_.front());
    waiting_.pop_front();
    Job& job = *current_;
    if (job.request.timeout) {
      job.deadline = Clock::now() +
                     std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*job.request.timeout));
    }
    lock.unlock();
    if (!job.answered) answer(job, answers_.of(job));
    lock.lock();
    current_ = nullptr;
  }
}

}  // namespace matcha::server
