#include "runtime/cpu/scheduler.h"

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cpu/monitor.h"
#include "runtime/cpu/region_state.h"
#include "runtime/machine.h"

namespace matcha::runtime {
namespace {

std::uint64_t current_slot() { return static_cast<std::uint64_t>(tbb::this_task_arena::current_thread_index()); }

/// The work of a task: second-level items of one position, or outer positions until none are left (`items.end == 0`).
struct Job {
  RegionState* state;
  ItemRange items;
  std::atomic<bool> published{false};

  void run() {
    if (items.end == 0) {
      state->run_positions(current_slot());
    } else {
      state->run_items(current_slot(), items);
    }
    state->task_finished();
  }
};

/// The function object of a task. libtbb orders the creation of a task before its run, but ThreadSanitizer cannot see
/// that; `publish` and the load of `published` repeat the order.
class JobCall {
 public:
  explicit JobCall(Job* job) { std::atomic_ref<Job*>(job_).store(job, std::memory_order_relaxed); }
  JobCall(const JobCall& other) : JobCall(other.get()) {}
  JobCall& operator=(const JobCall&) = delete;

  void operator()() const {
    std::unique_ptr<Job> job(get());
    if (job->published.load(std::memory_order_acquire)) job->run();
  }

 private:
  Job* get() const { return std::atomic_ref<Job*>(job_).load(std::memory_order_relaxed); }

  mutable Job* job_;
};

/// The most work and time to spend before other threads are woken, which is slow.
constexpr std::uint64_t kLittleWork = 1 << 13;
constexpr std::chrono::microseconds kTimeAlone{20};

/// Holds second-level items until there are threads for them.
class Waiting final : public TaskSpawner {
 public:
  void spawn_items(const ItemRange& items) override { items_.push_back(items); }

  /// Runs a small region on this thread alone, for a short time. True: all of it is done.
  bool run(RegionState& state) {
    state.set_spawner(this);
    return state.run_positions_alone(RegionState::Clock::now() + kTimeAlone) && items_.empty();
  }

  const std::vector<ItemRange>& items() const { return items_; }

 private:
  std::vector<ItemRange> items_;
};

/// Runs a region on its own task arena. A task never waits for another one, so a thread is inside one task at a time
/// and its slot's worker is never entered twice; only the thread that called `run` waits, for all tasks.
class Arena final : public TaskSpawner {
 public:
  Arena(RegionState& state, unsigned threads) : state_(state), threads_(threads), arena_(static_cast<int>(threads)) {
    allow_threads(threads);
  }

  /// `waiting`: tasks that were created earlier.
  void run(const std::vector<ItemRange>& waiting) {
    state_.set_spawner(this);
    arena_.execute([&] {
      for (const ItemRange& items : waiting) spawn_items(items);
      for (unsigned i = 0; i < threads_; ++i) {
        state_.task_created();
        start(std::unique_ptr<Job>(new Job{&state_, {}}));
      }
      group_.wait();
    });
  }

  void spawn_items(const ItemRange& items) override { start(std::unique_ptr<Job>(new Job{&state_, items})); }

 private:
  void start(std::unique_ptr<Job> job) {
    tbb::task_handle task = group_.defer(JobCall(job.get()));
    job.release()->published.store(true, std::memory_order_release);
    group_.run(std::move(task));
  }

  RegionState& state_;
  unsigned threads_;
  tbb::task_arena arena_;
  tbb::task_group group_;
};

RegionOutcome run(const RegionLaunch& launch, const RunControl& control) {
  unsigned threads = control.threads != 0 ? control.threads : machine().threads;
  // Without second-level tasks, more workers than positions would be idle.
  if (launch.inner == nullptr) {
    threads = static_cast<unsigned>(std::clamp<std::uint64_t>(launch.walked(), 1, threads));
  }
  RegionState state(launch, control, threads);
  if (!state.prepare()) throw std::bad_alloc();
  {
    Monitor monitor(state, control);
    if (threads == 1) {
      state.run_positions(0);
    } else {
      Waiting waiting;
      const bool done = state.work_total() <= kLittleWork && waiting.run(state);
      if (!done) Arena(state, threads).run(waiting.items());
    }
  }
  if (control.on_progress) control.on_progress(state.work_done(), state.work_total());
  return state.finish();
}

}  // namespace

RegionOutcome run_region(const RegionLaunch& launch, const RunControl& control) {
  RegionError error;
  try {
    return run(launch, control);
  } catch (const std::bad_alloc&) {
    error.code = TrapCode::OutOfMemory;
    error.message = trap_message(error.code);
  } catch (const std::exception& failure) {
    error.message = std::string("the scheduler failed: ") + failure.what();
  }
  return error;
}

}  // namespace matcha::runtime
