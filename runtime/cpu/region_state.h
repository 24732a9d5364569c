#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/common/exact_sum.h"
#include "runtime/cpu/scheduler.h"

/// The scheduler's state of a region in flight, behind RegionContext and Worker. README.md documents the invariants.
namespace matcha::runtime {

/// RegionContext::stop while nothing stops the region, but workers should check the page limit (PageLimit).
inline constexpr std::uint32_t kLooksAtPages = 2;

/// The rows that one call of `body` appended to one sink (RowMode::Ordered).
struct RowSegment {
  std::uint64_t position;  ///< First outer position of the call.
  std::uint64_t sink;
  std::uint64_t first;
  std::uint64_t count;
};

/// A worker with everything that its pointers refer to.
struct WorkerState {
  struct Free {
    void operator()(void* pointer) const { std::free(pointer); }
  };

  Worker worker{};
  std::vector<SinkSlot> slots;
  std::vector<RowBuffer> rows;
  std::vector<ExactSum> float_sums;
  std::vector<std::vector<void*>> column_pointers;
  std::vector<std::vector<Column>> buffers;    ///< The bounded buffer of each sink; empty if it is `direct`.
  std::vector<std::vector<Column>> collected;  ///< The rows so far of each sink (RowMode::Ordered).
  std::vector<std::uint64_t> placed;           ///< The number of rows of each sink that are in a segment.
  std::vector<RowSegment> segments;
  std::unique_ptr<void, Free> scratch;
  std::atomic<std::uint64_t> work{0};  ///< The work of finished calls, including loops that were split off.
  /// The number of positions in a call of `body`: small while they take long, so that progress is known.
  std::uint64_t piece = 1;
  std::atomic<bool> busy{false};
};

/// Items [begin, end) of the second-level loop of a position, which has `size` of them.
struct ItemRange {
  std::uint64_t position = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t size = 0;
};

/// Creates tasks of `RegionState::run_positions` and `run_items`; absent with one thread.
class TaskSpawner {
 public:
  virtual void spawn_items(const ItemRange& items) = 0;

 protected:
  ~TaskSpawner() = default;
};

/// A region from its launch to the merged result.
class RegionState {
 public:
  using Clock = std::chrono::steady_clock;

  RegionState(const RegionLaunch& launch, const RunControl& control, unsigned threads);
  RegionState(const RegionState&) = delete;
  RegionState& operator=(const RegionState&) = delete;

  /// Allocates the memory of the workers; false when out of memory.
  [[nodiscard]] bool prepare();

  // Called by workers.
  void trap(TrapCode code, std::uint32_t line, std::uint32_t column, const char* file);
  void stop(RegionEnd cause);
  bool stopped() const;
  bool defer(std::uint64_t position, std::uint64_t size);
  void flush_rows(WorkerState& state, std::uint64_t sink) noexcept;
  bool grow_rows(WorkerState& state, std::uint64_t sink, std::uint64_t rows) noexcept;
  /// Takes chunks of outer positions until none are left.
  void run_positions(std::uint64_t slot);
  /// The same in slot 0 while no other thread works on the region, until a deadline; long second-level loops are
  /// offered at once, as nothing is shared so far. True: no position is left.
  bool run_positions_alone(Clock::time_point until);
  /// Runs second-level items of one position and gives half of them away while other threads are idle.
  void run_items(std::uint64_t slot, ItemRange items);
  void task_finished() { live_tasks_.fetch_sub(1, std::memory_order_acq_rel); }
  void task_created() { live_tasks_.fetch_add(1, std::memory_order_relaxed); }

  void set_spawner(TaskSpawner* spawner) { spawner_ = spawner; }
  std::uint64_t work_done() const;
  std::uint64_t work_total() const { return work_total_; }
  /// Checks that all positions were processed exactly once, then merges the workers.
  RegionOutcome finish();

 private:
  bool prepare_worker(WorkerState& state, std::uint64_t index);
  WorkerState& enter(std::uint64_t slot);
  void leave(WorkerState& state) { state.busy.store(false, std::memory_order_release); }
  void run_body(WorkerState& state, std::uint64_t begin, std::uint64_t end);
  /// Runs some positions; returns the next one.
  std::uint64_t run_piece(WorkerState& state, std::uint64_t begin, std::uint64_t end);
  void spawn(const ItemRange& items);
  /// The end of the chunk of positions that begins at `begin`.
  std::uint64_t chunk_end(std::uint64_t begin) const;
  bool claim(std::uint64_t& begin, std::uint64_t& end);
  std::optional<RegionError> check_positions(RegionResult& result);
  std::optional<RegionError> merge_sink(std::uint64_t sink, SinkResult& result);
  bool merge_rows(std::uint64_t sink, SinkResult& result);
  bool merge_map(std::uint64_t sink, SinkResult& result);

  const RegionLaunch& launch_;
  const RunControl& control_;
  const unsigned threads_;
  const std::uint64_t last_ = launch_.last();  ///< The end of the positions.
  const bool ordered_;                         ///< Some sink collects rows in order.
  const bool may_defer_;
  const std::uint64_t work_total_;
  const std::uint64_t min_items_;  ///< The fewest second-level items worth a call of `inner`.
  RegionContext context_{};
  std::vector<std::unique_ptr<WorkerState>> workers_;
  std::vector<std::vector<Column>> maps_;
  std::vector<std::vector<void*>> map_pointers_;
  TaskSpawner* spawner_ = nullptr;
  alignas(64) std::atomic<std::uint64_t> next_position_{0};
  alignas(64) std::atomic<std::uint64_t> live_tasks_{0};
  std::atomic<std::uint64_t> item_tasks_{0};  ///< Tasks of `run_items` waiting or running.
  std::atomic<std::uint64_t> deferred_items_{0};
  std::atomic<std::uint64_t> deferred_loops_{0};
  std::atomic<std::uint64_t> deferred_work_{0};
  std::atomic<std::uint32_t> cause_{0};  ///< 0, or 1 + the first RegionEnd, or kTrapped.
  std::atomic<bool> reentered_{false};
  std::mutex rows_mutex_;
};

/// The RegionState of a context.
inline RegionState& state_of(RegionContext& context) { return *static_cast<RegionState*>(context.scheduler); }

}  // namespace matcha::runtime
