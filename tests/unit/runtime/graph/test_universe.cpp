#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "runtime/graph/universe.h"

namespace matcha::runtime::test {
namespace {

Universe make(const std::vector<std::vector<std::int64_t>>& lists, const std::vector<IdRange>& ranges = {}) {
  std::vector<IdSpan> spans;
  for (const std::vector<std::int64_t>& list : lists) spans.push_back(IdSpan{list.data(), list.size()});
  Result<Universe> universe = Universe::from_ids(spans, ranges);
  EXPECT_TRUE(universe) << universe.error().render();
  return std::move(*universe);
}

/// Every rank, every id between, and a bulk look-up, against a sorted list.
void expect_matches(const Universe& universe, std::vector<std::int64_t> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  ASSERT_EQ(universe.size(), ids.size());
  std::vector<std::uint32_t> bulk(ids.size());
  universe.ranks(ids.data(), ids.size(), bulk.data());
  for (std::size_t rank = 0; rank < ids.size(); ++rank) {
    ASSERT_EQ(universe.id(rank), ids[rank]);
    ASSERT_EQ(universe.rank(ids[rank]), rank);
    ASSERT_EQ(bulk[rank], rank);
    ASSERT_EQ(universe.lower_rank(ids[rank]), rank);
    const bool has_gap = rank + 1 < ids.size() && ids[rank] + 1 != ids[rank + 1];
    if (has_gap) {
      ASSERT_EQ(universe.rank(ids[rank] + 1), std::nullopt);
      ASSERT_EQ(universe.lower_rank(ids[rank] + 1), rank + 1);
    }
  }
}

TEST(Universe, EmptyHasNoIds) {
  const Universe universe = make({});
  EXPECT_EQ(universe.size(), 0U);
  EXPECT_EQ(universe.rank(0), std::nullopt);
  EXPECT_EQ(universe.lower_rank(5), 0U);
}

TEST(Universe, DenseFromZeroIsTheIdentity) {
  const Universe universe = make({{3, 1, 1}, {0, 2}});
  EXPECT_TRUE(universe.is_identity());
  EXPECT_EQ(universe.ids(), nullptr);
  EXPECT_EQ(universe.rank(3), 3U);
  EXPECT_EQ(universe.rank(4), std::nullopt);
  EXPECT_EQ(universe.rank(-1), std::nullopt);
  EXPECT_EQ(universe.lower_rank(-7), 0U);
  EXPECT_EQ(universe.lower_rank(100), 4U);
}

TEST(Universe, HolesAreCompressed) { expect_matches(make({{0, 2, 3}}), {0, 2, 3}); }

TEST(Universe, RangesAndListsTogether) {
  const Universe universe = make({{200, -3}}, {{1, 130}});
  std::vector<std::int64_t> ids(130);
  std::iota(ids.begin(), ids.end(), 1);
  ids.push_back(200);
  ids.push_back(-3);
  expect_matches(universe, ids);
  expect_matches(make({{std::int64_t{1} << 60}}, {{0, 5}}), {0, 1, 2, 3, 4, std::int64_t{1} << 60});
}

TEST(Universe, ExtremeIds) {
  constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
  expect_matches(make({{kHigh, kLow, 0}}), {kLow, 0, kHigh});
  expect_matches(make({{kHigh}}), {kHigh});
  expect_matches(make({{kLow, kLow + 1}}), {kLow, kLow + 1});
}

TEST(Universe, RandomIdsOfEveryDensity) {
  std::mt19937_64 random(7);
  for (const std::uint64_t width : {50ULL, 3000ULL, 100'000ULL, 10'000'000ULL, 1ULL << 40, 1ULL << 63}) {
    for (const std::size_t count : {1, 2, 1000, 20'000}) {
      std::vector<std::int64_t> ids(count);
      for (std::int64_t& id : ids)
        id = static_cast<std::int64_t>(random() % width) - static_cast<std::int64_t>(width / 3);
      const std::vector<std::int64_t> first(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count / 2));
      const std::vector<std::int64_t> second(ids.begin() + static_cast<std::ptrdiff_t>(count / 2), ids.end());
      expect_matches(make({first, second}), ids);
    }
  }
}

TEST(Universe, ClusteredIdsFarApart) {
  std::vector<std::int64_t> ids;
  for (std::int64_t base : {std::int64_t{0}, std::int64_t{1} << 40, -(std::int64_t{1} << 50)}) {
    for (std::int64_t at = 0; at < 3000; ++at) ids.push_back(base + at * 3);
  }
  expect_matches(make({ids}), ids);
}

TEST(Universe, TooManyIdsIsAResourceError) {
  const Result<Universe> universe = Universe::from_ids({}, {{5, kMaxVertices + 1}});
  ASSERT_FALSE(universe);
  EXPECT_EQ(universe.error().kind, ErrorKind::Resource);
}

}  // namespace
}  // namespace matcha::runtime::test
