#include "runtime/cpu/column.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace matcha::runtime {
namespace {

TEST(Column, AppendsAndGrows) {
  Column column(ElementKind::Int);
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 0; i < 1000; ++i) {
    std::int64_t pair[2] = {i, -i};
    ASSERT_TRUE(column.append(pair, 2));
    expected.insert(expected.end(), {i, -i});
  }
  ASSERT_EQ(column.size(), expected.size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), column.view<std::int64_t>().begin()));
}

TEST(Column, SizesOfElements) {
  EXPECT_EQ(element_bytes(ElementKind::Vid), 4u);
  EXPECT_EQ(element_bytes(ElementKind::Int), 8u);
  EXPECT_EQ(element_bytes(ElementKind::Float), 8u);
  EXPECT_EQ(element_bytes(ElementKind::Bool), 1u);
}

TEST(Column, RefusesSizesBeyondMemory) {
  Column column(ElementKind::Float);
  EXPECT_FALSE(column.resize(~std::uint64_t{0} / 4));
  EXPECT_EQ(column.size(), 0u);
  EXPECT_TRUE(column.resize(10));
}

}  // namespace
}  // namespace matcha::runtime
