// What every generated C-family program starts with, on host and device: types, comparisons, codes of errors.
// Nothing is included, so that NVRTC compiles it in milliseconds; MATCHA_FN is how the language spells a function that
// workers call, and MATCHA_NOINLINE one that is not copied into its callers: NVRTC's time goes into copies, but a call
// may cost registers, and with them groups at work. One file of CUDA may hold this text twice: for its device, and with
// MATCHA_HOST_PART for its host.
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
/// Whether `x` takes the place of `y` as the least or the greatest. Of floats these are minimum and maximum of IEEE
/// 754-2019, which depend on no order: what is no number stays so, and -0 is below 0.
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

/// a · b, rounded before anything is added to it.
MATCHA_FN f64 product(f64 a, f64 b) {
#ifdef MATCHA_ON_DEVICE
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

/// Codes of `runtime::TrapCode`, and one that only paged stacks have.
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
  kOutOfPages = 100,
};

}  // namespace matcha_program
