#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/abi.h"

/// What generated CPU code and the scheduler share: plain structures read by byte offset (`offsetof`), and the calls
/// that generated code makes. README.md beside this file states the protocol.
namespace matcha::runtime {

/// Why a region was given up by generated code; `trap_message` has the wording.
enum class TrapCode : std::uint32_t {
  None = 0,
  DivisionByZero = 1,
  IntegerOverflow = 2,   ///< An int operation, or a 128-bit sum, has no room.
  IndexOutOfRange = 3,   ///< `get(l, i)` outside the list.
  LengthMismatch = 4,    ///< `apply` over lists of different lengths.
  EmptyList = 5,         ///< `min` or `max` of nothing.
  CapacityExceeded = 6,  ///< A list outgrew its stated or planned capacity.
  UnknownVertex = 7,     ///< An id that is no vertex of the graph.
  OutOfMemory = 8,       ///< Rows or buffers could not be allocated.
  NoLabel = 9,           ///< The label of a vertex that has none ("vertex has no label").
};

/// Lower case, no full stop, e.g. "division by zero".
struct RegionContext;

const char* trap_message(TrapCode code);
/// What is known besides: `index 7 of a list of 3 items`; may be empty. What `rt_note_index` noted last is taken over
/// into a context by `take_noted_index`.
std::string trap_hint(TrapCode code, std::int64_t index, std::uint64_t size);
void take_noted_index(RegionContext& context);

/// Element of a list column, in memory: uint32_t, int64_t, double, uint8_t (0 or 1).
enum class ElementKind : std::uint32_t { Vid = 0, Int = 1, Float = 2, Bool = 3 };

/// Bytes of one element.
constexpr std::uint64_t element_bytes(ElementKind kind) {
  return kind == ElementKind::Vid ? 4 : kind == ElementKind::Bool ? 1 : 8;
}

/// What a region's sink does with the values yielded into it, and so what its `SinkSlot` or `RowBuffer` holds.
enum class SinkKind : std::uint32_t {
  SumInt = 0,    ///< slot = signed 128-bit sum, low word first; starts at 0.
  SumFloat = 1,  ///< slot.low = `ExactSum*`; add with `rt_sum_f64`.
  MinInt = 2,    ///< slot.low = int64, slot.high = 1 once it holds a value.
  MaxInt = 3,
  MinFloat = 4,  ///< slot.low = bits of a double, slot.high as above; combine with `rt_min_f64`, `rt_max_f64`.
  MaxFloat = 5,
  Any = 6,   ///< slot.low = 0 or 1; starts at 0.
  All = 7,   ///< slot.low = 0 or 1; starts at 1.
  Rows = 8,  ///< appends to the worker's RowBuffer of the sink.
  Map = 9,   ///< one row an outer position: `columns[c][position] = value`; `count` and `capacity` are not used.
};

/// The scalar accumulator of one sink in one worker.
struct SinkSlot {
  std::uint64_t low;
  std::uint64_t high;
};

/// The bounded buffer of one list sink in one worker. Append: call `rt_flush_rows` if `count == capacity`, store one
/// element a column at index `count`, then increment `count`.
struct RowBuffer {
  std::uint64_t count;
  std::uint64_t capacity;  ///< At least 1.
  void** columns;          ///< Base of each column, of the sink's element kinds.
};

/// One parallel region in flight; shared by its workers. Generated code writes nothing here but through `rt_trap`.
struct RegionContext {
  /// Read it (relaxed) once an outer position and once a second-level item. Not 0: return, if `rt_stops` says so.
  std::uint32_t stop;
  std::uint32_t error_code;  ///< The TrapCode of the first trap.
  std::uint32_t error_line;
  std::uint32_t error_column;
  const char* error_file;
  std::uint64_t* frame;  ///< Values of the top-level variables; its meaning is the code generator's.
  const SetKernels* sets;
  std::uint64_t defer_threshold;  ///< Read it relaxed; below it `rt_defer` is not worth the call.
  void* scheduler;                ///< Of the runtime.
  std::int64_t error_index;       ///< After TrapCode::IndexOutOfRange: the index,
  std::uint64_t error_size;       ///< and the size of the list.
};

/// The state of one thread slot. `body` and `inner` own it while they run: they are never entered twice at a time on
/// one worker, so `scratch` keeps its contents through a whole call but not between calls.
struct alignas(64) Worker {
  RegionContext* region;
  std::uint64_t index;    ///< 0…threads-1.
  std::uint8_t* scratch;  ///< `RegionLaunch::scratch_bytes` bytes, 64-byte aligned, initialised for counters only.
  SinkSlot* slots;        ///< One a sink (unused for Rows and Map).
  RowBuffer* rows;        ///< One a sink (unused but for Rows and Map).
  std::uint64_t positions_done;  ///< `body` adds the outer positions that it finished or deferred.
  std::uint64_t items_done;      ///< `inner` adds the second-level items that it finished.
  void* storage;                 ///< Of the runtime.
  /// 1 + the position whose outer level `inner` has left in `scratch`, for its next call by the same task; else 0.
  std::uint64_t kept_position;
};

static_assert(sizeof(SinkSlot) == 16 && sizeof(RowBuffer) == 24 && sizeof(RegionContext) == 72 &&
              sizeof(Worker) == 128);
static_assert(offsetof(RegionContext, stop) == 0 && offsetof(RegionContext, frame) == 24);
static_assert(offsetof(RegionContext, sets) == 32 && offsetof(RegionContext, defer_threshold) == 40);
static_assert(offsetof(Worker, scratch) == 16 && offsetof(Worker, slots) == 24 && offsetof(Worker, rows) == 32);
static_assert(offsetof(Worker, positions_done) == 40 && offsetof(Worker, items_done) == 48);
static_assert(offsetof(Worker, kept_position) == 64);

/// Walks the positions [begin, end) of the outermost loop. For each: leave if stopped; if the second-level loop has at
/// least `defer_threshold` items, call `rt_defer`, and when that says true skip the loop; then count the position in
/// `positions_done`.
using RegionBody = void (*)(RegionContext*, Worker*, std::uint64_t begin, std::uint64_t end);

/// Walks the items [begin, end) of the second-level loop of outer position `position`, deriving again what the outer
/// level computed, unless `kept_position` says that it is there; leaves if stopped; counts each item in `items_done`.
using RegionInner = void (*)(RegionContext*, Worker*, std::uint64_t position, std::uint64_t begin, std::uint64_t end);

extern "C" {

/// Records the first error of the region with its source place and asks all workers to stop; the caller then returns.
/// `file` must outlive the region.
void rt_trap(RegionContext* region, std::uint32_t code, std::uint32_t line, std::uint32_t column, const char* file);

/// Called where `stop` is not 0. True: the caller returns soon. Else it goes on, and where the pages of files in memory
/// are bounded (PageLimit), the bound has been seen to.
bool rt_stops(const RegionContext* region);

/// Notes the index of which the same thread is about to say that it is out of range.
void rt_note_index(std::int64_t index, std::uint64_t size);

/// Offers the second-level loop of `position` (`size` items) to the other workers. True: taken over, `inner` will run
/// all of it; false: the caller walks it itself.
bool rt_defer(RegionContext* region, Worker* worker, std::uint64_t position, std::uint64_t size);

/// Empties the worker's buffer of `sink` (`count` is 0 after).
void rt_flush_rows(RegionContext* region, Worker* worker, std::uint64_t sink);

/// Makes room for `rows` more rows in the worker's buffer of a `direct` sink; its columns may move. False when there is
/// no memory: the region has trapped, and the caller returns.
bool rt_grow_rows(RegionContext* region, Worker* worker, std::uint64_t sink, std::uint64_t rows);

/// Adds to an ExactSum (the `low` word of a SumFloat slot).
void rt_sum_f64(void* exact_sum, double value);

/// Smaller and larger of two doubles, whatever the order of combination: NaN wins over all, -0 is below +0.
double rt_min_f64(double a, double b);
double rt_max_f64(double a, double b);

}  // extern "C"

}  // namespace matcha::runtime
