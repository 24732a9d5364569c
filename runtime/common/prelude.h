// What every generated C-family program starts with, on host and device: types, lists, slices, codes of errors.
// Nothing is included, so that NVRTC compiles it in milliseconds; MATCHA_FN is how the language spells a function that
// workers call, and MATCHA_APART one that is not copied into its callers: NVRTC's time goes into copies, but a call may
// cost registers, and with them groups at work. One file of CUDA may hold this text twice: for its device, and with
// MATCHA_HOST_PART for its host.
#pragma once

#if defined(__CUDACC__) && !defined(MATCHA_HOST_PART)
#define MATCHA_ON_DEVICE
#endif

#ifdef MATCHA_ON_DEVICE
#define MATCHA_FN static __device__ __forceinline__
#define MATCHA_MEMBER __device__ __forceinline__
#define MATCHA_APART __device__ __noinline__
#else
#define MATCHA_FN static inline
#define MATCHA_MEMBER inline
#define MATCHA_APART inline
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

/// A list in columns; the first column is the set of set operations.
template <typename... T>
struct List;
template <typename T>
struct List<T> {
  using Value = T;
  const T* data;
  u64 size;
  MATCHA_MEMBER T at(u64 i) const { return data[i]; }
  MATCHA_MEMBER List part(u64 begin, u64 end) const { return {data + begin, end - begin}; }
};
template <typename T, typename... Rest>
struct List<T, Rest...> {
  const T* data;
  u64 size;
  List<Rest...> rest;
  MATCHA_MEMBER T at(u64 i) const { return data[i]; }
  MATCHA_MEMBER List part(u64 begin, u64 end) const { return {data + begin, end - begin, rest.part(begin, end)}; }
};

/// A few rows written in the program, in columns.
template <u64 rows, typename... T>
struct Literal;
template <u64 rows, typename T>
struct Literal<rows, T> {
  using Value = T;
  T data[rows == 0 ? 1 : rows];
  static constexpr u64 size = rows;
  MATCHA_MEMBER T at(u64 i) const { return data[i]; }
};
template <u64 rows, typename T, typename... Rest>
struct Literal<rows, T, Rest...> {
  T data[rows == 0 ? 1 : rows];
  Literal<rows, Rest...> rest;
  static constexpr u64 size = rows;
  MATCHA_MEMBER T at(u64 i) const { return data[i]; }
};

template <u64 column, typename L>
MATCHA_FN auto item(const L& list, u64 i) {
  if constexpr (column == 0) {
    return list.at(i);
  } else {
    return item<column - 1>(list.rest, i);
  }
}

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

/// Position of the first item not below `x` in an ascending list; no branch depends on the data.
template <typename L>
MATCHA_FN u64 position(const L& list, typename L::Value x) {
  u64 begin = 0;
  u64 rest = list.size;
  while (rest >> 32 != 0) {
    u64 half = rest / 2;
    begin += list.at(begin + half - 1) < x ? half : 0;
    rest -= half;
  }
  // 32-bit steps take half the instructions on a device.
  u32 low = 0;
  u32 size = u32(rest);
  while (size > 1) {
    u32 half = size / 2;
    low += list.at(begin + low + half - 1) < x ? half : 0;
    size -= half;
  }
  return begin + low + (size == 1 && list.at(begin + low) < x ? 1 : 0);
}
template <typename L>
MATCHA_FN i64 lower_bound(const L& list, typename L::Value x) {
  return i64(position(list, x));
}
template <typename L>
MATCHA_FN L below(const L& list, typename L::Value x) {
  return list.part(0, position(list, x));
}
template <typename L>
MATCHA_FN L above(const L& list, typename L::Value x) {
  u64 at = position(list, x);
  while (at < list.size && !(x < list.at(at))) ++at;
  return list.part(at, list.size);
}
template <typename L>
MATCHA_FN L span(const L& list, i64 begin, i64 end) {
  u64 from = begin < 0 ? 0 : smaller(u64(begin), u64(list.size));
  u64 to = end < 0 ? 0 : smaller(u64(end), u64(list.size));
  return list.part(from, larger(from, to));
}
/// Looks for the last item that is not above `x`, and keeps it as it comes by: one load after the other for each
/// halving and none behind them.
template <typename L>
MATCHA_FN bool contains(const L& list, typename L::Value x) {
  if (list.size == 0) return false;
  u64 begin = 0;
  u64 rest = list.size;
  typename L::Value last = list.at(0);
  while (rest >> 32 != 0) {
    u64 half = rest / 2;
    const typename L::Value item = list.at(begin + half);
    if (item <= x) begin += half, last = item;
    rest -= half;
  }
  u32 low = 0;
  for (u32 size = u32(rest); size > 1;) {
    u32 half = size / 2;
    const typename L::Value item = list.at(begin + low + half);
    if (item <= x) low += half, last = item;
    size -= half;
  }
  return last == x;
}
/// How many of the two are in the list. Both searches take as many steps, and the loads of one do not wait for the
/// other's.
template <typename L>
MATCHA_FN u32 contains_both(const L& list, typename L::Value x, typename L::Value y) {
  if (list.size >> 32 != 0 || list.size == 0) return u32(contains(list, x)) + u32(contains(list, y));
  typename L::Value last_x = list.at(0);
  typename L::Value last_y = last_x;
  u32 low_x = 0;
  u32 low_y = 0;
  for (u32 size = u32(list.size); size > 1;) {
    u32 half = size / 2;
    const typename L::Value item_x = list.at(low_x + half);
    const typename L::Value item_y = list.at(low_y + half);
    if (item_x <= x) low_x += half, last_x = item_x;
    if (item_y <= y) low_y += half, last_y = item_y;
    size -= half;
  }
  return u32(last_x == x) + u32(last_y == y);
}
template <u64 rows, typename T>
MATCHA_FN bool contains(const Literal<rows, T>& list, T x) {
  bool found = false;
  for (u64 i = 0; i < rows; ++i) found = found || list.data[i] == x;
  return found;
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
