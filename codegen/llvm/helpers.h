#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/cpu/region.h"
#include "runtime/cpu/symbols.h"

/// Functions that generated code calls, beside the runtime's own.
namespace matcha::codegen::jit {

/// Result of `matcha_rank` for an id that is not a vertex.
inline constexpr std::uint64_t kNoRank = ~std::uint64_t{0};

extern "C" {

/// `rt_trap` for step functions, which run outside of regions.
void matcha_step_trap(runtime::RegionContext* context, std::uint32_t code, std::uint32_t line, std::uint32_t column,
                      const char* file);

/// The rank of an original id in a `runtime::Universe`, or kNoRank.
std::uint64_t matcha_rank(const void* universe, std::int64_t id);

/// `runtime::arcs_of` for a GraphView.
void matcha_arcs(const void* view, std::uint64_t rank, std::uint64_t* begin, std::uint64_t* end);

/// Sorts in place, ascending. NaN comes last.
void matcha_sort_f64(double* items, std::uint64_t count);
void matcha_sort_bool(std::uint8_t* items, std::uint64_t count);

/// Initializes and reads a `runtime::ExactSum` of a nested collect. `rt_sum_f64` adds.
void matcha_exact_clear(void* exact_sum);
double matcha_exact_value(const void* exact_sum);

}  // extern "C"

/// Bytes of a `runtime::ExactSum`, for a local of generated code; aligned to 16.
std::uint64_t exact_sum_bytes();

/// The functions above and those that LLVM calls for 128-bit arithmetic and `fmod`.
std::vector<runtime::RuntimeSymbol> helper_symbols();

}  // namespace matcha::codegen::jit
