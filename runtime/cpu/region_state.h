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

/// What the scheduler keeps for a region in flight, behind RegionContext and Worker. README.md states the invariants.
namespace matcha::runtime {

/// RegionContext::stop while nothing stops the region, but workers are to look at the pages in memory (PageLimit).
inline constexpr std::uint32_t kLooksAtPages = 2;

/// The rows that one call of `body` appended to one sink (RowMode::Ordered).
struct RowSegment {
  std::uint64_t position;  ///< First outer position of the call.
  std::uint64_t sink;
  std::uint64_t first;
  std::uint64_t count;
};

/// A worker with all that its pointers lead to.
struct WorkerState {
  struct Free {
    void operator()(void* pointer) const { std::free(pointer); }
  };

  Worker worker{};
  std::vector<SinkSlot> slots;
  std::vector<RowBuffer> rows;
  std::vector<ExactSum> float_sums;
  std::vector<std::vector<void*>> column_pointers;
  std::vector<std::vector<Column>> buffers;    ///< A sink's bounded buffer; none if it is `direct`.
  std::vector<std::vector<Column>> collected;  ///< A sink's rows so far (RowMode::Ordered).
  std::vector<std::uint64_t> placed;           ///< A sink's rows that are in a segment.
  std::vector<RowSegment> segments;
  std::unique_ptr<void, Free> scratch;
  std::atomic<std::uint64_t> work{0};  ///< That of finished calls, loops that were split off in them included.
  /// Positions that a call of `body` gets: few while they take long, so that the work that is done is known.
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

/// Makes tasks of `RegionState::run_positions` and `run_items`; absent with one thread.
class TaskSpawner {
 public:
  virtual void spawn_items(const ItemRange& items) = 0;

 protected:
  ~TaskSpawner() = default;
};

/// A region from its launch to its merged result.
class RegionState {
 public:
  using Clock = std::chrono::steady_clock;

  RegionState(const RegionLaunch& launch, const RunControl& control, unsigned threads);
  RegionState(const RegionState&) = delete;
  RegionState& operator=(const RegionState&) = delete;

  /// Allocates what the workers need; false when there is no memory.
  [[nodiscard]] bool prepare();

  // Called by workers.
  void trap(TrapCode code, std::uint32_t line, std::uint32_t column, const char* file);
  void stop(RegionEnd cause);
  bool stopped() const;
  bool defer(std::uint64_t position, std::uint64_t size);
  void flush_rows(WorkerState& state, std::uint64_t sink) noexcept;
  bool grow_rows(WorkerState& state, std::uint64_t sink, std::uint64_t rows) noexcept;
  /// Takes chunks of outer positions until there are none.
  void run_positions(std::uint64_t slot);
  /// The same in slot 0 while no other thread works on the region, until a point in time; long second-level loops are
  /// offered at once, for none of them is shared. True: no position is left.
  bool run_positions_alone(Clock::time_point until);
  /// Walks second-level items of one position, giving half of them away while others have too little to do.
  void run_items(std::uint64_t slot, ItemRange items);
  void task_finished() { live_tasks_.fetch_sub(1, std::memory_order_acq_rel); }
  void task_created() { live_tasks_.fetch_add(1, std::memory_order_relaxed); }

  void set_spawner(TaskSpawner* spawner) { spawner_ = spawner; }
  std::uint64_t work_done() const;
  std::uint64_t work_total() const { return work_total_; }
  /// Checks that all positions were walked once, then merges the workers.
  RegionOutcome finish();

 private:
  bool prepare_worker(WorkerState& state, std::uint64_t index);
  WorkerState& enter(std::uint64_t slot);
  void leave(WorkerState& state) { state.busy.store(false, std::memory_order_release); }
  void run_body(WorkerState& state, std::uint64_t begin, std::uint64_t end);
  /// Walks some positions; gives the next one.
  std::uint64_t run_piece(WorkerState& state, std::uint64_t begin, std::uint64_t end);
  void spawn(const ItemRange& items);
  /// Where the chunk of positions ends that begins at `begin`.
  std::uint64_t chunk_end(std::uint64_t begin) const;
  bool claim(std::uint64_t& begin, std::uint64_t& end);
  std::optional<RegionError> check_positions(RegionResult& result);
  std::optional<RegionError> merge_sink(std::uint64_t sink, SinkResult& result);
  bool merge_rows(std::uint64_t sink, SinkResult& result);
  bool merge_map(std::uint64_t sink, SinkResult& result);

  const RegionLaunch& launch_;
  const RunControl& control_;
  const unsigned threads_;
  const std::uint64_t last_ = launch_.last();  ///< Where the positions end.
  const bool ordered_;                         ///< Some sink collects rows in order.
  const bool may_defer_;
  const std::uint64_t work_total_;
  const std::uint64_t min_items_;  ///< Fewest second-level items that are worth a call of `inner`.
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
  std::atomic<std::uint32_t> cause_{0};  ///< 0, or 1 + the RegionEnd that came first, or kTrapped.
  std::atomic<bool> reentered_{false};
  std::mutex rows_mutex_;
};

/// The state behind a context.
inline RegionState& state_of(RegionContext& context) { return *static_cast<RegionState*>(context.scheduler); }

}  // namespace matcha::runtime
