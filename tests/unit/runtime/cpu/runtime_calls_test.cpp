#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "runtime/cpu/region.h"
#include "runtime/cpu/scheduler.h"

namespace matcha::runtime {
namespace {

TEST(RuntimeCalls, MinAndMaxOfDoublesDoNotDependOnOrder) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(rt_min_f64(nan, 1)) && std::isnan(rt_min_f64(1, nan)));
  EXPECT_TRUE(std::isnan(rt_max_f64(nan, 1)) && std::isnan(rt_max_f64(1, nan)));
  EXPECT_TRUE(std::signbit(rt_min_f64(0.0, -0.0)) && std::signbit(rt_min_f64(-0.0, 0.0)));
  EXPECT_FALSE(std::signbit(rt_max_f64(0.0, -0.0)) || std::signbit(rt_max_f64(-0.0, 0.0)));
  EXPECT_EQ(rt_min_f64(2, 1), 1);
  EXPECT_EQ(rt_max_f64(2, 1), 2);
}

TEST(RuntimeCalls, EveryTrapHasItsOwnWords) {
  std::map<std::string, int> seen;
  for (std::uint32_t code = 0; code <= static_cast<std::uint32_t>(TrapCode::NoLabel); ++code) {
    ++seen[trap_message(static_cast<TrapCode>(code))];
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(TrapCode::NoLabel) + 1);
}

}  // namespace
}  // namespace matcha::runtime
