#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "runtime/common/task_queue.h"

namespace matcha_program {
namespace {

/// A ring of its own.
struct Ring {
  explicit Ring(u64 capacity)
      : room(capacity), words(ring_words(capacity), kEmptyWord), queue{words.data(), capacity, ring_shift(capacity),
                                                                       &ready,       &room,    &front,
                                                                       &back} {}

  u64 ready = 0, room, front = 0, back = 0;
  std::vector<u64> words;
  TaskQueue queue;
};

Task numbered(u64 number) { return {u32(number % 3), {number * 3, number * 5}, number, number + 7}; }

bool is_whole(const Task& task) {
  u64 number = task.begin;
  return task.depth == number % 3 && task.at[0] == number * 3 && task.at[1] == number * 5 && task.end == number + 7;
}

TEST(WideSum, ThreadsCarryIntoTheHighWord) {
  constexpr u64 kTimes = 10'000;
  const u128 part = u128(3) << 64 | ~u64{0};
  u64 low = 0, high = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (u64 time = 0; time < kTimes; ++time) atomic_add_wide(&low, &high, part);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE((u128(high) << 64 | low) == 4 * kTimes * part);
  low = ~u64{0};
  high = 0;
  EXPECT_TRUE(atomic_add_wide(&low, &high, 1) == u128(1) << 64);
}

TEST(TaskQueue, GivesTasksInOrderThroughManyRounds) {
  Ring ring(3);
  Task task{};
  EXPECT_FALSE(ring.queue.pop(task));
  for (u64 number = 0; number < 200000; ++number) {
    ASSERT_TRUE(ring.queue.push(numbered(number)));
    if (number == 0) continue;
    ASSERT_TRUE(ring.queue.pop(task));
    ASSERT_EQ(task.begin, number - 1);
    ASSERT_TRUE(is_whole(task));
  }
  EXPECT_TRUE(ring.queue.pop(task));
  EXPECT_FALSE(ring.queue.pop(task));
}

TEST(TaskQueue, RefusesTasksBeyondItsCapacity) {
  Ring none(0);
  Task task{};
  EXPECT_FALSE(none.queue.push(numbered(1)));
  EXPECT_FALSE(none.queue.pop(task));
  Ring ring(2);
  EXPECT_TRUE(ring.queue.push(numbered(1)));
  EXPECT_TRUE(ring.queue.push(numbered(2)));
  EXPECT_FALSE(ring.queue.push(numbered(3)));
  EXPECT_TRUE(ring.queue.pop(task));
  EXPECT_EQ(task.begin, 1U);
  EXPECT_TRUE(ring.queue.push(numbered(3)));
}

TEST(TaskQueue, ReservesAvailableTasks) {
  Ring ring(5);
  EXPECT_EQ(ring.queue.reserve(3), 3U);
  u64 place = ring.queue.ticket(3);
  for (u64 i = 0; i < 3; ++i) ring.queue.put(place + i, numbered(i));
  Task task{};
  EXPECT_FALSE(ring.queue.pop(task));
  ring.queue.publish(3);
  EXPECT_EQ(tasks_in(atomic_read(ring.queue.ready)), 3U);
  EXPECT_EQ(ring.queue.reserve(7), 2U);
  EXPECT_EQ(ring.queue.reserve(1), 0U);
  for (u64 i = 0; i < 3; ++i) {
    ASSERT_TRUE(ring.queue.pop(task));
    EXPECT_EQ(task.begin, i);
  }
  EXPECT_EQ(ring.queue.reserve(7), 3U);
}

TEST(TaskQueue, KeepsTheWidestValues) {
  Ring ring(1);
  constexpr u64 kWidest = (1ull << 46) - 1;
  ASSERT_TRUE(ring.queue.push({2, {kWidest, kWidest}, kWidest, kWidest}));
  Task task{};
  ASSERT_TRUE(ring.queue.pop(task));
  EXPECT_EQ(task.depth, 2U);
  EXPECT_EQ(task.at[0], kWidest);
  EXPECT_EQ(task.at[1], kWidest);
  EXPECT_EQ(task.begin, kWidest);
  EXPECT_EQ(task.end, kWidest);
}

/// Every task comes out once and whole, with rings so small that all slots are contended.
TEST(TaskQueue, DeliversEachTaskOnceAmongThreads) {
  constexpr u64 kTasks = 3000;
  constexpr u64 kSides = 3;
  for (u64 capacity : {1, 2, 3, 64}) {
    Ring ring(capacity);
    std::vector<u64> seen(kTasks, 0);
    u64 left = kTasks;
    u64 torn = 0;
    std::vector<std::thread> threads;
    for (u64 side = 0; side < kSides; ++side) {
      threads.emplace_back([&, side] {
        for (u64 number = side; number < kTasks; number += kSides) {
          while (!ring.queue.push(numbered(number))) nap();
        }
        EXPECT_LE(tasks_in(atomic_read(ring.queue.ready)), capacity);
      });
      threads.emplace_back([&] {
        while (atomic_read(&left) != 0) {
          Task task{};
          if (!ring.queue.pop(task)) {
            nap();
            continue;
          }
          if (task.begin < kTasks && is_whole(task)) {
            atomic_add(&seen[task.begin], 1);
          } else {
            atomic_add(&torn, 1);
          }
          atomic_add(&left, ~0ull);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(torn, 0U);
    EXPECT_EQ(seen, std::vector<u64>(kTasks, 1)) << "capacity " << capacity;
  }
}

}  // namespace
}  // namespace matcha_program
