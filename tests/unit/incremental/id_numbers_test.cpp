// Numbers of ids, against a map.

#include "incremental/id_numbers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <random>

namespace matcha::session::stream {
namespace {

TEST(IdNumbers, AreThoseOfTheirArrival) {
  std::mt19937_64 random(11);
  // Dense ids, ids that become dense, ids with gaps, and any.
  for (const std::uint64_t most : {std::uint64_t{400}, std::uint64_t{3000}, std::uint64_t{1} << 40, std::uint64_t{0}}) {
    IdNumbers numbers;
    std::map<std::int64_t, std::uint32_t> known;
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t drawn = most == 0 ? random() : random() % most;
      const std::int64_t id = i % 50 == 7 ? -static_cast<std::int64_t>(drawn % 90) : static_cast<std::int64_t>(drawn);
      const auto found = known.find(id);
      const std::optional<std::uint32_t> number = numbers.find(id);
      ASSERT_EQ(number.has_value(), found != known.end());
      if (number) {
        ASSERT_EQ(*number, found->second);
      } else {
        numbers.fetch(id);
        known.emplace(id, numbers.size());
        numbers.add(id);
        ASSERT_EQ(numbers.size(), known.size());
      }
    }
    for (const auto& [id, number] : known) {
      ASSERT_EQ(numbers.find(id), number);
      ASSERT_EQ(numbers.id(number), id);
    }
    EXPECT_FALSE(numbers.find(std::numeric_limits<std::int64_t>::min()).has_value());
  }
}

// If each of these ids let the array grow, each would read all ids before it: hours.
TEST(IdNumbers, GrowSeldom) {
  constexpr std::uint32_t kIds = 1'000'000;
  IdNumbers numbers;
  numbers.add(-1);
  for (std::uint32_t i = 1; i < kIds; ++i) numbers.add(4 * std::int64_t{i});
  EXPECT_EQ(numbers.find(-1), 0U);
  for (std::uint32_t i = 1; i < kIds; ++i) ASSERT_EQ(numbers.find(4 * std::int64_t{i}), i);
}

}  // namespace
}  // namespace matcha::session::stream
