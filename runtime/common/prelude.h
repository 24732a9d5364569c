// The start of every generated C-family program, on host and device: types, comparisons, error codes. Nothing is
// included, so that NVRTC compiles it in milliseconds. MATCHA_FN qualifies functions that workers call, and
// MATCHA_NOINLINE those that are not inlined: inlining dominates NVRTC's time, but a call may cost registers and so
// occupancy. One file of CUDA may contain this text twice: for its device, and with MATCHA_HOST_PART for its host.
#pragma once

#if defined(__CUDACC__) && !defined(MATCHA_HOST_PART)
#define MATCHA_ON_DEVICE
#endif

#ifdef MATCHA_ON_DEVICE
#define MATCHA_FN static __device__ __forceinline__
#define MATCHA_MEMBER __device__ __forceinline__
#define MATCHA_NOINLINE __device__ __noinline__
#else
#define MATCHA_FN static inline
#define MATCHA_MEMBER inline
#define MATCHA_NOINLINE inline
#endif

namespace matcha_program {

using u8 = unsigned char;
using u32 = unsigned int;
using u64 = unsigned long long;
using i64 = long long;
using i128 = __int128;
using u128 = unsigned __int128;
using f64 = double;
static_assert(sizeof(u32) == 4 && sizeof(u64) == 8 && sizeof(i64) == 8, "the widths of the runtime's interface");

template <typename T>
inline constexpr bool is_float = sizeof(T) == 8 && T(0.5) != T(0);
MATCHA_FN bool is_negative(f64 x) {
  union {
    f64 number;
    u64 bits;
  } pun;
  pun.number = x;
  return pun.bits >> 63 != 0;
}
/// True if `x` replaces `y` as the least or the greatest. For floats these are minimum and maximum of IEEE 754-2019,
/// which are independent of order: NaN stays, and -0 is below 0.
template <bool least, typename T>
MATCHA_FN bool beats(T x, T y) {
  if constexpr (is_float<T>) {
    if (x == y) return is_negative(x) == least && is_negative(y) != least;
    if (x != x) return y == y;
  }
  return least ? x < y : y < x;
}
template <typename T>
MATCHA_FN T smaller(T a, T b) {
  return beats<true>(b, a) ? b : a;
}
template <typename T>
MATCHA_FN T larger(T a, T b) {
  return beats<false>(b, a) ? b : a;
}

/// a · b, rounded before any addition (no fused multiply-add).
MATCHA_FN f64 product(f64 a, f64 b) {
#ifdef MATCHA_ON_DEVICE
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

/// Codes of `runtime::TrapCode`, and one for paged stacks only.
enum TrapCode : u32 {
  kDivisionByZero = 1,
  kIntegerOverflow = 2,
  kIndexOutOfRange = 3,
  kLengthMismatch = 4,
  kEmptyList = 5,
  kCapacityExceeded = 6,
  kUnknownVertex = 7,
  kOutOfMemory = 8,
  kNoVertexLabel = 9,
  kNoFixedPoint = 10,
  kOutOfPages = 100,
};

}  // namespace matcha_program
