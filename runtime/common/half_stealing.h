// Half stealing, in two levels (STMatch, section 1.5). A busy worker publishes on its *board*, for each of the first
// loop levels, its untried positions. An idle worker of the same block takes half of the outermost range in its block.
// If there is none, it sets a request for its block, and a polling worker of another block puts half of its own
// outermost range into the queue.
#pragma once

#include "runtime/common/group.h"
#include "runtime/common/launch.h"

namespace matcha_program {

/// A board: four words a level, then the lock. Of a level: the range (end << 32 | next, counted from `begin`, empty
/// when next >= end), `begin`, at0, at1. The owner takes its next position without the lock; taking from the end, or
/// writing a new range, needs it. So the words beside a range do not change while a thief reads them.
inline constexpr u64 kBoardWords = 16;
inline constexpr u64 kLockWord = 12;

template <typename Group>
class HalfStealing {
 public:
  MATCHA_MEMBER HalfStealing(const Launch& launch, Group group, u64 index)
      : launch_(launch), group_(group), index_(index) {}

  /// Publishes the positions of a loop after its first one, which the caller begins.
  MATCHA_MEMBER void show(u32 level, u64 begin, u64 end, u64 at0, u64 at1) {
    u64 size = end - begin;
    shown_ &= ~(1u << level);
    if (size < 2 || size >> 32 != 0) return;
    shown_ |= 1u << level;
    if (!group_.leads()) return;
    u64* words = range_of(index_, level);
    lock(index_);
    atomic_exchange(words + 1, begin);
    atomic_exchange(words + 2, at0);
    atomic_exchange(words + 3, at1);
    atomic_exchange(words, size << 32 | 1);
    unlock(index_);
  }

  /// Begins the next position of the loop at `level`; false when thieves took the rest.
  MATCHA_MEMBER bool begin_next(u32 level) const {
    if ((shown_ >> level & 1) == 0) return true;
    return left(group_.broadcast(group_.leads() ? atomic_add(range_of(index_, level), 1) : 0)) != 0;
  }

  // Functions of the first lane of a group.

  /// Takes half of the outermost range in the block, from the worker with the most of it. Counts it as live.
  MATCHA_MEMBER bool steal(Task& task) const {
    u64 first = index_ / launch_.block * launch_.block;
    u64 end = smaller(first + launch_.block, launch_.workers);
    for (u32 level = 0; level < launch_.split; ++level) {
      u64 most = 0;
      u64 victim = 0;
      for (u64 worker = first; worker < end; ++worker) {
        u64 rest = left(atomic_read(range_of(worker, level)));
        if (rest <= most) continue;
        most = rest;
        victim = worker;
      }
      if (most == 0 || !try_lock(victim)) continue;
      bool taken = take_half(victim, level, task);
      unlock(victim);
      if (!taken) continue;
      atomic_add(&launch_.shared->splits, 1);
      return true;
    }
    return false;
  }

  /// Requests work for the block, which has nothing to steal.
  MATCHA_MEMBER void ask() const {
    u64 block = index_ / launch_.block;
    u64 bit = 1ull << (block & 63);
    u64* word = launch_.idle + block / 64;
    if ((atomic_read(word) & bit) != 0 || (atomic_or(word, bit) & bit) != 0) return;
    atomic_add(&launch_.shared->idle_blocks, 1);
  }

  /// Gives half of the worker's outermost range to a block that requested work, if there is one and room in the queue.
  MATCHA_MEMBER void give() const {
    if (atomic_read(&launch_.shared->idle_blocks) == 0) return;
    lock(index_);
    for (u32 level = 0; level < launch_.split; ++level) {
      Task task;
      u64* range = range_of(index_, level);
      if (left(atomic_read(range)) == 0) continue;
      if (!answer() || !take_half(index_, level, task)) break;
      if (launch_.queue.push(task)) {
        atomic_add(&launch_.shared->splits, 1);
      } else {
        atomic_exchange(range, (task.end - begin_of(range)) << 32 | u32(atomic_read(range)));
        atomic_add(&launch_.shared->live, ~0ull);
      }
      break;
    }
    unlock(index_);
  }

 private:
  MATCHA_MEMBER u64* range_of(u64 worker, u32 level) const { return launch_.boards + worker * kBoardWords + 4 * level; }
  MATCHA_MEMBER static u64 begin_of(const u64* range) { return atomic_read(range + 1); }
  /// The untried positions of a range.
  MATCHA_MEMBER static u64 left(u64 range) { return u32(range) < range >> 32 ? (range >> 32) - u32(range) : 0; }

  MATCHA_MEMBER bool try_lock(u64 worker) const {
    bool locked = atomic_exchange_if(launch_.boards + worker * kBoardWords + kLockWord, 0, 1) == 0;
    fence();
    return locked;
  }
  MATCHA_MEMBER void lock(u64 worker) const {
    while (!try_lock(worker)) nap();
  }
  MATCHA_MEMBER void unlock(u64 worker) const {
    fence();
    atomic_exchange(launch_.boards + worker * kBoardWords + kLockWord, 0);
  }

  /// Requires: the worker's lock. Counts the task as live before its owner can notice the loss.
  MATCHA_MEMBER bool take_half(u64 worker, u32 level, Task& task) const {
    u64* range = range_of(worker, level);
    u64 seen = atomic_read(range);
    if (left(seen) == 0) return false;
    atomic_add(&launch_.shared->live, 1);
    fence();
    while (left(seen) != 0) {
      u64 end = seen >> 32;
      u64 cut = end - (left(seen) + 1) / 2;
      u64 found = atomic_exchange_if(range, seen, cut << 32 | u32(seen));
      if (found == seen) {
        u64 begin = begin_of(range);
        task = Task{level, {atomic_read(range + 2), atomic_read(range + 3)}, begin + cut, begin + end};
        return true;
      }
      seen = found;
    }
    atomic_add(&launch_.shared->live, ~0ull);
    return false;
  }

  /// Withdraws the request of one block; false when another worker answered it first.
  MATCHA_MEMBER bool answer() const {
    u64 words = ((launch_.workers + launch_.block - 1) / launch_.block + 63) / 64;
    u64 own = index_ / launch_.block / 64;
    for (u64 i = 0; i < words; ++i) {
      u64* word = launch_.idle + (own + i) % words;
      u64 asking = atomic_read(word);
      if (asking == 0) continue;
      u64 bit = 1ull << lowest_bit(asking);
      if ((atomic_and(word, ~bit) & bit) == 0) continue;
      atomic_add(&launch_.shared->idle_blocks, ~0ull);
      return true;
    }
    return false;
  }

  const Launch& launch_;
  Group group_;
  u64 index_;
  u32 shown_ = 0;  ///< A bit for each level whose loop is on the board.
};

}  // namespace matcha_program
