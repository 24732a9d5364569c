#include "runtime/common/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace matcha::runtime {
namespace {

double exact(const std::vector<double>& values) {
  ExactSum sum;
  exact_sum_clear(sum);
  for (double value : values) exact_sum_add(sum, value);
  return exact_sum_round(sum);
}

/// Shewchuk's summation by non-overlapping partial sums, rounded at the end as Python's math.fsum does: another
/// algorithm for the same number. Finite values without intermediate overflow only.
double reference(const std::vector<double>& values) {
  std::vector<double> partials;
  for (double x : values) {
    std::size_t kept = 0;
    for (double y : partials) {
      if (std::abs(x) < std::abs(y)) std::swap(x, y);
      double high = x + y;
      double low = y - (high - x);
      if (low != 0) partials[kept++] = low;
      x = high;
    }
    partials.resize(kept);
    partials.push_back(x);
  }
  if (partials.empty()) return 0;
  std::size_t n = partials.size() - 1;
  double high = partials[n];
  double low = 0;
  while (n > 0) {
    double x = high;
    double y = partials[--n];
    high = x + y;
    low = y - (high - x);
    if (low != 0) break;
  }
  if (n > 0 && ((low < 0 && partials[n - 1] < 0) || (low > 0 && partials[n - 1] > 0))) {
    double twice = low * 2;
    double moved = high + twice;
    if (twice == moved - high) high = moved;
  }
  return high;
}

void expect_same(double actual, double expected) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(actual), std::bit_cast<std::uint64_t>(expected))
      << actual << " vs " << expected;
}

double random_double(std::mt19937_64& random, int low_exponent, int high_exponent) {
  double mantissa = 1 + std::ldexp(static_cast<double>(random() >> 12), -52);
  int exponent =
      low_exponent + static_cast<int>(random() % static_cast<std::uint64_t>(high_exponent - low_exponent + 1));
  return std::ldexp(random() % 2 == 0 ? mantissa : -mantissa, exponent);
}

TEST(ExactSum, OneValueComesBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    double value = std::bit_cast<double>(random());
    if (!std::isfinite(value) || value == 0) continue;
    expect_same(exact({value}), value);
  }
  using Limits = std::numeric_limits<double>;
  for (double value : {Limits::denorm_min(), Limits::min(), Limits::max(), -Limits::max(), -Limits::denorm_min(),
                       Limits::min() - Limits::denorm_min(), 1.0, -1.0}) {
    expect_same(exact({value}), value);
  }
}

TEST(ExactSum, EqualsShewchukOnRandomLists) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 20'000; ++round) {
    int low = -1074 + static_cast<int>(random() % 1900);
    int high = std::min(low + static_cast<int>(random() % 300), 1000);
    std::vector<double> values;
    for (std::uint64_t n = random() % 40; n > 0; --n) values.push_back(random_double(random, low, std::max(low, high)));
    // Cancellation: most of the list a second time, negated.
    if (round % 2 == 0) {
      for (std::size_t i = 0, n = values.size(); i < n; ++i) {
        if (random() % 4 != 0) values.push_back(-values[i]);
      }
    }
    double expected = reference(values);
    ASSERT_NO_FATAL_FAILURE(expect_same(exact(values), expected == 0 ? 0.0 : expected)) << "round " << round;
  }
}

TEST(ExactSum, OrderAndGroupingDoNotMatter) {
  std::mt19937_64 random(3);
  std::vector<double> values;
  for (int i = 0; i < 5000; ++i) values.push_back(random_double(random, -1000, 1000));
  double expected = exact(values);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(values.begin(), values.end(), random);
    std::vector<ExactSum> parts(1 + random() % 9);
    for (ExactSum& part : parts) exact_sum_clear(part);
    for (double value : values) exact_sum_add(parts[random() % parts.size()], value);
    ExactSum total;
    exact_sum_clear(total);
    for (const ExactSum& part : parts) exact_sum_merge(total, part);
    expect_same(exact_sum_round(total), expected);
  }
}

TEST(ExactSum, RoundsOnceToEven) {
  double ulp = std::ldexp(1.0, -52);
  expect_same(exact({1.0, ulp / 2}), 1.0);
  expect_same(exact({1.0 + ulp, ulp / 2}), 1.0 + 2 * ulp);
  expect_same(exact({1.0, ulp / 2, std::numeric_limits<double>::denorm_min()}), 1.0 + ulp);
  expect_same(exact({1.0, ulp / 2, -std::numeric_limits<double>::denorm_min()}), 1.0);
  expect_same(exact({2.0 - ulp, ulp / 2}), 2.0);
  expect_same(exact({-1.0, -ulp / 2, -ulp / 4}), -1.0 - ulp);
}

TEST(ExactSum, CancellationIsExactAndZeroIsPositive) {
  expect_same(exact({1e308, 1.0, -1e308}), 1.0);
  expect_same(exact({1e308, 1e308, 1e-320, -1e308, -1e308}), 1e-320);
  expect_same(exact({}), 0.0);
  expect_same(exact({-0.0, -0.0}), 0.0);
  expect_same(exact({5.0, -5.0}), 0.0);
}

TEST(ExactSum, OverflowOnlyWhenTheSumIsTooLarge) {
  double max = std::numeric_limits<double>::max();
  double infinity = std::numeric_limits<double>::infinity();
  expect_same(exact({max, max}), infinity);
  expect_same(exact({-max, -max, -max}), -infinity);
  expect_same(exact({max, max, -max}), max);
  // Half an ulp of the largest double is the tie that rounds to infinity.
  expect_same(exact({max, std::ldexp(1.0, 970)}), infinity);
  expect_same(exact({max, std::ldexp(1.0, 970), -std::numeric_limits<double>::denorm_min()}), max);
}

TEST(ExactSum, NonFiniteValuesAsInIeee) {
  double infinity = std::numeric_limits<double>::infinity();
  expect_same(exact({infinity, 1.0, infinity}), infinity);
  expect_same(exact({-infinity, 1e300}), -infinity);
  EXPECT_TRUE(std::isnan(exact({infinity, -infinity})));
  EXPECT_TRUE(std::isnan(exact({1.0, std::numeric_limits<double>::quiet_NaN(), infinity})));
}

TEST(ExactSum, CarriesBeforeDigitsOverflow) {
  ExactSum sum;
  exact_sum_clear(sum);
  exact_sum_add(sum, -1.0);
  // Merging a sum into itself doubles it and its pending count: far more additions than digits hold without carries.
  for (int i = 0; i < 60; ++i) {
    ExactSum copy = sum;
    exact_sum_merge(sum, copy);
  }
  expect_same(exact_sum_round(sum), -std::ldexp(1.0, 60));
}

}  // namespace
}  // namespace matcha::runtime
