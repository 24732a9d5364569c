#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/common/exact_sum.h"
#include "runtime/cpu/column.h"
#include "runtime/cpu/region.h"
#include "runtime/result.h"
#include "runtime/work.h"

namespace matcha::runtime {

/// A sink of a region. `columns` are the element kinds of a Rows or Map sink, empty for the others.
struct SinkInfo {
  SinkKind kind = SinkKind::SumInt;
  std::vector<ElementKind> columns;
  /// Rows in RowMode::Ordered: the worker's buffer is where its rows are collected, and grows by `rt_grow_rows`.
  bool direct = false;
  std::uint64_t expected =
      0;  ///< With `direct`: rows to have room for at first. Memory that is not written costs none.
};

/// What becomes of the rows of Rows sinks.
enum class RowMode {
  Ordered,  ///< Collected, in the order of the outer positions; nothing is deferred.
  Stream,   ///< Handed to `RunControl::on_rows` in blocks, in no particular order; memory does not grow.
};

/// One parallel region as generated code describes it.
struct RegionLaunch {
  RegionBody body = nullptr;
  RegionInner inner = nullptr;  ///< Null: the second level cannot be split off.
  std::uint64_t positions = 0;  ///< Length of the outermost loop.
  /// Of it only the positions [begin, end) are walked; those of a Map are the only ones that are given.
  std::uint64_t begin = 0;
  std::uint64_t end = ~std::uint64_t{0};
  /// The graph whose vertices are the positions; its arcs say how the work is spread. Null: all positions are alike.
  const GraphView* maybe_walked = nullptr;
  std::uint64_t* frame = nullptr;
  const SetKernels* sets = nullptr;
  std::uint64_t scratch_bytes = 0;  ///< For each worker.
  bool clear_scratch = false;       ///< It is zeros at the start, for counters.
  std::vector<SinkInfo> sinks;
  RowMode row_mode = RowMode::Ordered;

  std::uint64_t last() const { return std::min(end, positions); }
  std::uint64_t walked() const { return last() - std::min(begin, last()); }
};

/// A block of rows of one sink; valid during the call only.
struct RowBlock {
  std::uint64_t sink;
  std::uint64_t count;
  const void* const* columns;
};

/// How to run. Calls of one callback come one at a time, but from any thread; a callback starts no region and throws
/// nothing.
struct RunControl {
  unsigned threads = 1;  ///< 0: as many as the machine has.
  const std::atomic<std::uint32_t>* stop_request =
      nullptr;  ///< Looked at every 20 ms; not 0: stop. A signal handler may set it.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Of the work, in units of its own. Some 10 times a second, and once at the end.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;
  std::function<bool(const RowBlock&)> on_rows;  ///< For RowMode::Stream; false: no more rows are wanted.
  std::uint64_t row_capacity = 4096;             ///< Rows in a worker's buffer.
  std::uint64_t defer_items = 4096;              ///< Second-level loops of that many items are always offered.
  std::uint64_t defer_items_late = 32;           ///< The same once all outer positions have been given out.
};

/// How a region ended.
enum class RegionEnd { Complete, StopRequested, DeadlinePassed, RowsRefused };

/// The merged value of one sink.
struct SinkResult {
  __int128 sum = 0;             ///< SumInt.
  double number = 0;            ///< SumFloat, MinFloat, MaxFloat.
  ExactSum exact_sum{};         ///< SumFloat: what `number` was rounded from.
  std::int64_t integer = 0;     ///< MinInt, MaxInt.
  bool flag = false;            ///< Any, All.
  bool has_value = false;       ///< Min and Max: something was yielded.
  std::uint64_t rows = 0;       ///< Rows and Map: number of rows collected or handed out.
  std::vector<Column> columns;  ///< Rows (Ordered) and Map.
};

/// What a region gave. Unless `end == Complete` the values cover only a part of the positions (a Map has unset rows).
struct RegionResult {
  RegionEnd end = RegionEnd::Complete;
  std::uint64_t positions_done = 0;
  std::uint64_t work_done = 0, work_total = 0;  ///< As `work_of` measures it; split-off loops count by their items.
  std::uint64_t deferred = 0;                   ///< Second-level loops that were split off.
  std::vector<SinkResult> sinks;
};

/// A trap of generated code, or a failure of the runtime around it (`code == None`, then `message` says all).
struct RegionError {
  TrapCode code = TrapCode::None;
  std::string message;
  std::string hint;
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// A region's result or its error.
using RegionOutcome = std::variant<RegionResult, RegionError>;

/// Runs `launch.body` over all positions of the launch. One thread: direct calls, no task is made; more: see README.md.
/// An error is a trap, a 128-bit sum that overflows at the merge, memory that cannot be had, or positions that were not
/// walked exactly once although nothing stopped the region (an internal error, never a wrong count).
RegionOutcome run_region(const RegionLaunch& launch, const RunControl& control);

/// Starts the thread that watches regions, which the first region that wants it would do otherwise.
void start_watching();

}  // namespace matcha::runtime
