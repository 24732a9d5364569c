// The queue of tasks that workers split off: a ring without locks, after T-DFS's Algorithm 3. What differs: `size` is
// exact at all times, and words carry the round of the ring in which they were written. A worker may be held up between
// two words of a slot while the others go round the whole ring; without rounds it would get parts of two tasks.
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

inline constexpr u64 kEmptyWord = ~0ull;  ///< What all words of a new ring hold.
inline constexpr u64 kTaskWords = 4;
inline constexpr u64 kValueBits = 48;  ///< Of a word; positions and `end << 2 | depth` are below 2^48.

/// A view of the ring. `size` counts tasks that are promised: pushed or about to be, and popped by nobody. `front` and
/// `back` only grow. The complement of a word is a value below a turn: 2 r when the slot waits for its task of round r,
/// 2 r + 1 when it holds that one. So a word is handed over by itself, whichever side comes first.
struct TaskQueue {
  u64* words;    ///< `capacity * kTaskWords`, all kEmptyWord at the start.
  u64 capacity;  ///< Tasks; 0: every push says no.
  u64* size;
  u64* front;
  u64* back;

  /// False when the ring is full: the caller keeps the work.
  MATCHA_MEMBER bool push(const Task& task) const {
    u64 promised = atomic_read(size);
    while (true) {
      if (promised >= capacity) return false;
      u64 seen = atomic_exchange_if(size, promised, promised + 1);
      if (seen == promised) break;
      promised = seen;
    }
    u64 ticket = atomic_add(back, 1);
    u64* slot = words + ticket % capacity * kTaskWords;
    u64 round = ticket / capacity;
    put(slot + 0, round, task.at[0]);
    put(slot + 1, round, task.at[1]);
    put(slot + 2, round, task.begin);
    put(slot + 3, round, task.end << 2 | task.depth);
    return true;
  }

  MATCHA_MEMBER bool pop(Task& task) const {
    u64 promised = atomic_read(size);
    while (true) {
      if (promised == 0) return false;
      u64 seen = atomic_exchange_if(size, promised, promised - 1);
      if (seen == promised) break;
      promised = seen;
    }
    u64 ticket = atomic_add(front, 1);
    u64* slot = words + ticket % capacity * kTaskWords;
    u64 round = ticket / capacity;
    task.at[0] = take(slot + 0, round);
    task.at[1] = take(slot + 1, round);
    task.begin = take(slot + 2, round);
    u64 last = take(slot + 3, round);
    task.end = last >> 2;
    task.depth = u32(last & 3);
    return true;
  }

 private:
  MATCHA_MEMBER static u64 word_of(u64 turn, u64 value) { return ~(turn << kValueBits | value); }
  MATCHA_MEMBER static void put(u64* word, u64 round, u64 value) {
    u64 empty = word_of(2 * round, 0);
    while (atomic_exchange_if(word, empty, word_of(2 * round + 1, value)) != empty) nap();
  }
  MATCHA_MEMBER static u64 take(u64* word, u64 round) {
    u64 turn = word_of(2 * round + 1, 0) >> kValueBits;
    while (atomic_read(word) >> kValueBits != turn) nap();
    u64 taken = ~atomic_exchange(word, word_of(2 * round + 2, 0));
    return taken & ((1ull << kValueBits) - 1);
  }
};

}  // namespace matcha_program
