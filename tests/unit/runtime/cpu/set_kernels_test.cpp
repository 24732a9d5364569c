#include "runtime/cpu/set_kernels.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <vector>

namespace matcha::runtime {
namespace {

using Ranks = std::vector<std::uint32_t>;

/// Memory whose last byte is followed by a page that may not be touched.
class GuardedList {
 public:
  explicit GuardedList(std::uint64_t max_items) {
    std::uint64_t page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    bytes_ = (max_items * 4 + page - 1) / page * page;
    base_ =
        static_cast<char*>(mmap(nullptr, bytes_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(base_, MAP_FAILED);
    EXPECT_EQ(mprotect(base_ + bytes_, page, PROT_NONE), 0);
    page_ = page;
  }
  GuardedList(const GuardedList&) = delete;
  GuardedList& operator=(const GuardedList&) = delete;
  ~GuardedList() { munmap(base_, bytes_ + page_); }

  /// Room for `count` items that ends at the guard page.
  std::uint32_t* last(std::uint64_t count) { return reinterpret_cast<std::uint32_t*>(base_ + bytes_) - count; }

  const std::uint32_t* put(const Ranks& items) {
    std::uint32_t* place = last(items.size());
    if (!items.empty()) std::memcpy(place, items.data(), items.size() * 4);
    return place;
  }

 private:
  char* base_;
  std::uint64_t bytes_;
  std::uint64_t page_;
};

constexpr std::uint64_t kMaxItems = 8192;
/// The rank below the two that are none.
constexpr std::uint32_t kHighest = 0xfffffffdu;

struct Fixture {
  GuardedList a{kMaxItems};
  GuardedList b{kMaxItems};
  GuardedList out{kMaxItems + 16};
};

/// All operations of a tier on one pair of lists against std::set_intersection and std::set_difference.
void check_pair(Fixture& fixture, const SetKernels& kernels, const Ranks& a, const Ranks& b) {
  Ranks common;
  Ranks rest;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
  const std::uint32_t* pa = fixture.a.put(a);
  const std::uint32_t* pb = fixture.b.put(b);
  ASSERT_EQ(kernels.intersect_count(pa, a.size(), pb, b.size()), common.size());
  ASSERT_EQ(kernels.diff_count(pa, a.size(), pb, b.size()), rest.size());

  const SetPair pairs[] = {{pa, a.size(), pb, b.size()}, {pb, b.size(), pb, 0}, {pb, b.size(), pa, a.size()}};
  std::uint64_t counts[3] = {};
  ASSERT_EQ(kernels.count_pairs(pairs, 3, counts), 2 * common.size());
  for (std::uint64_t i = 0; i < 3; ++i) ASSERT_EQ(counts[i], i == 1 ? 0 : common.size());
  ASSERT_EQ(kernels.count_pairs(pairs, 0, counts), 0u);

  // Row 1 is all of `a`; row 0 is empty.
  const auto rows = [&] {
    return std::vector<SetPair>{{pb, b.size(), nullptr, 1}, {pb, b.size(), nullptr, 0}, {pb, 0, nullptr, 1}};
  };
  const std::uint64_t places[] = {0, 0, a.size()};
  ASSERT_EQ(kernels.count_rows(rows().data(), 3, counts, pa, places), common.size());
  for (std::uint64_t i = 0; i < 3; ++i) ASSERT_EQ(counts[i], i == 0 ? common.size() : 0);

  // The same row as each half of a vertex whose arcs begin at 2^32 - 1, in a block of its own.
  constexpr std::uint64_t kFirst = 0xffffffff;
  const std::uint32_t end = static_cast<std::uint32_t>(kFirst + a.size()), first = static_cast<std::uint32_t>(kFirst);
  const std::uint32_t halves[2][5] = {{first, first, first, end, end}, {first, first, first, first, end}};
  const std::uint64_t bases[] = {0, kFirst, kFirst + a.size()};
  for (const std::uint64_t side : {0, 1}) {
    const SplitOffsets narrow{halves[side], bases, 0};
    ASSERT_EQ(kernels.count_halves(rows().data(), 3, counts, pa - kFirst, &narrow, side), common.size());
    for (std::uint64_t i = 0; i < 3; ++i) ASSERT_EQ(counts[i], i == 0 ? common.size() : 0);
  }

  std::uint32_t* out = fixture.out.last(std::min(a.size(), b.size()) + 16);
  ASSERT_EQ(kernels.intersect(pa, a.size(), pb, b.size(), out), common.size());
  ASSERT_TRUE(std::equal(common.begin(), common.end(), out));

  out = fixture.out.last(a.size() + 16);
  ASSERT_EQ(kernels.diff(pa, a.size(), pb, b.size(), out), rest.size());
  ASSERT_TRUE(std::equal(rest.begin(), rest.end(), out));

  std::vector<std::uint64_t> bits(a.size() / 64 + 2, ~std::uint64_t{0});
  kernels.member_bits(pa, a.size(), pb, b.size(), bits.data());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(bits[i / 64] >> i % 64 & 1, std::binary_search(b.begin(), b.end(), a[i])) << "item " << i;
  }
  if (a.size() % 64 != 0) {
    ASSERT_EQ(bits[a.size() / 64] >> a.size() % 64, 0u);
  }
  ASSERT_EQ(bits[(a.size() + 63) / 64], ~std::uint64_t{0});

  for (std::uint32_t x : {a.empty() ? 0u : a[a.size() / 2], b.empty() ? 1u : b.back(), 0u, ~0u}) {
    std::uint64_t expected = static_cast<std::uint64_t>(std::lower_bound(a.begin(), a.end(), x) - a.begin());
    ASSERT_EQ(kernels.lower_bound(pa, a.size(), x), expected);
  }
  ASSERT_EQ(kernels.lower_bound(pa, a.size(), std::uint64_t{1} << 32), a.size());
}

/// `count` of the ranks [base, base + universe), all equally likely (Knuth's selection sampling).
Ranks random_ranks(std::mt19937_64& random, std::uint64_t count, std::uint64_t universe, std::uint32_t base) {
  Ranks items;
  count = std::min(count, universe);
  for (std::uint64_t i = 0; items.size() < count; ++i) {
    if (random() % (universe - i) < count - items.size()) items.push_back(base + static_cast<std::uint32_t>(i));
  }
  return items;
}

/// Ascending items with gaps that change along the list, as neighbour lists of clustered graphs have.
Ranks clustered_ranks(std::mt19937_64& random, std::uint64_t count) {
  Ranks items;
  std::uint32_t x = static_cast<std::uint32_t>(random() % 64);
  std::uint64_t gap = 1;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (random() % 16 == 0) gap = std::uint64_t{1} << random() % 8;
    items.push_back(x);
    x += 1 + static_cast<std::uint32_t>(random() % gap);
  }
  return items;
}

class SetKernelsTest : public testing::TestWithParam<Tier> {
 protected:
  void SetUp() override {
    std::vector<Tier> tiers = supported_tiers();
    if (std::find(tiers.begin(), tiers.end(), GetParam()) == tiers.end()) {
      GTEST_SKIP() << "[SKIP] this processor lacks " << tier_name(GetParam());
    }
  }
};

TEST_P(SetKernelsTest, AllSmallSizes) {
  Fixture fixture;
  std::mt19937_64 random(7);
  for (std::uint64_t na = 0; na <= 70; ++na) {
    for (std::uint64_t nb = 0; nb <= 70; ++nb) {
      std::uint64_t universe = std::max(na, nb) * (1 + random() % 4) + 1;
      ASSERT_NO_FATAL_FAILURE(check_pair(fixture, set_kernels(GetParam()), random_ranks(random, na, universe, 0),
                                         random_ranks(random, nb, universe, 0)))
          << "na=" << na << " nb=" << nb;
    }
  }
}

TEST_P(SetKernelsTest, RandomSizesSkewsDensitiesAndBases) {
  Fixture fixture;
  std::mt19937_64 random(11);
  for (int round = 0; round < 6000; ++round) {
    std::uint64_t na = random() % (std::uint64_t{2} << random() % 12);
    std::uint64_t nb = random() % (std::uint64_t{2} << random() % 12);
    std::uint64_t universe = std::max<std::uint64_t>(1, std::max(na, nb)) << random() % 6;
    // A third of the rounds ends at the highest rank, a third starts at 0, a third anywhere.
    std::uint32_t base = round % 3 == 0   ? static_cast<std::uint32_t>(kHighest + 1 - universe)
                         : round % 3 == 1 ? 0
                                          : static_cast<std::uint32_t>(random() % 0x80000000u);
    ASSERT_NO_FATAL_FAILURE(check_pair(fixture, set_kernels(GetParam()), random_ranks(random, na, universe, base),
                                       random_ranks(random, nb, universe, base)))
        << "round " << round << " na=" << na << " nb=" << nb;
  }
}

TEST_P(SetKernelsTest, ClusteredLists) {
  Fixture fixture;
  std::mt19937_64 random(13);
  for (int round = 0; round < 3000; ++round) {
    Ranks a = clustered_ranks(random, random() % 600);
    Ranks b = clustered_ranks(random, random() % 600);
    ASSERT_NO_FATAL_FAILURE(check_pair(fixture, set_kernels(GetParam()), a, b)) << "round " << round;
  }
}

TEST_P(SetKernelsTest, EqualDisjointNestedAndExtremes) {
  Fixture fixture;
  const SetKernels& kernels = set_kernels(GetParam());
  for (std::uint64_t n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 128, 200, 1000, 4096}) {
    Ranks even, odd, low, high, sparse;
    for (std::uint64_t i = 0; i < n; ++i) {
      even.push_back(static_cast<std::uint32_t>(2 * i));
      odd.push_back(static_cast<std::uint32_t>(2 * i + 1));
      low.push_back(static_cast<std::uint32_t>(i));
      high.push_back(static_cast<std::uint32_t>(kHighest - (n - 1 - i)));
      if (i % 37 == 0) sparse.push_back(static_cast<std::uint32_t>(2 * i));
    }
    const std::vector<Ranks> lists = {even, odd, low, high, sparse, {0}, {kHighest}, {0, kHighest}};
    for (const Ranks& a : lists) {
      for (const Ranks& b : lists) ASSERT_NO_FATAL_FAILURE(check_pair(fixture, kernels, a, b)) << "n=" << n;
    }
  }
}

TEST_P(SetKernelsTest, UnalignedStarts) {
  const SetKernels& kernels = set_kernels(GetParam());
  std::mt19937_64 random(17);
  Ranks a = random_ranks(random, 700, 1500, 5);
  Ranks b = random_ranks(random, 800, 1500, 5);
  for (std::uint64_t skip_a = 0; skip_a < 17; ++skip_a) {
    for (std::uint64_t skip_b = 0; skip_b < 17; ++skip_b) {
      Ranks common;
      std::set_intersection(a.begin() + skip_a, a.end(), b.begin() + skip_b, b.end(), std::back_inserter(common));
      ASSERT_EQ(kernels.intersect_count(a.data() + skip_a, a.size() - skip_a, b.data() + skip_b, b.size() - skip_b),
                common.size());
    }
  }
}

TEST_P(SetKernelsTest, Marked) {
  std::mt19937_64 random(23);
  for (const unsigned often : {1, 2, 9, 1000}) {
    for (std::uint64_t n = 0; n < 200; ++n) {
      std::vector<std::uint8_t> marks(n);
      Ranks expected;
      for (std::uint64_t i = 0; i < n; ++i) {
        marks[i] = random() % often == 0;
        if (marks[i] != 0) expected.push_back(static_cast<std::uint32_t>(i));
      }
      Ranks positions(n + 16);
      ASSERT_EQ(set_kernels(GetParam()).marked(marks.data(), n, positions.data()), expected.size());
      positions.resize(expected.size());
      ASSERT_EQ(positions, expected);
    }
  }
}

TEST_P(SetKernelsTest, LowerBoundAllowsRepeats) {
  GuardedList guarded(kMaxItems);
  std::mt19937_64 random(19);
  for (std::uint64_t n = 0; n < 300; ++n) {
    Ranks items;
    for (std::uint64_t i = 0; i < n; ++i) items.push_back(static_cast<std::uint32_t>(random() % (n / 2 + 1)));
    std::sort(items.begin(), items.end());
    const std::uint32_t* place = guarded.put(items);
    for (std::uint32_t x = 0; x <= n / 2 + 2; ++x) {
      std::uint64_t expected =
          static_cast<std::uint64_t>(std::lower_bound(items.begin(), items.end(), x) - items.begin());
      ASSERT_EQ(set_kernels(GetParam()).lower_bound(place, n, x), expected) << "n=" << n << " x=" << x;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tiers, SetKernelsTest,
                         testing::Values(Tier::Scalar, Tier::Avx2, Tier::Avx512, Tier::Avx512Vp2intersect),
                         [](const testing::TestParamInfo<Tier>& info) {
                           std::string name(tier_name(info.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Tiers, ScalarIsAlwaysThereAndBestIsLast) {
  std::vector<Tier> tiers = supported_tiers();
  ASSERT_FALSE(tiers.empty());
  EXPECT_EQ(tiers.front(), Tier::Scalar);
  EXPECT_EQ(tiers.back(), best_tier());
}

TEST(Tiers, NamesRoundTrip) {
  for (Tier tier : {Tier::Scalar, Tier::Avx2, Tier::Avx512, Tier::Avx512Vp2intersect}) {
    EXPECT_EQ(tier_from_name(tier_name(tier)), tier);
  }
  EXPECT_EQ(tier_from_name("sse9"), std::nullopt);
}

}  // namespace
}  // namespace matcha::runtime
