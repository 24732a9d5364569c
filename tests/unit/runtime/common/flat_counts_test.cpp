// Counts that all lanes of a group make together for lists of their own, on a warp of fibers.

#include "tests/unit/runtime/common/warp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "runtime/abi.h"
#include "runtime/common/flat_counts.h"

namespace matcha_program {
namespace {

static_assert(kMovedBits == matcha::runtime::kMovedBits, "device texts and the host mean the same ranks");

using Items = std::vector<u32>;

/// The lists of one lane.
struct Lists {
  Items a, b;
  bool there = true;
  i64 common = 0;
};

Items drawn(std::mt19937_64& random, u64 size, u64 range, bool set) {
  Items items;
  for (u64 i = 0; i < size; ++i) items.push_back(u32(random() % range));
  if (!set) return items;
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  return items;
}

/// Most are short or empty; some rounds have long ones, some lanes none at all.
Lists drawn_lists(std::mt19937_64& random, int round, bool sets) {
  Lists lists;
  lists.there = random() % 5 != 0;
  if (!lists.there) return lists;
  u64 range = 1 + random() % 900;
  u64 most = round % 3 == 0 && random() % 4 == 0 ? 800 : round % 4 == 1 ? 2 : 20;
  lists.a = drawn(random, random() % most, range, sets);
  lists.b = drawn(random, random() % (2 * most), range, true);
  lists.common = std::count_if(lists.a.begin(), lists.a.end(),
                               [&](u32 x) { return std::binary_search(lists.b.begin(), lists.b.end(), x); });
  return lists;
}

ShortList<u32> view(const Items& items) { return {items.data(), u32(items.size())}; }

template <u32 width>
void check() {
  std::mt19937_64 random{width};
  warp::Warp warp;
  for (int round = 0; round < 60; ++round) {
    const bool sets = round % 2 == 0;
    std::vector<Lists> lanes;
    for (u32 lane = 0; lane < warp::kLanes; ++lane) lanes.push_back(drawn_lists(random, round, sets));
    std::vector<i64> counts(warp::kLanes), shares(warp::kLanes);
    warp.run([&] {
      const Lists& mine = lanes[threadIdx.x];
      const FlatCounts<Group<width>> w(Group<width>::here());
      Sides counted{};
      if (mine.there) counted = sets ? sides(view(mine.a), view(mine.b)) : sides_repeats(view(mine.a), view(mine.b));
      Sides again = counted;
      counts[threadIdx.x] = w.count_flat(again);
      shares[threadIdx.x] = w.share_flat(counted);
    });
    i64 all = 0;
    for (u32 lane = 0; lane < warp::kLanes; ++lane) {
      ASSERT_EQ(counts[lane], lanes[lane].common) << "round " << round << ", lane " << lane;
      all += lanes[lane].common;
    }
    ASSERT_EQ(std::accumulate(shares.begin(), shares.end(), i64{0}), all) << "round " << round;
  }
}

TEST(FlatCountsTest, GroupsOf32) { check<32>(); }
TEST(FlatCountsTest, GroupsOf8) { check<8>(); }
TEST(FlatCountsTest, GroupsOf2) { check<2>(); }

TEST(FlatCountsTest, ArcsOfAnotherPartHaveNoPlace) {
  const std::vector<u32> arcs{1, 2, 3, 4, 5, 6};
  Graph g{};
  g.arcs = arcs.data();
  const NearList part{{arcs.data() + 2, 3}, nullptr, 0};
  const std::vector<bool> inside{false, false, true, true, true, false};
  for (u64 arc = 0; arc < arcs.size(); ++arc) {
    EXPECT_EQ(place_of_arc(g, arc, part) < part.size, inside[arc]) << arc;
  }
  EXPECT_EQ(place_of_arc(g, 3, part), 1U);
}

}  // namespace
}  // namespace matcha_program
