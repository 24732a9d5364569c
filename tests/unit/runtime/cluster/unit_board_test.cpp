// The board of units without MPI: ranks on a virtual clock.
#include "runtime/cluster/unit_board.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <queue>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/runtime/cluster/recorded_units.h"

namespace matcha::runtime::cluster {
namespace {

constexpr std::uint64_t kUnitsOfRank = 100;

/// When a rank is done with a unit.
using Event = std::pair<std::uint64_t, int>;

/// Unit times as of a skewed graph: most are alike, a few take ten times as long.
std::vector<std::uint64_t> unit_times(std::uint64_t units, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> times;
  for (std::uint64_t u = 0; u < units; ++u) times.push_back((random() % 100 == 0 ? 1000 : 100) + random() % 50);
  return times;
}

/// Ranks that take units until none is left. Gives the time at which the last is done.
std::uint64_t simulate(int ranks, const std::vector<std::uint64_t>& times, UnitBoard& board,
                       std::vector<int>& done_times) {
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::vector<std::uint64_t> running(static_cast<std::size_t>(ranks));
  std::uint64_t now = 0;
  const auto take = [&](int rank) {
    const auto given = board.claim(0, times.size(), rank, 1);
    ASSERT_TRUE(given);
    if (given->empty()) return board.wait_for_end(0, rank);
    running[static_cast<std::size_t>(rank)] = given->front();
    events.emplace(now + times[given->front()], rank);
  };
  for (int rank = 0; rank < ranks; ++rank) take(rank);
  while (!events.empty()) {
    const auto [when, rank] = events.top();
    events.pop();
    now = when;
    const std::uint64_t unit = running[static_cast<std::size_t>(rank)];
    ++done_times[unit];
    EXPECT_TRUE(board.done(0, unit, rank, std::to_string(unit)));
    take(rank);
  }
  return now;
}

class Ranks : public testing::TestWithParam<int> {};

TEST_P(Ranks, EachUnitOnceAndAtMostOneUnitLate) {
  const int ranks = GetParam();
  const std::uint64_t units = kUnitsOfRank * static_cast<std::uint64_t>(ranks);
  const std::vector<std::uint64_t> times = unit_times(units, static_cast<std::uint64_t>(ranks));
  UnitBoard board(ranks);
  std::vector<int> done_times(units);
  const std::uint64_t end = simulate(ranks, times, board, done_times);
  EXPECT_TRUE(std::all_of(done_times.begin(), done_times.end(), [](int n) { return n == 1; }));
  EXPECT_TRUE(board.is_complete(0));
  EXPECT_TRUE(board.is_over(0));
  EXPECT_EQ(board.units_done(), units);
  std::uint64_t work = 0;
  for (const std::uint64_t time : times) work += time;
  const std::uint64_t longest = *std::max_element(times.begin(), times.end());
  EXPECT_LE(end, work / static_cast<std::uint64_t>(ranks) + longest);
  const std::vector<std::string> records = board.take_records(0);
  ASSERT_EQ(records.size(), units);
  for (std::uint64_t u = 0; u < units; ++u) EXPECT_EQ(records[u], std::to_string(u));
}

INSTANTIATE_TEST_SUITE_P(UnitBoard, Ranks, testing::Values(1, 2, 3, 8, 64, 512));

/// The share of their time in which `ranks` ranks work.
double efficiency(std::span<const std::uint32_t> recorded, int ranks) {
  const std::vector<std::uint64_t> times(recorded.begin(), recorded.end());
  UnitBoard board(ranks);
  std::vector<int> done_times(times.size());
  const std::uint64_t end = simulate(ranks, times, board, done_times);
  const std::uint64_t work = std::accumulate(times.begin(), times.end(), std::uint64_t{0});
  return static_cast<double>(work) / (static_cast<double>(ranks) * static_cast<double>(end));
}

TEST(UnitBoard, RecordedUnitsKeepManyRanksAtWork) {
  for (const std::span<const std::uint32_t> recorded :
       {std::span<const std::uint32_t>(kTriangleUnits), std::span<const std::uint32_t>(kFourCycleUnits)}) {
    for (const int ranks : {1, 2, 4, 8, 16, 32, 64}) EXPECT_GE(efficiency(recorded, ranks), 0.95) << ranks;
  }
}

TEST(UnitBoard, AStopLeavesUndoneUnitsOut) {
  UnitBoard board(2);
  ASSERT_EQ(board.claim(0, 10, 0, 1)->size(), 1u);
  ASSERT_EQ(board.claim(0, 10, 1, 2)->size(), 2u);
  ASSERT_TRUE(board.done(0, 1, 1, "b"));
  board.stop();
  EXPECT_TRUE(board.claim(0, 10, 1, 1)->empty());
  board.wait_for_end(0, 1);
  EXPECT_FALSE(board.is_over(0));  // Rank 0 may still bring its unit.
  ASSERT_TRUE(board.done(0, 0, 0, "a"));
  board.wait_for_end(0, 0);
  EXPECT_TRUE(board.is_over(0));
  EXPECT_FALSE(board.is_complete(0));
  EXPECT_EQ(board.take_records(0), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(board.units_total(), 10u);
}

TEST(UnitBoard, OneThatLeavesEndsTheRegionsItHasNotSeen) {
  UnitBoard board(2);
  ASSERT_EQ(board.claim(0, 2, 0, 2)->size(), 2u);
  ASSERT_TRUE(board.done(0, 0, 0, "a"));
  ASSERT_TRUE(board.done(0, 1, 0, "b"));
  board.leave(1);
  EXPECT_TRUE(board.is_complete(0));
  EXPECT_TRUE(board.claim(1, 2, 0, 1)->empty());
  EXPECT_FALSE(board.is_over(1));
  board.wait_for_end(1, 0);
  EXPECT_TRUE(board.is_over(1));
  EXPECT_FALSE(board.is_complete(1));
}

TEST(UnitBoard, EachRankGivesItsShare) {
  UnitBoard board(3);
  ASSERT_TRUE(board.give(4, 2, "c"));
  ASSERT_TRUE(board.give(4, 0, "a"));
  EXPECT_FALSE(board.is_over(4));
  EXPECT_FALSE(board.give(4, 2, "c"));
  ASSERT_TRUE(board.give(4, 1, "b"));
  EXPECT_TRUE(board.is_complete(4));
  EXPECT_EQ(board.take_records(4), (std::vector<std::string>{"a", "b", "c"}));
  // One that another rank cuts into units.
  ASSERT_TRUE(board.claim(5, 7, 0, 1));
  EXPECT_FALSE(board.give(5, 1, "b"));
}

TEST(UnitBoard, RefusesUnitsOfOtherRanks) {
  UnitBoard board(2);
  ASSERT_TRUE(board.claim(0, 4, 0, 1));
  EXPECT_FALSE(board.done(0, 0, 1, "x"));
  EXPECT_FALSE(board.done(0, 3, 0, "x"));
  ASSERT_TRUE(board.done(0, 0, 0, "x"));
  EXPECT_FALSE(board.done(0, 0, 0, "x"));
  const auto other = board.claim(0, 5, 1, 1);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "rank 1 cuts loop 1 into 5 units, others into 4");
}

TEST(UnitBoard, RanksMayBeAtOtherRegions) {
  UnitBoard board(2);
  ASSERT_TRUE(board.claim(0, 1, 0, 1));
  ASSERT_TRUE(board.done(0, 0, 0, "r0"));
  ASSERT_EQ(board.claim(1, 2, 0, 1)->front(), 0u);
  EXPECT_TRUE(board.claim(0, 1, 1, 2)->empty());  // Later than rank 0.
  EXPECT_TRUE(board.is_complete(0));
  EXPECT_FALSE(board.is_over(1));
  EXPECT_FALSE(board.is_over(7));
}

}  // namespace
}  // namespace matcha::runtime::cluster
