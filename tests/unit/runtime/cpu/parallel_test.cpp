#include "runtime/parallel.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "runtime/machine.h"

namespace matcha::runtime {
namespace {

TEST(Parallel, BlocksVisitEachItemOnce) {
  std::vector<std::atomic<int>> visits(10000);
  for_blocks(Block(3, visits.size(), 64), [&](const Block& block) {
    for (std::uint64_t i = block.begin(); i < block.end(); ++i) ++visits[i];
  });
  for (std::size_t i = 0; i < visits.size(); ++i) EXPECT_EQ(visits[i].load(), i < 3 ? 0 : 1) << i;
}

TEST(Parallel, IndicesVisitEachItemOnce) {
  std::vector<std::atomic<int>> visits(1000);
  for_indices(1, visits.size(), [&](std::uint64_t i) { ++visits[i]; });
  for (std::size_t i = 0; i < visits.size(); ++i) EXPECT_EQ(visits[i].load(), i < 1 ? 0 : 1) << i;
}

TEST(Parallel, NothingIsVisitedOfNothing) {
  std::atomic<int> visits = 0;
  for_blocks(Block(7, 7, 1), [&](const Block&) { ++visits; });
  for_indices(7, 7, [&](std::uint64_t) { ++visits; });
  EXPECT_EQ(visits.load(), 0);
}

TEST(Parallel, ExceptionsReachTheCaller) {
  const auto fail = [](std::uint64_t i) {
    if (i == 50) throw std::runtime_error("at 50");
  };
  EXPECT_THROW(for_indices(0, 100, fail), std::runtime_error);
  EXPECT_THROW(for_blocks(Block(0, 100, 1), [](const Block&) { throw std::runtime_error("any"); }), std::runtime_error);
}

TEST(Parallel, ThreadLimitsEnd) {
  const auto allowed = [] { return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism); };
  const std::size_t before = allowed();
  {
    const ThreadLimit limit(1);
    EXPECT_EQ(allowed(), 1U);
    const ThreadLimit wider(before + 1);
    EXPECT_EQ(allowed(), 1U);
  }
  EXPECT_EQ(allowed(), before);
}

}  // namespace
}  // namespace matcha::runtime
