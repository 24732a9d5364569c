#include "runtime/common/rooms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "runtime/common/worker.h"

namespace matcha_program {
namespace {

using Items = std::vector<u32>;
constexpr u64 kItems = kPageBytes / sizeof(u32);

/// A worker with one paged buffer of `capacity` items in an arena of `pages`.
struct Paged {
  Paged(u64 capacity, u64 pages)
      : table(capacity / 16 + 16, 0), arena(new u8[pages * kPageBytes + 1]), plan{0, capacity} {
    launch.shared = &shared;
    launch.scratch = reinterpret_cast<u8*>(table.data());
    launch.scratch_bytes = table.size() * 8;
    launch.buffers = &plan;
    launch.arena = arena.get();
    launch.arena_pages = pages;
  }
  template <typename... T>
  PagedRoom<T...> room() const {
    return w.paged_buffer<T...>(0);
  }
  u64 trapped() const { return shared.error >> 56; }

  Shared shared{};
  std::vector<u64> table;
  std::unique_ptr<u8[]> arena;
  BufferPlan plan;
  Launch launch{};
  TaskState state;
  WorkerOf<Group<1>> w{launch, 0, state};
};

ShortList<u32> view(const Items& items) { return {items.data(), u32(items.size())}; }
template <typename L>
Items items_of(const L& list) {
  Items items;
  for (u64 i = 0; i < list.size; ++i) items.push_back(list.at(i));
  return items;
}
Items counted(u64 size, u32 step) {
  Items items(size);
  for (u64 i = 0; i < size; ++i) items[i] = u32(i) * step;
  return items;
}

TEST(Rooms, PagedSetsAgreeWithArraysOverManyPages) {
  std::mt19937_64 random(9);
  Paged paged(5 * kItems, 8);
  for (u64 size : {u64{0}, u64{1}, kItems - 1, kItems, kItems + 1, 4 * kItems + 7}) {
    Items a = counted(size, 3);
    Items b;
    for (u64 i = 0; i < 3 * size; i += 1 + random() % 3) b.push_back(u32(i));
    Items buffer(a.size() + 1);
    Room<u32> array{buffer.data(), a.size()};
    EXPECT_EQ(items_of(paged.w.intersect(view(a), view(b), paged.room<u32>())),
              items_of(paged.w.intersect(view(a), view(b), array)));
    EXPECT_EQ(items_of(paged.w.diff(view(a), view(b), paged.room<u32>())),
              items_of(paged.w.diff(view(a), view(b), array)));
    std::shuffle(a.begin(), a.end(), random);
    EXPECT_EQ(items_of(paged.w.copy(view(a), paged.room<u32>())), a);
    const auto stored = sorted<1>(paged.w, view(a), paged.room<u32>(), 0, 0);
    std::sort(a.begin(), a.end());
    EXPECT_EQ(items_of(stored), a);
    // Slices and searches of a paged list.
    u32 middle = u32(3 * (size / 2));
    EXPECT_EQ(items_of(below(stored, middle)), items_of(below(view(a), middle)));
    EXPECT_EQ(items_of(above(stored, middle)), items_of(above(view(a), middle)));
    EXPECT_EQ(items_of(span(above(stored, 3), 1, i64(size))), items_of(span(above(view(a), 3), 1, i64(size))));
    EXPECT_EQ(paged.w.count_intersect(stored, view(b)), paged.w.count_intersect(view(a), view(b)));
    EXPECT_EQ(paged.w.count_diff(view(b), stored), paged.w.count_diff(view(b), view(a)));
  }
  EXPECT_EQ(paged.trapped(), 0U);
  EXPECT_EQ(paged.shared.pages_taken, 5U) << "the pages of a buffer serve its next lists";
}

TEST(Rooms, ColumnsHaveTablesOfTheirOwn) {
  constexpr u64 kRows = kPageBytes / 8 + 5;
  Paged paged(kRows, 6);
  auto list = filled(paged.room<u32, f64, bool>());
  for (u64 i = 0; i < kRows; ++i) paged.w.append(list, 1, 1, u32(i), f64(i) / 2, i % 3 == 0);
  const auto rows = list.list();
  ASSERT_EQ(rows.size, kRows);
  for (u64 i = 0; i < kRows; ++i) {
    ASSERT_EQ(item<0>(rows, i), i);
    ASSERT_EQ(item<1>(rows, i), f64(i) / 2);
    ASSERT_EQ(item<2>(rows, i), i % 3 == 0);
  }
  EXPECT_EQ(paged.trapped(), 0U);
  EXPECT_EQ(paged.shared.pages_taken, 6U);
}

TEST(Rooms, AnArenaWithoutPagesIsAnError) {
  Items a = counted(2 * kItems + 1, 1);
  for (u64 pages = 0; pages < 3; ++pages) {
    Paged paged(4 * kItems, pages);
    EXPECT_EQ(paged.w.intersect(view(a), view(a), paged.room<u32>()).size, pages * kItems);
    EXPECT_EQ(paged.trapped(), u64(kOutOfPages)) << pages;
    EXPECT_NE(paged.shared.stop, 0U);
  }
  Paged paged(kItems, 0);
  auto list = filled(paged.room<u32>());
  paged.w.append(list, 3, 4, 7);
  EXPECT_EQ(list.size, 0U);
  EXPECT_EQ(paged.shared.error, u64(kOutOfPages) << 56 | 3u << 24 | 4u);
}

TEST(Rooms, ThePlannedCapacityHoldsInPagesToo) {
  Items a = counted(kItems + 10, 1);
  Paged paged(kItems + 3, 9);
  EXPECT_EQ(paged.w.copy(view(a), paged.room<u32>()).size, kItems + 3);
  EXPECT_EQ(paged.trapped(), u64(kCapacityExceeded));
  EXPECT_EQ(paged.shared.pages_taken, 2U);
}

}  // namespace
}  // namespace matcha_program
