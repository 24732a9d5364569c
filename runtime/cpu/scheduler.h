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
  /// Rows in RowMode::Ordered: rows are collected in the worker's buffer, which grows by `rt_grow_rows`.
  bool direct = false;
  /// With `direct`: the initial capacity in rows. Untouched memory costs nothing.
  std::uint64_t expected = 0;
};

/// The destination of the rows of Rows sinks.
enum class RowMode {
  Ordered,  ///< Collected, in the order of the outer positions; nothing is deferred.
  Stream,   ///< Passed to `RunControl::on_rows` in blocks, in no particular order, with bounded memory.
};

/// One parallel region as generated code describes it.
struct RegionLaunch {
  RegionBody body = nullptr;
  RegionInner inner = nullptr;  ///< Null: the second level cannot be split off.
  std::uint64_t positions = 0;  ///< Length of the outermost loop.
  /// Only the positions [begin, end) are processed and, for a Map, returned.
  std::uint64_t begin = 0;
  std::uint64_t end = ~std::uint64_t{0};
  /// The graph whose vertices are the positions; its arcs estimate the work of each. Null: all positions cost the same.
  const GraphView* maybe_walked = nullptr;
  std::uint64_t* frame = nullptr;
  const SetKernels* sets = nullptr;
  std::uint64_t scratch_bytes = 0;  ///< Per worker.
  bool clear_scratch = false;       ///< It is zero at the start, for counters.
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

/// How to run. Calls of one callback are serialized, but come from any thread; a callback must not start a region or
/// throw.
struct RunControl {
  unsigned threads = 1;  ///< 0: the number of processors.
  /// Checked every 20 ms; not 0: stop. A signal handler may set it.
  const std::atomic<std::uint32_t>* stop_request = nullptr;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Called about 10 times a second, and once at the end, with the work in the units of `work_of`.
  std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;
  std::function<bool(const RowBlock&)> on_rows;  ///< For RowMode::Stream; returns false to stop.
  std::uint64_t row_capacity = 4096;             ///< Rows in a worker's buffer.
  std::uint64_t defer_items = 4096;              ///< Second-level loops of at least this many items are always offered.
  std::uint64_t defer_items_late = 32;           ///< The same once all outer positions have been assigned.
};

/// How a region ended.
enum class RegionEnd { Complete, StopRequested, DeadlinePassed, RowsRefused };

/// The merged value of one sink.
struct SinkResult {
  __int128 sum = 0;             ///< SumInt.
  double number = 0;            ///< SumFloat, MinFloat, MaxFloat.
  ExactSum exact_sum{};         ///< SumFloat: `number` before rounding.
  std::int64_t integer = 0;     ///< MinInt, MaxInt.
  bool flag = false;            ///< Any, All.
  bool has_value = false;       ///< Min and Max: something was yielded.
  std::uint64_t rows = 0;       ///< Rows and Map: number of rows collected or handed out.
  std::vector<Column> columns;  ///< Rows (Ordered) and Map.
};

/// The result of a region. Unless `end == Complete` the values cover only a part of the positions (a Map has unset
/// rows).
struct RegionResult {
  RegionEnd end = RegionEnd::Complete;
  std::uint64_t positions_done = 0;
  std::uint64_t work_done = 0, work_total = 0;  ///< In the units of `work_of`; split-off loops count by their items.
  std::uint64_t deferred = 0;                   ///< Second-level loops that were split off.
  std::vector<SinkResult> sinks;
};

/// A trap of generated code, or a failure of the runtime around it (`code == None`; `message` describes it).
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

/// Runs `launch.body` over all positions of the launch. With one thread by direct calls, without tasks; with more as in
/// README.md. Errors: a trap, a 128-bit sum that overflows at the merge, out of memory, or positions that were not
/// processed exactly once although nothing stopped the region (an internal error, never a wrong count).
RegionOutcome run_region(const RegionLaunch& launch, const RunControl& control);

/// Starts the thread that watches regions ahead of the first region that needs it.
void start_watching();

}  // namespace matcha::runtime
