#include "runtime/cpu/general_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "runtime/cpu/symbols.h"

namespace matcha::runtime {
namespace {

/// The functions under one name for both element types.
template <typename T>
struct Ops;

template <>
struct Ops<std::uint32_t> {
  static constexpr auto intersect = rt_intersect_sorted_u32;
  static constexpr auto intersect_count = rt_intersect_count_sorted_u32;
  static constexpr auto diff = rt_diff_sorted_u32;
  static constexpr auto diff_count = rt_diff_count_sorted_u32;
  static constexpr auto contains = rt_contains_u32;
  static constexpr auto sort = rt_sort_u32;
};

template <>
struct Ops<std::int64_t> {
  static constexpr auto intersect = rt_intersect_sorted_i64;
  static constexpr auto intersect_count = rt_intersect_count_sorted_i64;
  static constexpr auto diff = rt_diff_sorted_i64;
  static constexpr auto diff_count = rt_diff_count_sorted_i64;
  static constexpr auto contains = rt_contains_i64;
  static constexpr auto sort = rt_sort_i64;
};

template <typename T>
class GeneralSetsTest : public testing::Test {};
using Elements = testing::Types<std::uint32_t, std::int64_t>;
TYPED_TEST_SUITE(GeneralSetsTest, Elements);

template <typename T>
void check(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> in, not_in;
  for (T x : a) (std::find(b.begin(), b.end(), x) != b.end() ? in : not_in).push_back(x);
  using Functions = Ops<T>;
  std::vector<T> out(a.size() + 1);
  ASSERT_EQ(Functions::intersect_count(a.data(), a.size(), b.data(), b.size()), in.size());
  ASSERT_EQ(Functions::diff_count(a.data(), a.size(), b.data(), b.size()), not_in.size());
  ASSERT_EQ(Functions::intersect(a.data(), a.size(), b.data(), b.size(), out.data()), in.size());
  ASSERT_TRUE(std::equal(in.begin(), in.end(), out.begin()));
  ASSERT_EQ(Functions::diff(a.data(), a.size(), b.data(), b.size(), out.data()), not_in.size());
  ASSERT_TRUE(std::equal(not_in.begin(), not_in.end(), out.begin()));
  // In place.
  std::vector<T> same = a;
  ASSERT_EQ(Functions::diff(same.data(), same.size(), b.data(), b.size(), same.data()), not_in.size());
  ASSERT_TRUE(std::equal(not_in.begin(), not_in.end(), same.begin()));
  for (T x : a) ASSERT_EQ(Functions::contains(b.data(), b.size(), x), std::find(b.begin(), b.end(), x) != b.end());
}

TYPED_TEST(GeneralSetsTest, AnyOrderAndRepeatsAgainstLinearSearch) {
  using T = TypeParam;
  std::mt19937_64 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::uint64_t na = random() % 40;
    std::uint64_t nb = random() % (round % 10 == 0 ? 900 : 40);
    std::uint64_t universe = 1 + random() % 60;
    T base = round % 3 == 0   ? static_cast<T>(std::numeric_limits<T>::max() - static_cast<T>(universe))
             : round % 3 == 1 ? std::numeric_limits<T>::min()
                              : T{7};
    std::vector<T> a, b;
    for (std::uint64_t i = 0; i < na; ++i) a.push_back(static_cast<T>(base + static_cast<T>(random() % universe)));
    for (std::uint64_t i = 0; i < nb; ++i) b.push_back(static_cast<T>(base + static_cast<T>(random() % universe)));
    Ops<T>::sort(b.data(), b.size());
    ASSERT_TRUE(std::is_sorted(b.begin(), b.end()));
    if (round % 2 == 0) std::sort(a.begin(), a.end());
    ASSERT_NO_FATAL_FAILURE(check(a, b)) << "round " << round;
  }
}

TEST(GeneralSets, VerticesWithAndWithoutGaps) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const bool gaps = round % 2 == 0;
    std::vector<std::uint32_t> a;
    std::uint32_t next = static_cast<std::uint32_t>(random() % 5);
    for (unsigned i = 0, count = static_cast<unsigned>(random() % 80); i < count; ++i) {
      a.push_back(next);
      next += 1 + static_cast<std::uint32_t>(gaps ? random() % 3 : 0);
    }
    std::vector<std::uint32_t> b(random() % 60);
    for (std::uint32_t& item : b) item = static_cast<std::uint32_t>(random() % 100);
    std::sort(b.begin(), b.end());
    std::vector<std::uint32_t> wanted, found(std::min(a.size(), b.size()) + 1);
    std::copy_if(a.begin(), a.end(), std::back_inserter(wanted),
                 [&](std::uint32_t item) { return std::binary_search(b.begin(), b.end(), item); });
    found.resize(rt_intersect_distinct_u32(a.data(), a.size(), b.data(), b.size(), found.data()));
    EXPECT_EQ(found, wanted);
  }
}

TEST(GeneralSets, LowerBoundOfInts) {
  std::vector<std::int64_t> items = {-5, -5, 0, 3, 3, 9};
  for (std::int64_t x = -7; x < 11; ++x) {
    EXPECT_EQ(rt_lower_bound_i64(items.data(), items.size(), x),
              static_cast<std::uint64_t>(std::lower_bound(items.begin(), items.end(), x) - items.begin()));
  }
  EXPECT_EQ(rt_lower_bound_i64(nullptr, 0, 3), 0u);
}

TEST(RuntimeSymbols, SortedCompleteAndCallable) {
  std::span<const RuntimeSymbol> symbols = runtime_symbols();
  ASSERT_FALSE(symbols.empty());
  for (std::size_t i = 1; i < symbols.size(); ++i) EXPECT_LT(std::strcmp(symbols[i - 1].name, symbols[i].name), 0);
  for (const RuntimeSymbol& symbol : symbols) {
    EXPECT_EQ(std::string(symbol.name).substr(0, 3), "rt_");
    EXPECT_NE(symbol.address, nullptr);
    if (std::string(symbol.name) != "rt_contains_i64") continue;
    const std::int64_t items[] = {4, 8};
    EXPECT_TRUE(reinterpret_cast<decltype(&rt_contains_i64)>(symbol.address)(items, 2, 8));
  }
}

}  // namespace
}  // namespace matcha::runtime
