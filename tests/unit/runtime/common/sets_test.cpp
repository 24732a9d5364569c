#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "runtime/common/worker.h"

namespace matcha_program {
namespace {

using Items = std::vector<u32>;

class SetsTest : public testing::Test {
 protected:
  Items drawn(u64 size, u64 range, bool set) {
    Items items;
    for (u64 i = 0; i < size; ++i) items.push_back(u32(random_() % range));
    if (!set) return items;
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
    return items;
  }
  static ShortList<u32> view(const Items& items) { return {items.data(), u32(items.size())}; }
  static Items items_of(ShortList<u32> list) { return Items(list.data, list.data + list.size); }

  std::mt19937_64 random_{5};
  Shared shared_{};
  Launch launch_ = [this] {
    Launch launch{};
    launch.shared = &shared_;
    return launch;
  }();
  TaskState book_;
  WorkerOf<Group<1>> w_{launch_, 0, book_};
};

TEST_F(SetsTest, AgreeWithTheStandardLibrary) {
  for (int round = 0; round < 2000; ++round) {
    u64 range = 1 + random_() % 300;
    Items a = drawn(random_() % 100, range, true);
    Items b = drawn(random_() % (round % 7 == 0 ? 3000 : 100), range * 2, true);
    Items both;
    Items only;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only));
    Items buffer(a.size() + 1);
    Room<u32> room{buffer.data(), a.size()};
    ASSERT_EQ(w_.count_intersect(view(a), view(b)), i64(both.size()));
    ASSERT_EQ(w_.count_diff(view(a), view(b)), i64(only.size()));
    ASSERT_EQ(items_of(w_.intersect(view(a), view(b), room)), both);
    ASSERT_EQ(items_of(w_.diff(view(a), view(b), room)), only);
  }
  EXPECT_EQ(shared_.error, 0U);
}

TEST_F(SetsTest, RepeatsAndOrderOfTheFirstListStay) {
  for (int round = 0; round < 500; ++round) {
    Items a = drawn(random_() % 60, 40, false);
    Items b = drawn(random_() % 60, 40, true);
    Items both;
    for (u32 x : a) {
      if (std::binary_search(b.begin(), b.end(), x)) both.push_back(x);
    }
    Items buffer(a.size() + 1);
    Room<u32> room{buffer.data(), a.size()};
    ASSERT_EQ(w_.count_intersect_repeats(view(a), view(b)), i64(both.size()));
    ASSERT_EQ(w_.count_diff_repeats(view(a), view(b)), i64(a.size() - both.size()));
    ASSERT_EQ(items_of(w_.intersect_repeats(view(a), view(b), room)), both);
    Items ascending = a;
    std::sort(ascending.begin(), ascending.end());
    ASSERT_EQ(items_of(sorted<1>(w_, view(a), room, 0, 0)), ascending);
  }
}

TEST_F(SetsTest, DistinctItemsOfTheFirstListThatAreInOneWithRepeats) {
  for (int round = 0; round < 500; ++round) {
    Items a = drawn(random_() % 60, 90, true);
    a.erase(std::unique(a.begin(), a.end()), a.end());
    Items b = drawn(random_() % 60, 90, true);
    Items both;
    for (u32 x : a) {
      if (std::binary_search(b.begin(), b.end(), x)) both.push_back(x);
    }
    Items buffer(std::min(a.size(), b.size()) + 1);
    Room<u32> room{buffer.data(), buffer.size()};
    ASSERT_EQ(items_of(w_.intersect_distinct(view(a), view(b), room)), both);
  }
}

TEST_F(SetsTest, ALiteralNeedsNoOrder) {
  Items a = {1, 2, 3, 4};
  EXPECT_EQ(w_.count_diff(view(a), Literal<2, u32>{{4, 1}}), 2);
  EXPECT_EQ(w_.count_intersect(view(a), Literal<2, u32>{{4, 9}}), 1);
}

TEST_F(SetsTest, AFullBufferIsAnErrorAndNothingIsWrittenBehindIt) {
  Items a = {1, 2, 3};
  Items buffer = {0, 0, 99};
  EXPECT_EQ(w_.intersect(view(a), view(a), Room<u32>{buffer.data(), 2}).size, 2U);
  EXPECT_EQ(buffer[2], 99U);
  EXPECT_EQ(shared_.error >> 56, u64(kCapacityExceeded));
}

TEST_F(SetsTest, SlicesClampAndCut) {
  Items a = {2, 4, 4, 6};
  EXPECT_EQ(items_of(below(view(a), 4)), Items({2}));
  EXPECT_EQ(items_of(above(view(a), 4)), Items({6}));
  EXPECT_EQ(items_of(span(view(a), -5, 2)), Items({2, 4}));
  EXPECT_EQ(items_of(span(view(a), 3, 99)), Items({6}));
  EXPECT_EQ(span(view(a), 3, 1).size, 0U);
  const std::vector<i64> weights = {20, 40, 41, 60};
  const List<u32, i64> pairs{a.data(), a.size(), {weights.data(), weights.size()}};
  const List<u32, i64> slice = span(pairs, 1, 3);
  EXPECT_EQ(slice.size, 2U);
  EXPECT_EQ(item<0>(slice, 1), 4U);
  EXPECT_EQ(item<1>(slice, 1), 41);
}

TEST_F(SetsTest, SumsCarryInto128Bits) {
  Slot slot{};
  launch_.slots = &slot;
  launch_.sinks = 1;
  i128 expected = 0;
  for (i128 part : {i128(-1), i128(1) << 100, -(i128(1) << 101), i128(~0ull), i128(5)}) {
    w_.merge(0, part);
    expected += part;
  }
  EXPECT_TRUE(i128(static_cast<unsigned __int128>(slot.high) << 64 | slot.low) == expected);
}

}  // namespace
}  // namespace matcha_program
