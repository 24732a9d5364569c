#include "runtime/common/checked.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace matcha_program {
namespace {

constexpr i64 kLeast = std::numeric_limits<long long>::min();
constexpr i64 kMost = std::numeric_limits<long long>::max();

class CheckedTest : public testing::Test {
 protected:
  CheckedTest() { launch_.shared = &shared_; }

  /// The code of the trap since the last call, 0 for none.
  u64 trapped() {
    u64 code = shared_.error >> 56;
    shared_ = Shared{};
    return code;
  }
  void expect(i128 exact, i64 got) {
    if (exact == i64(exact)) {
      EXPECT_EQ(got, i64(exact));
      EXPECT_EQ(trapped(), 0U);
    } else {
      EXPECT_EQ(trapped(), u64(kIntegerOverflow));
    }
  }

  Shared shared_{};
  Launch launch_{};
  Checked<Group<1>> w_{launch_};
};

TEST(Extremes, OfFloatsDependOnNoOrder) {
  const f64 nan = std::numeric_limits<f64>::quiet_NaN();
  const auto bits = [](f64 x) { return __builtin_bit_cast(u64, x); };
  EXPECT_EQ(bits(smaller<f64>(0.0, -0.0)), bits(-0.0));
  EXPECT_EQ(bits(smaller<f64>(-0.0, 0.0)), bits(-0.0));
  EXPECT_EQ(bits(larger<f64>(0.0, -0.0)), bits(0.0));
  EXPECT_EQ(bits(larger<f64>(-0.0, 0.0)), bits(0.0));
  EXPECT_EQ(smaller<f64>(1.5, -2.0), -2.0);
  EXPECT_EQ(larger<f64>(1.5, -2.0), 1.5);
  for (f64 x : {nan, 1.0, -1.0, 0.0}) {
    EXPECT_TRUE(smaller(x, nan) != smaller(x, nan));
    EXPECT_TRUE(larger(nan, x) != larger(nan, x));
    Least<f64> least{};
    for (f64 y : {x, nan, 0.0}) least.take(y);
    EXPECT_TRUE(least.value != least.value);
  }
  EXPECT_EQ(smaller<i64>(-1, 1), -1);
  EXPECT_EQ(larger<u32>(7, 9), 9U);
}

TEST_F(CheckedTest, ArithmeticAgreesWith128Bits) {
  std::vector<i64> values = {0, 1, -1, 2, -2, kLeast, kLeast + 1, kMost, kMost - 1, 3037000500, -3037000500};
  std::mt19937_64 random(3);
  for (int i = 0; i < 40; ++i) values.push_back(i64(random()) >> (random() % 64));
  for (i64 a : values) {
    for (i64 b : values) {
      expect(i128(a) + b, w_.add(a, b, 1, 1));
      expect(i128(a) - b, w_.subtract(a, b, 1, 1));
      expect(i128(a) * b, w_.multiply(a, b, 1, 1));
      if (b == 0) {
        w_.quotient(a, b, 1, 1);
        EXPECT_EQ(trapped(), u64(kDivisionByZero));
        w_.remainder(a, b, 1, 1);
        EXPECT_EQ(trapped(), u64(kDivisionByZero));
        continue;
      }
      expect(i128(a) / b, w_.quotient(a, b, 1, 1));
      expect(i128(a) % b, w_.remainder(a, b, 1, 1));
    }
    expect(-i128(a), w_.negate(a, 1, 1));
  }
}

TEST_F(CheckedTest, WideArithmeticIsExactOrTraps) {
  const i128 most = i128(~u128(0) >> 1);
  std::vector<i128> values = {0, 1, -1, 2, -2, i128(kLeast) - 1, i128(kMost) + 1, most, most - 1, -most, -most - 1};
  std::mt19937_64 random(4);
  for (int i = 0; i < 40; ++i) values.push_back(i128(u128(random()) << 64 | random()) >> (random() % 128));
  const auto agrees = [&](bool overflows, i128 wanted, i128 got) {
    if (!overflows) {
      EXPECT_TRUE(got == wanted);
    }
    EXPECT_EQ(trapped(), overflows ? u64(kIntegerOverflow) : 0U);
  };
  for (i128 a : values) {
    for (i128 b : values) {
      i128 wanted = 0;
      bool overflows = __builtin_add_overflow(a, b, &wanted);
      agrees(overflows, wanted, w_.wide_add(a, b, 1, 1));
      overflows = __builtin_sub_overflow(a, b, &wanted);
      agrees(overflows, wanted, w_.wide_subtract(a, b, 1, 1));
      overflows = __builtin_mul_overflow(a, b, &wanted);
      agrees(overflows, wanted, w_.wide_multiply(a, b, 1, 1));
      if (b == 0) {
        w_.wide_quotient(a, b, 1, 1);
        EXPECT_EQ(trapped(), u64(kDivisionByZero));
        w_.wide_remainder(a, b, 1, 1);
        EXPECT_EQ(trapped(), u64(kDivisionByZero));
        continue;
      }
      overflows = b == -1 && a == -most - 1;
      agrees(overflows, overflows ? 0 : a / b, w_.wide_quotient(a, b, 1, 1));
      agrees(false, overflows ? 0 : a % b, w_.wide_remainder(a, b, 1, 1));
    }
    agrees(a == -most - 1, a == -most - 1 ? 0 : -a, w_.wide_negate(a, 1, 1));
  }
}

TEST_F(CheckedTest, TheFirstErrorStaysWithItsPlace) {
  w_.trap(kEmptyList, 70000, 12);
  w_.trap(kIntegerOverflow, 1, 1);
  EXPECT_EQ(shared_.error, u64(kEmptyList) << 56 | 70000ull << 24 | 12);
  EXPECT_EQ(shared_.stop, 1U);
}

TEST_F(CheckedTest, ListsIdsAndLabels) {
  u32 items[] = {5, 6, 7};
  List<u32> list{items, 3};
  EXPECT_EQ(w_.at<0>(list, 2, 1, 1), 7U);
  EXPECT_EQ(trapped(), 0U);
  w_.at<0>(list, 3, 1, 1);
  EXPECT_EQ(trapped(), u64(kIndexOutOfRange));
  w_.at<0>(list, -1, 1, 1);
  EXPECT_EQ(trapped(), u64(kIndexOutOfRange));
  EXPECT_EQ(w_.at_most(3, 3, 1, 1), 3);
  EXPECT_EQ(trapped(), 0U);
  w_.at_most(4, 3, 1, 1);
  EXPECT_EQ(trapped(), u64(kCapacityExceeded));
  EXPECT_EQ(w_.same_length(3, 4, 1, 1), 3U);
  EXPECT_EQ(trapped(), u64(kLengthMismatch));
  i64 ids[] = {-9, 4, 100};
  launch_.original_ids = ids;
  launch_.universe = 3;
  EXPECT_EQ(w_.vertex(100, 1, 1), 2U);
  EXPECT_EQ(w_.original_id(0), -9);
  EXPECT_EQ(trapped(), 0U);
  w_.vertex(5, 1, 1);
  EXPECT_EQ(trapped(), u64(kUnknownVertex));
  i64 labels[] = {3, kNoLabel};
  Graph g{};
  g.labels = labels;
  EXPECT_EQ(w_.label(g, 0, 1, 1), 3);
  EXPECT_EQ(trapped(), 0U);
  w_.label(g, 1, 1, 1);
  EXPECT_EQ(trapped(), u64(kNoVertexLabel));
}

}  // namespace
}  // namespace matcha_program
