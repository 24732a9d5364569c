// In how many ways alike vertices find different images, against trying all: once with a thread as a group, and, with
// MATCHA_TEST_WARP, once with a warp of fibers.

#include "tests/unit/runtime/common/on_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "runtime/common/leaf_ways.h"

namespace matcha_program {
namespace {

#ifdef MATCHA_TEST_WARP
using LeafGroup = Group<32>;
constexpr std::uint32_t kLeafSeeds = 30;
#else
using LeafGroup = Group<1>;
constexpr std::uint32_t kLeafSeeds = 2000;
#endif

using ItemList = std::vector<std::uint32_t>;

struct Leaves {
  std::vector<ItemList> lists;
  std::array<std::uint32_t, 64> images{};
  std::uint64_t taken = 0;  ///< The vertices with an image.
};

struct Answer {
  bool has_room = true, is_known = false;
  MatchWays ways{0, 0};
};

/// The same of three or four vertices, by formulas of their own.
template <std::uint32_t n>
Answer answer_of_few(const Leaves& leaves) {
  Answer answer_of;
  warp::on_lanes([&] {
    FewLeaves<LeafGroup, n> few;
    for (std::uint32_t i = 0; i < n; ++i) {
      few.lists[i] = {leaves.lists[i].data(), static_cast<std::uint32_t>(leaves.lists[i].size())};
    }
    bool is_known = false;
    const MatchWays found = few.ways(LeafGroup::here(), leaves.images.data(), leaves.taken, is_known);
    if (LeafGroup::here().leads()) answer_of = {true, is_known, found};
  });
  return answer_of;
}

Answer answer_of(const Leaves& leaves) {
  const auto room = std::make_unique<LeafRoom>();
  Answer answer_of;
  warp::on_lanes([&] {
    LeafWays<LeafGroup> ways(LeafGroup::here(), *room);
    bool has_room = true, is_known = false;
    for (const ItemList& list : leaves.lists) {
      has_room = has_room && ways.add({list.data(), static_cast<std::uint32_t>(list.size())});
    }
    const MatchWays found = has_room ? ways.ways(leaves.images.data(), leaves.taken, is_known) : MatchWays{0, 0};
    if (LeafGroup::here().leads()) answer_of = {has_room, is_known, found};
  });
  return answer_of;
}

std::uint64_t tried(const Leaves& leaves, std::size_t at, std::set<std::uint32_t>& used) {
  if (at == leaves.lists.size()) return 1;
  std::uint64_t all = 0;
  for (const std::uint32_t image : leaves.lists[at]) {
    if (!used.insert(image).second) continue;
    all += tried(leaves, at + 1, used);
    used.erase(image);
  }
  return all;
}

void check_leaves(std::uint32_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto number = [&](std::uint32_t least, std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(least, most)(random);
  };
  Leaves leaves;
  const std::uint32_t items = number(1, 9), share = number(2, 9), vertices = number(1, 6);
  std::vector<ItemList> kinds(number(1, 6));
  for (ItemList& list : kinds) {
    for (std::uint32_t image = 0; image < items; ++image) {
      if (number(0, 9) < share) list.push_back(image);
    }
  }
  for (std::uint32_t i = 0; i < vertices; ++i) {
    leaves.lists.push_back(kinds[number(0, static_cast<std::uint32_t>(kinds.size()) - 1)]);
  }
  std::set<std::uint32_t> used;
  for (std::uint32_t i = number(0, 2); i > 0; --i) {
    const std::uint32_t vertex = number(0, 63), image = number(0, items + 1);
    if ((leaves.taken >> vertex & 1) != 0 || !used.insert(image).second) continue;
    leaves.taken |= std::uint64_t{1} << vertex;
    leaves.images[vertex] = image;
  }
  std::vector<Answer> answers = {answer_of(leaves)};
  if (vertices == 3) answers.push_back(answer_of_few<3>(leaves));
  if (vertices == 4) answers.push_back(answer_of_few<4>(leaves));
  const std::uint64_t expected = tried(leaves, 0, used);
  for (const Answer& found : answers) {
    ASSERT_TRUE(found.has_room);
    ASSERT_TRUE(found.is_known);
    EXPECT_EQ(static_cast<std::uint64_t>(found.ways.number), expected);
    EXPECT_EQ(found.ways.bound == 0, expected == 0);
    EXPECT_GE(found.ways.bound, static_cast<double>(expected));
  }
}

TEST(LeafWays, AreThoseOfTrying) {
  for (std::uint32_t seed = 1; seed <= kLeafSeeds; ++seed) check_leaves(seed);
}

ItemList from_to(std::uint32_t first, std::uint32_t last) {
  ItemList list;
  for (std::uint32_t image = first; image < last; ++image) list.push_back(image);
  return list;
}

/// A falling factorial.
u128 falling(std::uint32_t of, std::uint32_t some) {
  u128 all = 1;
  for (std::uint32_t i = 0; i < some; ++i) all *= of - i;
  return all;
}

TEST(LeafWays, ManyVerticesShareFewLists) {
  // Six have the first list, seven one that contains it: whichever chooses first reduces the choice of all others.
  Leaves leaves;
  for (int i = 0; i < 6; ++i) leaves.lists.push_back(from_to(10, 20));
  for (int i = 0; i < 7; ++i) leaves.lists.push_back(from_to(0, 40));
  const Answer found = answer_of(leaves);
  ASSERT_TRUE(found.has_room && found.is_known);
  EXPECT_TRUE(found.ways.number == falling(10, 6) * falling(34, 7));
}

TEST(LeafWays, NumbersOf128BitsAreExact) {
  Leaves leaves;
  for (int i = 0; i < 5; ++i) leaves.lists.push_back(from_to(0, 5000));
  for (int i = 0; i < 4; ++i) leaves.lists.push_back(from_to(0, 6000));
  const Answer found = answer_of(leaves);
  ASSERT_TRUE(found.has_room && found.is_known);
  EXPECT_TRUE(found.ways.number == falling(5000, 5) * falling(5995, 4));
  EXPECT_GT(static_cast<std::uint64_t>(found.ways.number >> 64), 0U);
}

/// Ten vertices of one list and ten of another one.
Leaves two_tens(std::uint32_t images) {
  Leaves leaves;
  for (std::uint32_t i = 0; i < 20; ++i) leaves.lists.push_back(from_to(i / 10 * 100, i / 10 * 100 + images));
  return leaves;
}

TEST(LeafWays, NumbersNearTheLargestAreExactOrUnreported) {
  // The product of the lists' sizes is beyond 10^38, but the number is not.
  const Answer found = answer_of(two_tens(80));
  ASSERT_TRUE(found.has_room && found.is_known);
  EXPECT_TRUE(found.ways.number == falling(80, 10) * falling(80, 10));
  // The number is; each vertex alone has a number of images whose product is not.
  const Answer large = answer_of(two_tens(90));
  ASSERT_TRUE(large.has_room && large.is_known);
  EXPECT_GT(large.ways.bound, kMostExactWays);
}

TEST(LeafWays, TooLargeNumbersAreUnreported) {
  Leaves leaves;
  for (std::uint32_t i = 0; i < 12; ++i) leaves.lists.push_back(from_to(i / 6, 5000));
  const Answer found = answer_of(leaves);
  ASSERT_TRUE(found.has_room && found.is_known);
  EXPECT_GT(found.ways.bound, kMostWays);
  // A product of 10^40, but no vertex has an image for itself for sure.
  Leaves tight;
  for (std::uint32_t i = 0; i < 30; ++i) tight.lists.push_back(from_to(i / 15, 30));
  const Answer unknown = answer_of(tight);
  ASSERT_TRUE(unknown.has_room);
  EXPECT_FALSE(unknown.is_known);
}

TEST(LeafWays, ThereIsRoomForSomeListsThatDiffer) {
  Leaves leaves;
  for (std::uint32_t i = 0; i < kLeafLists; ++i) leaves.lists.push_back(from_to(i, 20));
  EXPECT_TRUE(answer_of(leaves).has_room);
  leaves.lists.push_back(from_to(kLeafLists, 20));
  EXPECT_FALSE(answer_of(leaves).has_room);
}

}  // namespace
}  // namespace matcha_program
