#include "runtime/match/work_pool.h"

namespace matcha::runtime::match {

void WorkPool::set_workers(unsigned workers) {
  const std::lock_guard lock(mutex_);
  workers_ = workers;
}

void WorkPool::give(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    wanted_.fetch_sub(1, std::memory_order_relaxed);
  }
  changed_.notify_one();
}

std::optional<Task> WorkPool::take() {
  std::unique_lock lock(mutex_);
  ++waiting_;
  wanted_.fetch_add(1, std::memory_order_relaxed);
  if (waiting_ == workers_ && tasks_.empty()) {
    over_ = true;
    changed_.notify_all();
  }
  changed_.wait(lock, [this] { return over_ || !tasks_.empty(); });
  if (over_) return std::nullopt;
  --waiting_;
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  return task;
}

void WorkPool::end() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
}

}  // namespace matcha::runtime::match
