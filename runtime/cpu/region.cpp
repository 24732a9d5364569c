#include "runtime/cpu/region.h"

#include <atomic>
#include <cmath>

#include "runtime/common/exact_sum.h"
#include "runtime/common/real_functions.h"
#include "runtime/cpu/missing_key.h"
#include "runtime/cpu/region_state.h"
#include "runtime/graph/page_limit.h"

namespace matcha::runtime {

namespace {

struct Noted {
  std::int64_t index = 0;
  std::uint64_t size = 0;
};
thread_local Noted noted;

}  // namespace

const char* trap_message(TrapCode code) {
  switch (code) {
    case TrapCode::None: return "no error";
    case TrapCode::DivisionByZero: return "division by zero";
    case TrapCode::IntegerOverflow: return "integer overflow";
    case TrapCode::IndexOutOfRange: return "no such item or key";
    case TrapCode::LengthMismatch: return "lists of different lengths";
    case TrapCode::EmptyList: return "`min` or `max` of an empty list";
    case TrapCode::CapacityExceeded: return "a list outgrew its capacity";
    case TrapCode::UnknownVertex: return "not a vertex of the graph";
    case TrapCode::OutOfMemory: return "out of memory";
    case TrapCode::NoLabel: return "vertex has no label";
    case TrapCode::NoFixedPoint: return "no fixed point: the last round still changes the value";
  }
  return "unknown error";
}

std::string trap_hint(TrapCode code, std::int64_t index, std::uint64_t size) {
  if (code != TrapCode::IndexOutOfRange) return "";
  if (size == kOfTable) return "the table has no such key; `default=` says its value";
  return "index " + std::to_string(index) + " of a list of " + std::to_string(size) + (size == 1 ? " item" : " items");
}

void take_noted_index(RegionContext& context) {
  context.error_index = noted.index;
  context.error_size = noted.size;
}

extern "C" {

void rt_note_index(std::int64_t index, std::uint64_t size) { noted = {index, size}; }

void rt_trap(RegionContext* region, std::uint32_t code, std::uint32_t line, std::uint32_t column, const char* file) {
  state_of(*region).trap(static_cast<TrapCode>(code), line, column, file);
}

bool rt_defer(RegionContext* region, Worker*, std::uint64_t position, std::uint64_t size) {
  return state_of(*region).defer(position, size);
}

bool rt_stops(const RegionContext* region) {
  if (std::atomic_ref<std::uint32_t>(const_cast<std::uint32_t&>(region->stop)).load(std::memory_order_relaxed) !=
      kLooksAtPages)
    return true;
  PageLimit::check();
  return false;
}

void rt_flush_rows(RegionContext* region, Worker* worker, std::uint64_t sink) {
  state_of(*region).flush_rows(*static_cast<WorkerState*>(worker->storage), sink);
}

bool rt_grow_rows(RegionContext* region, Worker* worker, std::uint64_t sink, std::uint64_t rows) {
  return state_of(*region).grow_rows(*static_cast<WorkerState*>(worker->storage), sink, rows);
}

void rt_sum_f64(void* exact_sum, double value) { exact_sum_add(*static_cast<ExactSum*>(exact_sum), value); }

double rt_log(double x) { return natural_logarithm(x); }

double rt_sqrt(double x) { return square_root(x); }

double rt_min_f64(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

double rt_max_f64(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

}  // extern "C"

}  // namespace matcha::runtime
