// The few atomic operations that the task queue and the workers use, on host and device. All are relaxed: what is
// passed between workers is passed in the atomic words themselves.
#pragma once

#ifndef __CUDACC__
#include <time.h>
#endif

#include "runtime/common/prelude.h"

namespace matcha_program {

#ifdef __CUDACC__

MATCHA_FN u64 atomic_add(u64* word, u64 value) { return atomicAdd(word, value); }
MATCHA_FN u64 atomic_exchange(u64* word, u64 value) { return atomicExch(word, value); }
MATCHA_FN u64 atomic_exchange_if(u64* word, u64 expected, u64 value) { return atomicCAS(word, expected, value); }
MATCHA_FN u64 atomic_read(const u64* word) { return *static_cast<const volatile u64*>(word); }
MATCHA_FN void nap() { __nanosleep(100); }

#else

MATCHA_FN u64 atomic_add(u64* word, u64 value) { return __atomic_fetch_add(word, value, __ATOMIC_RELAXED); }
MATCHA_FN u64 atomic_exchange(u64* word, u64 value) { return __atomic_exchange_n(word, value, __ATOMIC_RELAXED); }
MATCHA_FN u64 atomic_exchange_if(u64* word, u64 expected, u64 value) {
  __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
MATCHA_FN u64 atomic_read(const u64* word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
/// Whoever is waited for may need this processor; yielding it does not reach threads that others hold up.
MATCHA_FN void nap() {
  timespec moment{0, 1000};
  nanosleep(&moment, nullptr);
}

#endif

}  // namespace matcha_program
