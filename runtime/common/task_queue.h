// The queue of tasks that workers split off: a ring without locks (T-DFS, Algorithm 3), of words instead of ints.
#pragma once

#include "runtime/common/atomics.h"

namespace matcha_program {

/// A part of a region. At loop levels below `depth` the position is `at[level]`; at level `depth` the positions
/// [begin, end) are walked, and all of them further down.
struct Task {
  u32 depth;
  u64 at[2];
  u64 begin, end;
};

inline constexpr u64 kEmptyWord = ~0ull;
inline constexpr u64 kTaskWords = 4;

/// A view of the ring. `size` counts tasks that are promised, `front` and `back` only grow. Every word of an empty slot
/// is `kEmptyWord`, so that a word is handed over by one exchange, whichever side comes first.
struct TaskQueue {
  u64* words;    ///< `capacity * kTaskWords`, all kEmptyWord at the start.
  u64 capacity;  ///< Tasks; 0: every push says no.
  u64* size;
  u64* front;
  u64* back;

  /// False when the ring is full: the caller keeps the work.
  MATCHA_MEMBER bool push(const Task& task) const {
    if (capacity == 0) return false;
    if (i64(atomic_add(size, 1)) >= i64(capacity)) {
      atomic_add(size, ~0ull);
      return false;
    }
    u64* slot = words + atomic_add(back, 1) % capacity * kTaskWords;
    put(slot + 0, task.at[0]);
    put(slot + 1, task.at[1]);
    put(slot + 2, task.begin);
    put(slot + 3, task.end << 2 | task.depth);
    return true;
  }

  MATCHA_MEMBER bool pop(Task& task) const {
    if (capacity == 0 || i64(atomic_read(size)) <= 0) return false;
    if (i64(atomic_add(size, ~0ull)) <= 0) {
      atomic_add(size, 1);
      return false;
    }
    u64* slot = words + atomic_add(front, 1) % capacity * kTaskWords;
    task.at[0] = take(slot + 0);
    task.at[1] = take(slot + 1);
    task.begin = take(slot + 2);
    u64 last = take(slot + 3);
    task.end = last >> 2;
    task.depth = u32(last & 3);
    return true;
  }

 private:
  MATCHA_MEMBER static void put(u64* word, u64 value) {
    while (atomic_exchange_if(word, kEmptyWord, value) != kEmptyWord) nap();
  }
  MATCHA_MEMBER static u64 take(u64* word) {
    u64 value = atomic_exchange(word, kEmptyWord);
    while (value == kEmptyWord) {
      nap();
      value = atomic_exchange(word, kEmptyWord);
    }
    return value;
  }
};

}  // namespace matcha_program
