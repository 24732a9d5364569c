#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "runtime/graph/random.h"

namespace matcha::runtime::test {
namespace {

TEST(Random, GivesTheSameNumbersForTheSameSeedAndStream) {
  Random one(7, 3), other(7, 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(one.next(), other.next());
}

TEST(Random, StreamsAndSeedsDiffer) {
  std::set<std::uint64_t> seen;
  constexpr std::uint64_t kSeeds = 8, kStreams = 256, kNumbers = 8;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    for (std::uint64_t stream = 0; stream < kStreams; ++stream) {
      Random random(seed, stream);
      for (std::uint64_t i = 0; i < kNumbers; ++i) seen.insert(random.next());
    }
  }
  EXPECT_EQ(seen.size(), kSeeds * kStreams * kNumbers);
}

TEST(Random, BelowIsInRange) {
  Random random(1);
  for (const std::uint64_t bound : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{1} << 32,
                                    (std::uint64_t{1} << 63) + 1, ~std::uint64_t{0}}) {
    for (int i = 0; i < 1000; ++i) ASSERT_LT(random.below(bound), bound);
  }
}

/// Pearson's statistic of how often each was drawn.
double chi_square(const std::vector<int>& times) {
  double all = 0, sum = 0;
  for (int each : times) all += each;
  const double expected = all / static_cast<double>(times.size());
  for (int each : times) sum += (each - expected) * (each - expected) / expected;
  return sum;
}

/// With 9 degrees of freedom, one in a million is above 45.
constexpr std::uint64_t kCells = 10;
constexpr int kDraws = 100000;
constexpr double kMostChiSquare = 45;

TEST(Random, NumbersOfAStreamAreUniform) {
  std::vector<int> times(kCells);
  Random random(1);
  for (int i = 0; i < kDraws; ++i) ++times[random.below(kCells)];
  EXPECT_LT(chi_square(times), kMostChiSquare);
}

TEST(Random, FirstNumbersOfStreamsAreUniform) {
  std::vector<int> first(kCells), second(kCells);
  for (std::uint64_t stream = 0; stream < kDraws; ++stream) {
    Random random(1, stream);
    ++first[random.below(kCells)];
    ++second[random.below(kCells)];
  }
  EXPECT_LT(chi_square(first), kMostChiSquare);
  EXPECT_LT(chi_square(second), kMostChiSquare);
}

TEST(Random, LargeBoundsHaveNoBias) {
  // Of 2^64 numbers, the remainders below a quarter of this bound would occur twice as often.
  constexpr std::uint64_t kBound = 3 * (std::uint64_t{1} << 62);
  std::vector<int> times(3);
  Random random(1);
  for (int i = 0; i < kDraws; ++i) ++times[random.below(kBound) >> 62];
  EXPECT_LT(chi_square(times), kMostChiSquare);
}

TEST(Random, ChanceHasItsProbability) {
  for (const double probability : {0.0, 0.25, 0.9, 1.0}) {
    Random random(1);
    const std::uint64_t threshold = threshold_of(probability);
    int times = 0;
    for (int i = 0; i < kDraws; ++i) times += random.chance(threshold) ? 1 : 0;
    // Six standard deviations.
    EXPECT_NEAR(times, kDraws * probability, 6 * std::sqrt(kDraws * probability * (1 - probability)));
  }
}

}  // namespace
}  // namespace matcha::runtime::test
