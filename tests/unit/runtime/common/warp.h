// A warp of fibers, so that device code with groups of several lanes runs in a test: included before runtime/common, it
// makes that the text of a device. A lane runs until it meets the others of its mask at a warp function; each function
// is one exchange of values. Lanes that miss an exchange, or reach another one, hang the others, which ends the test.
// Warps may run in parallel on threads of the host: shared data is changed by atomic operations.
#pragma once

#include <cstdint>
#include <cstring>

#include "tests/unit/runtime/common/fibers.h"

#define __CUDACC__
#define __device__
#define __forceinline__ inline
#define __noinline__

// As <math.h> declares them.
extern "C" double fmod(double, double) noexcept;
extern "C" double sqrt(double) noexcept;

namespace warp {

struct Index {
  unsigned x;
};

inline Warp& here() { return *Warp::current(); }

template <typename T>
std::uint64_t to_word(T value) {
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}
template <typename T>
T from_word(std::uint64_t word) {
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}
template <typename T>
T exchange(unsigned mask, T value, unsigned source) {
  here().meet(mask, to_word(value));
  return from_word<T>(here().value_of(source));
}

}  // namespace warp

#define threadIdx (warp::Index{warp::here().first + warp::here().lane})

inline void __syncwarp(unsigned mask) { warp::here().meet(mask, 0); }
inline unsigned __ballot_sync(unsigned mask, bool flag) {
  warp::here().meet(mask, flag ? 1 : 0);
  unsigned result = 0;
  for (unsigned i = 0; i < warp::kLanes; ++i) {
    if ((mask >> i & 1) != 0 && warp::here().value_of(i) != 0) result |= 1u << i;
  }
  return result;
}
inline unsigned __match_any_sync(unsigned mask, unsigned word) {
  warp::here().meet(mask, word);
  unsigned result = 0;
  for (unsigned i = 0; i < warp::kLanes; ++i) {
    if ((mask >> i & 1) != 0 && warp::here().value_of(i) == word) result |= 1u << i;
  }
  return result;
}
template <typename T>
T __shfl_sync(unsigned mask, T value, unsigned source, unsigned width) {
  unsigned first = warp::here().lane / width * width;
  return warp::exchange(mask, value, first + source % width);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned step, unsigned width) {
  unsigned lane = warp::here().lane;
  return warp::exchange(mask, value, lane % width < step ? lane : lane - step);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, unsigned bits, unsigned) {
  return warp::exchange(mask, value, warp::here().lane ^ bits);
}
inline int __popc(unsigned word) { return __builtin_popcount(word); }
inline int __ffsll(long long word) { return __builtin_ffsll(word); }
inline long long clock64() { return static_cast<long long>(__builtin_ia32_rdtsc()); }
inline double __dmul_rn(double a, double b) { return a * b; }
inline void __nanosleep(unsigned) { warp::here().nap(); }
inline void __threadfence() {}
inline void __threadfence_system() {}

using Word = unsigned long long;
inline Word atomicAdd(Word* word, Word value) { return __atomic_fetch_add(word, value, __ATOMIC_RELAXED); }
inline unsigned atomicAdd(unsigned* word, unsigned value) { return __atomic_fetch_add(word, value, __ATOMIC_RELAXED); }
inline Word atomicExch(Word* word, Word value) { return __atomic_exchange_n(word, value, __ATOMIC_RELAXED); }
inline Word atomicOr(Word* word, Word bits) { return __atomic_fetch_or(word, bits, __ATOMIC_RELAXED); }
inline unsigned atomicOr(unsigned* word, unsigned bits) { return __atomic_fetch_or(word, bits, __ATOMIC_RELAXED); }
inline Word atomicAnd(Word* word, Word bits) { return __atomic_fetch_and(word, bits, __ATOMIC_RELAXED); }
inline unsigned atomicCAS(unsigned* word, unsigned expected, unsigned value) {
  __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
inline Word atomicCAS(Word* word, Word expected, Word value) {
  __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
