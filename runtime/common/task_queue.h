// The queue of tasks that workers split off: a ring without locks, after T-DFS's Algorithm 3. What differs: room and
// tasks are counted apart, and words carry the round of the ring in which they were written. A worker may be held up
// between two words of a slot while the others go round the whole ring; without rounds it would get parts of two tasks.
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

/// log2 of the slots of a ring for so many tasks; its words.
MATCHA_FN constexpr u32 ring_shift(u64 capacity) {
  u32 shift = 0;
  while (1ull << shift < capacity) ++shift;
  return shift;
}
MATCHA_FN constexpr u64 ring_words(u64 capacity) {
  return capacity == 0 ? 0 : (1ull << ring_shift(capacity)) * kTaskWords;
}

/// What is added to the count of tasks that wait when nothing is live any more.
inline constexpr u64 kOver = 1ull << 40;
/// Whether that is in a count, which others may have taken a little from for a moment.
MATCHA_FN bool is_over(u64 ready) { return i64(ready) > i64(kOver / 2); }
/// The tasks that wait, of such a count.
MATCHA_FN u64 tasks_in(u64 ready) {
  if (is_over(ready)) return ready - kOver;
  return i64(ready) < 0 ? 0 : ready;
}

/// A view of the ring. Two counters say what may be done, and neither ever promises too much: `room` counts free slots,
/// `ready` tasks that were put into slots. Whoever takes more than there is gives it back, so a counter can be too low
/// for a moment, and a push or pop fail although one could have been served; callers try again later. No operation
/// repeats because of others: thousands of workers that exchange by comparison would mostly fail. `front` and `back`
/// only grow. The complement of a word is a value below a turn: 2 r when the slot waits for its task of round r, 2 r +
/// 1 when it holds that one. So a word is handed over by itself, whichever side comes first.
///
/// The ring has `1 << ring_shift(capacity)` slots, because a device divides 64 bits in a hundred instructions, which
/// NVRTC compiles wherever a slot is found.
struct TaskQueue {
  u64* words;    ///< `ring_words(capacity)`, all kEmptyWord at the start.
  u64 capacity;  ///< Tasks; 0: every push says no.
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

  /// For several tasks at once, and by several lanes: room for at most `count` of them, in numbers what there is;
  MATCHA_MEMBER u64 reserve(u64 count) const { return claim(room, count); }
  /// the first of so many places in a row;
  MATCHA_MEMBER u64 ticket(u64 count) const { return atomic_add(back, count); }
  /// each task into its place;
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
  /// and when all are there, the others may have them.
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

  /// Tells those who wait that no task is live, so that there will be none.
  MATCHA_MEMBER void end() const { atomic_add(ready, kOver); }

 private:
  MATCHA_MEMBER u64* slot_of(u64 place) const { return words + (place & ((1ull << shift) - 1)) * kTaskWords; }
  MATCHA_MEMBER static u64 word_of(u64 turn, u64 value) { return ~(turn << kValueBits | value); }
  /// Takes at most `count` off a counter that others take from too; gives how many.
  MATCHA_MEMBER static u64 claim(u64* counter, u64 count) {
    if (i64(atomic_read(counter)) <= 0) return 0;
    const u64 before = atomic_add(counter, ~count + 1);
    i64 left = is_over(before) ? 0 : i64(before);
    if (left >= i64(count)) return count;
    u64 got = left > 0 ? u64(left) : 0;
    atomic_add(counter, count - got);
    return got;
  }
  // What is read or changed of a slot is on its way for all of its words before one is waited for.

  /// False when the round before has not been taken yet.
  MATCHA_MEMBER static bool put(u64* word, u64 round, u64 value) {
    const u64 empty = word_of(2 * round, 0);
    return atomic_exchange_if(word, empty, word_of(2 * round + 1, value)) == empty;
  }
  /// The value of a word that was read as `found`, as soon as it is that of the round.
  MATCHA_MEMBER static u64 take(u64* word, u64 round, u64 found) {
    const u64 turn = word_of(2 * round + 1, 0) >> kValueBits;
    while (found >> kValueBits != turn) {
      nap();
      found = atomic_read(word);
    }
    atomic_exchange(word, word_of(2 * round + 2, 0));  // Nobody else changes it before.
    return ~found & ((1ull << kValueBits) - 1);
  }
};

}  // namespace matcha_program
