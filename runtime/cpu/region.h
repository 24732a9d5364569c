#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/abi.h"

/// The interface of generated CPU code and the scheduler: plain structures read by byte offset (`offsetof`), and the
/// calls that generated code makes. README.md in this folder documents the protocol.
namespace matcha::runtime {

/// Why generated code aborted a region; `trap_message` has the wording.
enum class TrapCode : std::uint32_t {
  None = 0,
  DivisionByZero = 1,
  IntegerOverflow = 2,   ///< An int operation, or a 128-bit sum, overflows.
  IndexOutOfRange = 3,   ///< `get(l, i)` outside the list.
  LengthMismatch = 4,    ///< `apply` over lists of different lengths.
  EmptyList = 5,         ///< `min` or `max` of an empty list.
  CapacityExceeded = 6,  ///< A list outgrew its stated or planned capacity.
  UnknownVertex = 7,     ///< An id that is not a vertex of the graph.
  OutOfMemory = 8,       ///< Rows or buffers could not be allocated.
  NoLabel = 9,           ///< The label of a vertex without one ("vertex has no label").
  NoFixedPoint = 10,     ///< Rounds of which the last one still changes a value.
};

/// Lower case, no full stop, e.g. "division by zero".
struct RegionContext;

const char* trap_message(TrapCode code);
/// Further details: `index 7 of a list of 3 items`; may be empty. `take_noted_index` copies the last call of
/// `rt_note_index` into a context.
std::string trap_hint(TrapCode code, std::int64_t index, std::uint64_t size);
void take_noted_index(RegionContext& context);

/// Element of a list column, in memory: uint32_t, int64_t, double, uint8_t (0 or 1).
enum class ElementKind : std::uint32_t { Vid = 0, Int = 1, Float = 2, Bool = 3 };

/// Bytes of one element.
constexpr std::uint64_t element_bytes(ElementKind kind) {
  return kind == ElementKind::Vid ? 4 : kind == ElementKind::Bool ? 1 : 8;
}

/// How a region's sink combines the yielded values; determines the content of its `SinkSlot` or `RowBuffer`.
enum class SinkKind : std::uint32_t {
  SumInt = 0,    ///< slot = signed 128-bit sum, low word first; starts at 0.
  SumFloat = 1,  ///< slot.low = `ExactSum*`; add with `rt_sum_f64`.
  MinInt = 2,    ///< slot.low = int64, slot.high = 1 once there is a value.
  MaxInt = 3,
  MinFloat = 4,  ///< slot.low = bits of a double, slot.high as above; combine with `rt_min_f64`, `rt_max_f64`.
  MaxFloat = 5,
  Any = 6,   ///< slot.low = 0 or 1; starts at 0.
  All = 7,   ///< slot.low = 0 or 1; starts at 1.
  Rows = 8,  ///< Appends to the worker's RowBuffer of the sink.
  Map = 9,   ///< One row for each outer position: `columns[c][position] = value`; `count` and `capacity` are unused.
};

/// The scalar accumulator of one sink in one worker.
struct SinkSlot {
  std::uint64_t low;
  std::uint64_t high;
};

/// The bounded buffer of one list sink in one worker. To append: call `rt_flush_rows` if `count == capacity`, store one
/// element in each column at index `count`, then increment `count`.
struct RowBuffer {
  std::uint64_t count;
  std::uint64_t capacity;  ///< At least 1.
  void** columns;          ///< Base of each column, of the sink's element kinds.
};

/// One parallel region in flight; shared by its workers. Generated code modifies it through `rt_trap` only.
struct RegionContext {
  /// Read it (relaxed) once for each outer position and second-level item. Not 0: return, if `rt_stops` is true.
  std::uint32_t stop;
  std::uint32_t error_code;  ///< The TrapCode of the first trap.
  std::uint32_t error_line;
  std::uint32_t error_column;
  const char* error_file;
  std::uint64_t* frame;  ///< Values of the top-level variables; the code generator defines the layout.
  const SetKernels* sets;
  std::uint64_t defer_threshold;  ///< Read it relaxed; smaller loops do not pay for calling `rt_defer`.
  void* scheduler;                ///< Owned by the runtime.
  std::int64_t error_index;       ///< After TrapCode::IndexOutOfRange: the index,
  std::uint64_t error_size;       ///< and the size of the list.
};

/// The state of one thread slot. `body` and `inner` own it while they run: only one call runs on a worker at a time, so
/// `scratch` keeps its contents during a call but not between calls.
struct alignas(64) Worker {
  RegionContext* region;
  std::uint64_t index;    ///< 0…threads-1.
  std::uint8_t* scratch;  ///< `RegionLaunch::scratch_bytes` bytes, 64-byte aligned, initialised for counters only.
  SinkSlot* slots;        ///< One per sink (unused for Rows and Map).
  RowBuffer* rows;        ///< One per sink (only for Rows and Map).
  std::uint64_t positions_done;  ///< `body` adds the outer positions that it finished or deferred.
  std::uint64_t items_done;      ///< `inner` adds the second-level items that it finished.
  void* storage;                 ///< Owned by the runtime.
  /// 1 + the position whose outer-level values `inner` left in `scratch`, for its next call by the same task; else 0.
  std::uint64_t kept_position;
};

static_assert(sizeof(SinkSlot) == 16 && sizeof(RowBuffer) == 24 && sizeof(RegionContext) == 72 &&
              sizeof(Worker) == 128);
static_assert(offsetof(RegionContext, stop) == 0 && offsetof(RegionContext, frame) == 24);
static_assert(offsetof(RegionContext, sets) == 32 && offsetof(RegionContext, defer_threshold) == 40);
static_assert(offsetof(Worker, scratch) == 16 && offsetof(Worker, slots) == 24 && offsetof(Worker, rows) == 32);
static_assert(offsetof(Worker, positions_done) == 40 && offsetof(Worker, items_done) == 48);
static_assert(offsetof(Worker, kept_position) == 64);

/// Iterates over the positions [begin, end) of the outermost loop. For each: return if stopped; if the second-level
/// loop has at least `defer_threshold` items, call `rt_defer`, and skip the loop if that returns true; then count the
/// position in `positions_done`.
using RegionBody = void (*)(RegionContext*, Worker*, std::uint64_t begin, std::uint64_t end);

/// Iterates over the items [begin, end) of the second-level loop of outer position `position`. Recomputes the values of
/// the outer level unless `kept_position` says that they are in `scratch`; returns if stopped; counts each item in
/// `items_done`.
using RegionInner = void (*)(RegionContext*, Worker*, std::uint64_t position, std::uint64_t begin, std::uint64_t end);

extern "C" {

/// Records the first error of the region with its source place and asks all workers to stop; the caller then returns.
/// `file` must outlive the region.
void rt_trap(RegionContext* region, std::uint32_t code, std::uint32_t line, std::uint32_t column, const char* file);

/// Called when `stop` is not 0. True: the caller returns soon. False: it continues; if resident pages of files are
/// bounded (PageLimit), the call has enforced the bound.
bool rt_stops(const RegionContext* region);

/// Notes an index that the same thread is about to report as out of range.
void rt_note_index(std::int64_t index, std::uint64_t size);

/// Offers the second-level loop of `position` (`size` items) to the other workers. True: accepted, `inner` will run all
/// of it; false: the caller runs the loop itself.
bool rt_defer(RegionContext* region, Worker* worker, std::uint64_t position, std::uint64_t size);

/// Empties the worker's buffer of `sink` (`count` is 0 after).
void rt_flush_rows(RegionContext* region, Worker* worker, std::uint64_t sink);

/// Makes room for `rows` more rows in the worker's buffer of a `direct` sink; its columns may move. False when out of
/// memory: the region has trapped, and the caller returns.
bool rt_grow_rows(RegionContext* region, Worker* worker, std::uint64_t sink, std::uint64_t rows);

/// Adds to an ExactSum (the `low` word of a SumFloat slot).
void rt_sum_f64(void* exact_sum, double value);

/// The smaller and the larger of two doubles, independent of order: NaN wins over all, -0 is below +0.
double rt_min_f64(double a, double b);
double rt_max_f64(double a, double b);

/// The natural logarithm and the square root, correctly rounded; NaN of negative numbers.
double rt_log(double x);
double rt_sqrt(double x);

}  // extern "C"

}  // namespace matcha::runtime
