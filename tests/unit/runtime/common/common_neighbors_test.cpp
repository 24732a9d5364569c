// Common neighbours of pairs of vertices, counted by the lanes of a group on a warp of fibers.

#include "tests/unit/runtime/common/warp.h"

#define __shared__ static thread_local
#include "runtime/common/common_neighbors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace matcha_program {
namespace {

using Items = std::vector<u32>;

/// A graph of rows.
struct Rows {
  std::vector<u64> offsets{0};
  Items arcs;
  void add(Items row) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    arcs.insert(arcs.end(), row.begin(), row.end());
    offsets.push_back(arcs.size());
  }
  CsrGraph graph() const {
    CsrGraph g;
    g.universe = g.vertex_count = offsets.size() - 1;
    g.arc_count = arcs.size();
    g.offsets = offsets.data();
    g.arcs = arcs.data();
    g.hubs = nullptr;
    return g;
  }
  Items row(u32 v) const { return {arcs.begin() + i64(offsets[v]), arcs.begin() + i64(offsets[v + 1])}; }
};

i64 brute_force(const Rows& rows, const Items& list, u32 cut, bool is_below) {
  i64 found = 0;
  for (u32 a : list) {
    for (u32 b : list) {
      if (b >= a) continue;
      const Items near = rows.row(b);
      for (u32 end : rows.row(a))
        found += (is_below ? end < cut : end > cut) && std::binary_search(near.begin(), near.end(), end) ? 1 : 0;
    }
  }
  return found;
}

/// The same by the number of items of the list that have each end as a neighbour.
i64 by_ends(const Rows& rows, const Items& list, u32 cut, bool is_below) {
  std::map<u32, i64> times;
  for (u32 a : list) {
    for (u32 end : rows.row(a)) times[end] += (is_below ? end < cut : end > cut) ? 1 : 0;
  }
  i64 found = 0;
  for (const auto& [end, k] : times) found += k * (k - 1) / 2;
  return found;
}

/// Number of lists with shared counters.
enum class Shares { None, Some };

template <u32 width>
void expect_counts(const Rows& rows, const Items& list, u32 cut, i64 parts = 1, Shares shares = Shares::Some) {
  const CsrGraph g = rows.graph();
  Shared shared{};
  Launch launch{};
  launch.shared = &shared;
  std::vector<u32> counters(g.universe * (warp::kLanes / width));
  // All groups of the warp count the same; there is room for some of those that share.
  std::vector<RowsState> states(4 * warp::kLanes / width);
  std::vector<u64> words((g.universe + 3) / 2 * (warp::kLanes / width));
  launch.row_states = shares == Shares::None ? nullptr : states.data();
  launch.row_words = words.data();
  launch.row_capacity = words.size();
  std::vector<i64> below(warp::kLanes), above(warp::kLanes);
  std::vector<TaskState> task_states(warp::kLanes / width);
  warp::Warp warp;
  warp.run([&] {
    const u32 number = threadIdx.x / width;
    const WorkerOf<Group<width>> w(launch, number, task_states[number]);
    const ShortList<u32> items{list.data(), u32(list.size())};
    const Room<u32> room{counters.data() + number * g.universe, g.universe};
    for (i64 part = 0; part < parts; ++part) {
      below[threadIdx.x] += common_below(w, g, items, cut, part, parts, room, 2 * number, 1, 1);
      above[threadIdx.x] += common_above(w, g, items, cut, part, parts, room, 2 * number + 1, 1, 1);
    }
  });
  EXPECT_EQ(below, std::vector<i64>(warp::kLanes, by_ends(rows, list, cut, true)));
  EXPECT_EQ(above, std::vector<i64>(warp::kLanes, by_ends(rows, list, cut, false)));
  EXPECT_TRUE(std::ranges::all_of(counters, [](u32 count) { return count == 0; }));
  EXPECT_EQ(shared.error, 0U);
}

