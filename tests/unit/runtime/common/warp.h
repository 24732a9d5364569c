// A warp of fibers, so that device code with groups of several lanes runs in a test: included before runtime/common, it
// makes that the text of a device. A lane runs until it meets the others of its mask at a warp function; each function
// is one exchange of values. Lanes that miss an exchange, or reach another one, hang the others, which ends the test.
// Warps may run in parallel on threads of the host: shared data is changed by atomic operations.
#pragma once

#include <ucontext.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#define __CUDACC__
#define __device__
#define __forceinline__ inline
#define __noinline__

namespace warp {

inline constexpr unsigned kLanes = 32;

struct Index {
  unsigned x;
};

/// The lanes that run now.
struct Warp {
  static constexpr std::size_t kStackBytes = 256 << 10;

  ucontext_t scheduler;
  std::array<ucontext_t, kLanes> contexts;
  std::array<std::vector<char>, kLanes> stacks;
  std::array<bool, kLanes> done{};
  /// The values that a lane left for the others of one mask.
  struct Exchanges {
    std::uint64_t count = 0;
    std::array<std::uint64_t, 2> values{};  ///< Of the last one and the one before.
  };
  std::array<std::unordered_map<unsigned, Exchanges>, kLanes> exchanges;  ///< Of each lane, by masks.
  std::uint64_t met = 0;                                                  ///< Exchanges that lanes have come to.
  std::uint64_t naps = 0;                                                 ///< Of all lanes.
  unsigned lane = 0;
  unsigned first = 0;  ///< The number of its first thread in its block.
  std::function<void()> work;

  static Warp*& current() {
    static thread_local Warp* warp = nullptr;
    return warp;
  }
  static void enter() {
    Warp& warp = *current();
    warp.work();
    warp.done[warp.lane] = true;
  }

  void run(const std::function<void()>& every_lane) {
    current() = this;
    work = every_lane;
    for (unsigned i = 0; i < kLanes; ++i) {
      done[i] = false;
      exchanges[i].clear();
      stacks[i].resize(kStackBytes);
      getcontext(&contexts[i]);
      contexts[i].uc_stack.ss_sp = stacks[i].data();
      contexts[i].uc_stack.ss_size = stacks[i].size();
      contexts[i].uc_link = &scheduler;
      makecontext(&contexts[i], enter, 0);
    }
    constexpr int kIdleRounds = 3;
    int idle = 0;
    while (idle < kIdleRounds) {
      std::uint64_t before = naps + met;
      unsigned running = 0;
      for (unsigned i = 0; i < kLanes; ++i) {
        before += done[i] ? 1 : 0;
        if (done[i]) continue;
        lane = i;
        swapcontext(&scheduler, &contexts[i]);
        running += done[i] ? 0 : 1;
      }
      std::uint64_t after = naps + met;
      for (unsigned i = 0; i < kLanes; ++i) after += done[i] ? 1 : 0;
      if (running == 0) return;
      idle = before == after ? idle + 1 : 0;
    }
    std::fprintf(stderr, "lanes of a warp wait for lanes that do not come\n");
    std::abort();
  }

  /// Leaves `value` for the lanes of `mask` and waits for theirs.
  void meet(unsigned mask, std::uint64_t value) {
    const unsigned self = lane;
    ++met;
    Exchanges& own = exchanges[self][mask];
    own.values[++own.count % 2] = value;
    for (unsigned other = 0; other < kLanes; ++other) {
      if ((mask >> other & 1) == 0) continue;
      const Exchanges& theirs = exchanges[other][mask];
      while (theirs.count < own.count) swapcontext(&contexts[self], &scheduler);
    }
    lane = self;
  }
  /// Lets the other lanes go on, and other threads.
  void nap() {
    const unsigned self = lane;
    ++naps;
    std::this_thread::sleep_for(std::chrono::microseconds(1));
    swapcontext(&contexts[self], &scheduler);
    lane = self;
  }
  /// The value that another lane left at the last exchange of the mask.
  std::uint64_t value_of(unsigned mask, unsigned other) {
    return exchanges[other][mask].values[exchanges[lane][mask].count % 2];
  }
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
  return from_word<T>(here().value_of(mask, source));
}

}  // namespace warp

#define threadIdx (warp::Index{warp::here().first + warp::here().lane})

inline void __syncwarp(unsigned mask) { warp::here().meet(mask, 0); }
inline unsigned __ballot_sync(unsigned mask, bool flag) {
  warp::here().meet(mask, flag ? 1 : 0);
  unsigned result = 0;
  for (unsigned i = 0; i < warp::kLanes; ++i) {
    if ((mask >> i & 1) != 0 && warp::here().value_of(mask, i) != 0) result |= 1u << i;
  }
  return result;
}
inline unsigned __match_any_sync(unsigned mask, unsigned word) {
  warp::here().meet(mask, word);
  unsigned result = 0;
  for (unsigned i = 0; i < warp::kLanes; ++i) {
    if ((mask >> i & 1) != 0 && warp::here().value_of(mask, i) == word) result |= 1u << i;
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
using std::fmod;

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
