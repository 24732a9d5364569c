#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "runtime/graph/detail/id_set.h"

/// Sets of ids in little room, against a set.
namespace matcha::runtime {
namespace {

TEST(IdSet, HasEachIdOnceAndInOrder) {
  std::mt19937_64 random(3);
  for (const std::uint64_t bytes : {0, 8, 100, 4000, 1'000'000}) {
    for (const std::int64_t most : {1, 1000, 1'000'000'000}) {
      for (const std::int64_t least : {std::int64_t{0}, -most / 3}) {
        detail::IdSet ids(bytes);
        std::set<std::int64_t> wanted;
        for (int piece = 0; piece < 20; ++piece) {
          // Small ids come first, so that bits remain in the middle.
          const std::int64_t here = piece < 10 ? std::max<std::int64_t>(most / 1000, 1) : most;
          std::vector<std::int64_t> some(random() % 200);
          for (std::int64_t& id : some) {
            id = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(here)) + (piece < 10 ? 0 : least);
          }
          ids.add(some.data(), some.size());
          wanted.insert(some.begin(), some.end());
        }
        const Buffer<std::int64_t> found = ids.take();
        EXPECT_TRUE(std::ranges::equal(found, wanted)) << bytes << ' ' << most << ' ' << least;
        EXPECT_EQ(ids.take().size(), 0U);
      }
    }
  }
}

}  // namespace
}  // namespace matcha::runtime
