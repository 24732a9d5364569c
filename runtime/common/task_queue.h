// The queue of tasks that workers split off: a lock-free ring, after T-DFS's Algorithm 3. Differences: free slots and
// tasks are counted separately, and words contain the round of the ring in which they were written. A worker may be
// preempted between two words of a slot while others complete a round; without round numbers it would mix two tasks.
#pragma once

#include "runtime/common/atomics.h"

namespace matcha_program {

/// A part of a region. At loop levels below `depth` the position is `at[level]`; at level `depth` the positions [begin,
/// end) are processed, and all positions of deeper levels.
struct Task {
  u32 depth;
  u64 at[2];
  u64 begin, end;
};

inline constexpr u64 kEmptyWord = ~0ull;  ///< The initial value of all words of a ring.
inline constexpr u64 kTaskWords = 4;
inline constexpr u64 kValueBits =
    48;  ///< The bits of a value in a word; positions and `end << 2 | depth` are below 2^48.

/// log2 of the slots of a ring for `capacity` tasks; the number of its words.
MATCHA_FN constexpr u32 ring_shift(u64 capacity) {
  u32 shift = 0;
  while (1ull << shift < capacity) ++shift;
  return shift;
}
MATCHA_FN constexpr u64 ring_words(u64 capacity) {
  return capacity == 0 ? 0 : (1ull << ring_shift(capacity)) * kTaskWords;
}

/// Added to the count of waiting tasks when nothing is live any more.
inline constexpr u64 kOver = 1ull << 40;
/// True if a count includes kOver; concurrent claims may have reduced it a little.
MATCHA_FN bool is_over(u64 ready) { return i64(ready) > i64(kOver / 2); }
/// The number of waiting tasks in such a count.
MATCHA_FN u64 tasks_in(u64 ready) {
  if (is_over(ready)) return ready - kOver;
  return i64(ready) < 0 ? 0 : ready;
}

/// A view of the ring. Two counters give the available operations and never promise too much: `room` counts free slots,
/// `ready` tasks in slots. A failed claim restores the counter, so a counter can be too low for a moment, and a push or
/// pop may fail although one was possible; callers retry later. No operation is a compare-and-swap loop: with thousands
/// of workers most attempts would fail. `front` and `back` only grow. The complement of a word is a value below a round
/// number: 2 r when the slot is free for round r, 2 r + 1 when it holds the task of round r. So each word is handed
/// over independently of the order of the two sides.
///
/// The ring has `1 << ring_shift(capacity)` slots, because a 64-bit division takes a device a hundred instructions,
/// which NVRTC compiles at every use of a slot.
struct TaskQueue {
  u64* words;    ///< `ring_words(capacity)`, all kEmptyWord at the start.
  u64 capacity;  ///< Tasks; 0: every push fails.
  u32 shift;     ///< `ring_shift(capacity)`.
  u64* ready;    ///< 0 at the start.
  u64* room;     ///< `capacity` at the start.
  u64* front;
  u64* back;

  /// False when the ring is full: the caller keeps the work.
  MATCHA_MEMBER bool push(const Task& task) const {
    if (reserve(1) == 0) return false;
    put(ticket(1), task);
    publish(1);
    return true;
  }

  /// For several tasks at once, and by several lanes: `reserve` claims room for at most `count` of them and returns the
  /// number;
  MATCHA_MEMBER u64 reserve(u64 count) const { return claim(room, count); }
  /// `ticket` gives the first of `count` consecutive places;
  MATCHA_MEMBER u64 ticket(u64 count) const { return atomic_add(back, count); }
  /// `put` writes each task to its place;
  MATCHA_MEMBER void put(u64 place, const Task& task) const {
    u64* slot = slot_of(place);
    const u64 round = place >> shift;
    const u64 values[kTaskWords] = {task.at[0], task.at[1], task.begin, task.end << 2 | task.depth};
    bool written[kTaskWords];
    for (u32 i = 0; i < kTaskWords; ++i) written[i] = put(slot + i, round, values[i]);
    for (u32 i = 0; i < kTaskWords; ++i) {
      while (!written[i]) {
        nap();
        written[i] = put(slot + i, round, values[i]);
      }
    }
  }
  /// `publish` makes them available when all are written.
  MATCHA_MEMBER void publish(u64 count) const { atomic_add(ready, count); }

  MATCHA_MEMBER bool pop(Task& task) const {
    if (claim(ready, 1) == 0) return false;
    u64 place = atomic_add(front, 1);
    u64* slot = slot_of(place);
    const u64 round = place >> shift;
    u64 found[kTaskWords];
    for (u32 i = 0; i < kTaskWords; ++i) found[i] = atomic_read(slot + i);
    for (u32 i = 0; i < kTaskWords; ++i) found[i] = take(slot + i, round, found[i]);
    task.at[0] = found[0];
    task.at[1] = found[1];
    task.begin = found[2];
    task.end = found[3] >> 2;
    task.depth = u32(found[3] & 3);
    atomic_add(room, 1);
    return true;
  }

  /// Signals waiting workers that no task is live, so that there will be none.
  MATCHA_MEMBER void end() const { atomic_add(ready, kOver); }

 private:
  MATCHA_MEMBER u64* slot_of(u64 place) const { return words + (place & ((1ull << shift) - 1)) * kTaskWords; }
  MATCHA_MEMBER static u64 word_of(u64 turn, u64 value) { return ~(turn << kValueBits | value); }
  /// Takes at most `count` from a shared counter; returns the number.
  MATCHA_MEMBER static u64 claim(u64* counter, u64 count) {
    if (i64(atomic_read(counter)) <= 0) return 0;
    const u64 before = atomic_add(counter, ~count + 1);
    i64 left = is_over(before) ? 0 : i64(before);
    if (left >= i64(count)) return count;
    u64 got = left > 0 ? u64(left) : 0;
    atomic_add(counter, count - got);
    return got;
  }
  // The accesses to all words of a slot are issued before one is waited for.

  /// False when the task of the previous round is still there.
  MATCHA_MEMBER static bool put(u64* word, u64 round, u64 value) {
    const u64 empty = word_of(2 * round, 0);
    return atomic_exchange_if(word, empty, word_of(2 * round + 1, value)) == empty;
  }
  /// The value of a word that was read as `found`, once it is that of the round.
  MATCHA_MEMBER static u64 take(u64* word, u64 round, u64 found) {
    const u64 turn = word_of(2 * round + 1, 0) >> kValueBits;
    while (found >> kValueBits != turn) {
      nap();
      found = atomic_read(word);
    }
    atomic_exchange(word, word_of(2 * round + 2, 0));  // No other worker changes it before.
    return ~found & ((1ull << kValueBits) - 1);
  }
};

}  // namespace matcha_program
