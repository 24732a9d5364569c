// The atomic operations of the task queue and the workers, on host and device. All are relaxed except `publish` and the
// operations that hand over bit rows and places of kernels. Other data is passed inside the atomic words; where two
// words must be seen in order there is a `fence`.
#pragma once

#include "runtime/common/prelude.h"

#ifndef MATCHA_ON_DEVICE
#include <time.h>
#endif

namespace matcha_program {

#ifdef MATCHA_ON_DEVICE

MATCHA_FN u64 atomic_add(u64* word, u64 value) { return atomicAdd(word, value); }
MATCHA_FN u64 atomic_exchange(u64* word, u64 value) { return atomicExch(word, value); }
MATCHA_FN u64 atomic_or(u64* word, u64 bits) { return atomicOr(word, bits); }
MATCHA_FN u64 atomic_and(u64* word, u64 bits) { return atomicAnd(word, bits); }
MATCHA_FN u64 atomic_exchange_if(u64* word, u64 expected, u64 value) { return atomicCAS(word, expected, value); }
MATCHA_FN u64 atomic_read(const u64* word) { return *static_cast<const volatile u64*>(word); }
/// Adds after all earlier writes of this thread (release). A thread that sees it by `atomic_read_first` sees these
/// writes in its later reads.
MATCHA_FN void atomic_add_last(u64* word, u64 value) {
  __threadfence();
  atomicAdd(word, value);
}
MATCHA_FN u64 atomic_read_first(const u64* word) {
  u64 value = *static_cast<const volatile u64*>(word);
  __threadfence();
  return value;
}
/// Both in one: adds after all earlier writes of this thread, and sees the writes of others before their additions.
MATCHA_FN u64 atomic_add_between(u64* word, u64 value) {
  __threadfence();
  const u64 before = atomicAdd(word, value);
  __threadfence();
  return before;
}
/// Writes a word after all earlier writes of this thread; for a reader on the host.
MATCHA_FN void publish(u64* word, u64 value) {
  __threadfence_system();
  *static_cast<volatile u64*>(word) = value;
}
/// Waits for about `nanoseconds`.
MATCHA_FN void nap(u32 nanoseconds = 100) { __nanosleep(nanoseconds); }
/// Other threads see the writes before it no later than those after it.
MATCHA_FN void fence() { __threadfence(); }
MATCHA_FN u32 lowest_bit(u64 word) { return u32(__ffsll(i64(word)) - 1); }

#else

MATCHA_FN u64 atomic_add(u64* word, u64 value) { return __atomic_fetch_add(word, value, __ATOMIC_RELAXED); }
MATCHA_FN u64 atomic_exchange(u64* word, u64 value) { return __atomic_exchange_n(word, value, __ATOMIC_RELAXED); }
MATCHA_FN u64 atomic_or(u64* word, u64 bits) { return __atomic_fetch_or(word, bits, __ATOMIC_RELAXED); }
MATCHA_FN u64 atomic_and(u64* word, u64 bits) { return __atomic_fetch_and(word, bits, __ATOMIC_RELAXED); }
MATCHA_FN u64 atomic_exchange_if(u64* word, u64 expected, u64 value) {
  __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
MATCHA_FN u64 atomic_read(const u64* word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
MATCHA_FN void atomic_add_last(u64* word, u64 value) { __atomic_fetch_add(word, value, __ATOMIC_RELEASE); }
MATCHA_FN u64 atomic_read_first(const u64* word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
MATCHA_FN u64 atomic_add_between(u64* word, u64 value) { return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL); }
MATCHA_FN void publish(u64* word, u64 value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }
/// The thread that is waited for may need this processor; a yield alone does not reach threads that are preempted
/// elsewhere.
MATCHA_FN void nap(u32 = 0) {
  timespec moment{0, 1000};
  nanosleep(&moment, nullptr);
}
/// The processor keeps atomic operations in order; this stops the compiler from reordering.
MATCHA_FN void fence() { __asm__ volatile("" ::: "memory"); }
MATCHA_FN u32 lowest_bit(u64 word) { return u32(__builtin_ctzll(word)); }

#endif

/// Adds to a number of two words, which is right once all have added. Gives a value that it has then reached.
MATCHA_FN u128 atomic_add_wide(u64* low, u64* high, u128 value) {
  const u64 after = atomic_add(low, u64(value)) + u64(value);
  const u64 rest = u64(value >> 64) + (after < u64(value) ? 1 : 0);
  if (rest != 0) atomic_add(high, rest);
  return u128(rest) << 64 | after;
}

}  // namespace matcha_program