Rows random_rows(std::mt19937_64& random, u32 vertices, u64 most) {
  Rows rows;
  for (u32 v = 0; v < vertices; ++v) {
    Items row;
    for (u64 i = random() % most; i > 0; --i) row.push_back(u32(random() % vertices));
    rows.add(std::move(row));
  }
  return rows;
}

Items some_of(std::mt19937_64& random, u32 vertices, u64 size) {
  Items list;
  for (u64 i = 0; i < size; ++i) list.push_back(u32(random() % vertices));
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

template <u32 width>
void check_wedges() {
  std::mt19937_64 random{width};
  // Few and many ends for the places, short and long rows, lists of one step and several.
  for (const u64 most : {3, 40, 300}) {
    for (const u64 size : {0, 1, 2, 9, 70}) {
      const u32 vertices = most == 300 ? 5000 : 400;
      const Rows rows = random_rows(random, vertices, most);
      const Items list = some_of(random, vertices, size);
      const u32 cut = u32(random() % vertices);
      EXPECT_EQ(by_ends(rows, list, cut, true), brute_force(rows, list, cut, true));
      EXPECT_EQ(by_ends(rows, list, cut, false), brute_force(rows, list, cut, false));
      expect_counts<width>(rows, list, cut);
      expect_counts<width>(rows, list, cut, 1 + i64(random() % 7));
    }
  }
}

TEST(CommonNeighborsTest, GroupsOf32) { check_wedges<32>(); }
TEST(CommonNeighborsTest, GroupsOf8) { check_wedges<8>(); }
TEST(CommonNeighborsTest, GroupsOf1) { check_wedges<1>(); }

TEST(CommonNeighborsTest, AHubAndItsCompanionsAreSearched) {
  Rows rows;
  Items all;
  for (u32 v = 0; v < 20000; v += 2) all.push_back(v);
  rows.add(all);
  for (u32 v = 1; v < 20000; ++v) rows.add(v < 4 ? Items{0, 4 * v, 4 * v + 2, 4 * v + 3, 20} : Items{});
  expect_counts<32>(rows, {0, 1, 2, 3}, 16);
}

TEST(CommonNeighborsTest, AnEndOfManyWedges) {
  Rows rows;
  for (u32 v = 0; v < 3000; ++v) rows.add({7, 2999});
  Items list;
  for (u32 v = 10; v < 2990; ++v) list.push_back(v);
  expect_counts<32>(rows, list, 2000);
}

/// Lists so long that their parts have ranges of ends if there are no shared counters.
template <u32 width>
void check_ranges() {
  std::mt19937_64 random{width};
  constexpr u32 kVertices = 5000;
  const Rows rows = random_rows(random, kVertices, 4);
  const Items list = some_of(random, kVertices, 9000);
  ASSERT_GE(end_ranges(rows.graph(), list.size()), 2U);
  expect_counts<width>(rows, list, kVertices / 2 + u32(random() % 100), width == 32 ? 130 : 3, Shares::None);
}

TEST(CommonNeighborsTest, RangesOfEnds32) { check_ranges<32>(); }
TEST(CommonNeighborsTest, RangesOfEnds8) { check_ranges<8>(); }

TEST(CommonNeighborsTest, EveryEndIsInOneRange) {
  std::mt19937_64 random{5};
  for (int round = 0; round < 200; ++round) {
    const Items items = some_of(random, 50, 1 + random() % 60);
    const ShortList<u32> list{items.data(), u32(items.size())};
    const u32 cut = u32(random() % 52);
    const u64 count = 1 + random() % 20;
    for (u32 end = 0; end < 55; ++end) {
      u64 below = 0, above = 0;
      for (u64 i = 0; i < count; ++i) {
        const EndRange low = end_range<true>(list, cut, i, count), high = end_range<false>(list, cut, i, count);
        below += low.first <= end && end < low.behind ? 1 : 0;
        above += high.first <= end && end < high.behind ? 1 : 0;
      }
      EXPECT_EQ(below, end < cut ? 1U : 0U);
      EXPECT_EQ(above, end > cut ? 1U : 0U);
    }
  }
}

}  // namespace
}  // namespace matcha_program
