#include "codegen/llvm/helpers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "runtime/common/exact_sum.h"
#include "runtime/graph/graph.h"

// 128-bit arithmetic of libgcc, which LLVM calls by name.
extern "C" {
__int128 __divti3(__int128 a, __int128 b);
__int128 __modti3(__int128 a, __int128 b);
double __floattidf(__int128 a);
}

namespace matcha::codegen::jit {

namespace {

/// LLVM's `__muloti4`, which libgcc does not have.
__int128 multiply_checked(__int128 a, __int128 b, int* overflow) {
  __int128 result = 0;
  *overflow = __builtin_mul_overflow(a, b, &result) ? 1 : 0;
  return result;
}

template <typename F>
runtime::RuntimeSymbol symbol(const char* name, F* function) {
  return {name, reinterpret_cast<void*>(function)};
}

}  // namespace

extern "C" {

void matcha_step_trap(runtime::RegionContext* context, std::uint32_t code, std::uint32_t line, std::uint32_t column,
                      const char* file) {
  context->error_code = code;
  context->error_line = line;
  context->error_column = column;
  context->error_file = file;
  runtime::take_noted_index(*context);
}

std::uint64_t matcha_rank(const void* universe, std::int64_t id) {
  std::optional<std::uint32_t> rank = static_cast<const runtime::Universe*>(universe)->rank(id);
  return rank.has_value() ? *rank : kNoRank;
}

void matcha_arcs(const void* view, std::uint64_t rank, std::uint64_t* begin, std::uint64_t* end) {
  runtime::ArcRange arcs = runtime::arcs_of(*static_cast<const runtime::GraphView*>(view), rank);
  *begin = arcs.begin;
  *end = arcs.end;
}

void matcha_sort_f64(double* items, std::uint64_t count) {
  std::sort(items, items + count, [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); });
}

void matcha_sort_bool(std::uint8_t* items, std::uint64_t count) { std::sort(items, items + count); }

void matcha_exact_clear(void* exact_sum) { runtime::exact_sum_clear(*static_cast<runtime::ExactSum*>(exact_sum)); }

double matcha_exact_value(const void* exact_sum) {
  return runtime::exact_sum_round(*static_cast<const runtime::ExactSum*>(exact_sum));
}

}  // extern "C"

std::uint64_t exact_sum_bytes() { return sizeof(runtime::ExactSum); }

std::vector<runtime::RuntimeSymbol> helper_symbols() {
  return {
      symbol("__divti3", __divti3),
      symbol("__floattidf", __floattidf),
      symbol("__modti3", __modti3),
      symbol("__muloti4", multiply_checked),
      symbol("fmod", static_cast<double (*)(double, double)>(std::fmod)),
      symbol("matcha_arcs", matcha_arcs),
      symbol("matcha_exact_clear", matcha_exact_clear),
      symbol("matcha_exact_value", matcha_exact_value),
      symbol("matcha_rank", matcha_rank),
      symbol("matcha_sort_bool", matcha_sort_bool),
      symbol("matcha_sort_f64", matcha_sort_f64),
      symbol("matcha_step_trap", matcha_step_trap),
      symbol("memcpy", std::memcpy),
      symbol("memmove", std::memmove),
      symbol("memset", std::memset),
  };
}

}  // namespace matcha::codegen::jit
