#include "api/task.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <future>
#include <set>
#include <thread>
#include <utility>

#include "ir/support/stop_scope.h"

// Static objects of the library are never destroyed: `--wrap` redirects their registrations here (CMakeLists.txt).
// Background work, such as LLVM's, creates some of them late, and could use them after their destruction at the end of
// the process.
extern "C" {
int __real___cxa_atexit(void (*handler)(void*), void* argument, void* library);
int __wrap___cxa_atexit(void (* /*handler*/)(void*), void* /*argument*/, void* /*library*/) { return 0; }
}

namespace matcha::api {

namespace {

/// Time for work to end by itself after a request, and the interval at which a cancel token is tested.
constexpr std::chrono::milliseconds kPatience{60}, kLook{10};

/// Most idle threads, and how long they are kept: starting a thread takes longer than a small run.
constexpr std::size_t kMostIdle = 16;
constexpr std::chrono::seconds kIdle{10};

/// The background threads. Lives as long as the process.
struct Background {
  std::mutex mutex;
  std::condition_variable ended;
  std::condition_variable more;
  std::deque<std::function<void()>> handed;  ///< Work for idle threads; at most one for each.
  std::size_t idle = 0;
  std::uint64_t going = 0;  ///< Work that runs or is handed over.
  std::set<Task*> tasks;    ///< The running tasks.
  const pid_t process = ::getpid();
};

std::atomic<Background*> background = nullptr;

/// An exit handler: cancels all tasks and waits until no work runs. Does nothing in a forked child.
void wait_for_background(void* /*unused*/) {
  Background& all = *background.load();
  if (::getpid() != all.process) return;
  std::unique_lock<std::mutex> lock(all.mutex);
  for (Task* task : all.tasks) task->cancel();
  all.ended.wait(lock, [&] { return all.going == 0; });
}

/// The body of a thread: this work, then other work that arrives while it is idle.
void serve(Background& all, std::function<void()> work) {
  for (;;) {
    work();
    work = nullptr;  // Its shared data is freed before the process may end.
    std::unique_lock<std::mutex> lock(all.mutex);
    --all.going;
    all.ended.notify_all();
    if (all.idle >= kMostIdle) return;
    ++all.idle;
    all.more.wait_for(lock, kIdle, [&all] { return !all.handed.empty(); });
    --all.idle;
    if (all.handed.empty()) return;
    work = std::move(all.handed.front());
    all.handed.pop_front();
  }
}

Background& the_background() {
  static std::once_flag once;
  std::call_once(once, [] {
    background.store(new Background);
    __real___cxa_atexit(wait_for_background, nullptr, nullptr);
  });
  return *background.load();
}

}  // namespace

bool after_fork() {
  const Background* const all = background.load();
  return all != nullptr && ::getpid() != all->process;
}

void in_background(std::function<void()> work) {
  Background& all = the_background();
  {
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (all.idle > all.handed.size() && !after_fork()) {  // The idle threads are the parent's.
      all.handed.push_back(std::move(work));
      ++all.going;
      all.more.notify_one();
      return;
    }
    ++all.going;
  }
  try {
    std::thread([&all, work = std::move(work)]() mutable { serve(all, std::move(work)); }).detach();
  } catch (...) {
    const std::lock_guard<std::mutex> lock(all.mutex);
    --all.going;
    all.ended.notify_all();
    throw;
  }
}

void on_reading_thread(const std::function<void()>& work) {
  struct Reader {
    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::packaged_task<void()>> tasks;
  };
  // Lives as long as the process.
  static Reader* const reader = [] {
    Reader* const made = new Reader;
    std::thread([made] {
      for (;;) {
        std::unique_lock<std::mutex> lock(made->mutex);
        made->wake.wait(lock, [made] { return !made->tasks.empty(); });
        std::packaged_task<void()> task = std::move(made->tasks.front());
        made->tasks.pop_front();
        lock.unlock();
        task();
      }
    }).detach();
    return made;
  }();
  std::packaged_task<void()> task([&work, maybe_is_over = StopScope::maybe_current()] {
    const StopScope scope(maybe_is_over);
    work();
  });
  std::future<void> done = task.get_future();
  {
    const std::lock_guard<std::mutex> lock(reader->mutex);
    reader->tasks.push_back(std::move(task));
  }
  reader->wake.notify_one();
  done.get();
}

void Task::start(const std::shared_ptr<Task>& task, std::function<void()> work) {
  Background& all = the_background();
  in_background([&all, task, work = std::move(work)]() mutable {
    {
      const std::lock_guard<std::mutex> lock(all.mutex);
      all.tasks.insert(task.get());
    }
    work();
    work = nullptr;
    {
      const std::lock_guard<std::mutex> lock(all.mutex);
      all.tasks.erase(task.get());
    }
    const std::lock_guard<std::mutex> lock(task->mutex_);
    task->done_ = true;
    task->changed_.notify_all();
  });
}

void Task::ask(End why, Clock::time_point now) {
  if (requested_ == End::Done) {
    requested_ = why;
    leave_at_ = now + kPatience;
  }
  if (why == End::Cancelled) stop_.store(1);
  interrupted_.store(true);
  changed_.notify_all();
}

Task::End Task::due() const {
  const bool is_cancelled = stop_.load() != 0 || (maybe_cancel_token_ && maybe_cancel_token_->requested.load());
  if (is_cancelled) return End::Cancelled;
  return deadline_ && Clock::now() >= *deadline_ ? End::TimedOut : End::Done;
}

void Task::cancel() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ask(End::Cancelled, Clock::now());
}

void Task::wake() {
  const std::lock_guard<std::mutex> lock(mutex_);
  changed_.notify_all();
}

bool Task::wait(std::optional<Clock::time_point> until, const std::function<bool()>& maybe_ready) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!done_ && !left_) {
    const Clock::time_point now = Clock::now();
    Clock::time_point next = Clock::time_point::max();
    if (requested_ == End::Done && deadline_ && now >= *deadline_) ask(End::TimedOut, now);
    if (requested_ == End::Done && maybe_cancel_token_ && maybe_cancel_token_->requested.load())
      ask(End::Cancelled, now);
    if (requested_ != End::Done && now >= leave_at_) {
      left_ = true;
      __real___cxa_atexit(wait_for_background, nullptr, nullptr);
      break;
    }
    if (until && now >= *until) return false;
    if (maybe_ready && maybe_ready()) return false;
    if (requested_ != End::Done) {
      next = leave_at_;
    } else {
      if (deadline_) next = *deadline_;
      if (maybe_cancel_token_) next = std::min(next, now + kLook);
    }
    if (until) next = std::min(next, *until);
    if (next == Clock::time_point::max()) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, next);
    }
  }
  return true;
}

Task::End Task::why() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return requested_;
}

Task::End Task::end() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return left_ ? requested_ : End::Done;
}

}  // namespace matcha::api
