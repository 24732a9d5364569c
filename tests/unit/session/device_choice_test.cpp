// The choice of the device that counts changed edges, with made-up costs.

#include "incremental/device_choice.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace matcha::session::stream {
namespace {

constexpr std::size_t kBatch = 1024;

/// Batches until a device has settled, `most` of them at most; the milliseconds of them all.
double run(DeviceChoice& choice, double cpu_each_ms, double gpu_each_ms, int most, int& settled) {
  double all = 0;
  for (int i = 0; i < most; ++i) {
    const bool on_gpu = choice.is_gpu();
    const double ms = static_cast<double>(kBatch) * (on_gpu ? gpu_each_ms : cpu_each_ms);
    all += ms;
    settled += choice.add(on_gpu, kBatch, ms) ? 1 : 0;
  }
  return all;
}

TEST(DeviceChoice, StaysOnTheCpuWithoutAGpu) {
  DeviceChoice choice;
  int settled = 0;
  run(choice, 1, 0.001, 100, settled);
  EXPECT_FALSE(choice.is_gpu());
  EXPECT_EQ(settled, 0);
  EXPECT_DOUBLE_EQ(choice.cpu_ms(), 100.0 * kBatch);
}

TEST(DeviceChoice, TakesTheOneThatIsSooner) {
  DeviceChoice choice;
  choice.allow_gpu();
  int settled = 0;
  run(choice, 0.01, 0.001, 12, settled);
  EXPECT_TRUE(choice.is_gpu());
  EXPECT_EQ(settled, 1);
  EXPECT_NEAR(*choice.each_ms(true), 0.001, 1e-9);
  EXPECT_NEAR(*choice.each_ms(false), 0.01, 1e-9);
  // It becomes the slower one, which is seen without a trial.
  run(choice, 0.01, 0.1, 8, settled);
  EXPECT_FALSE(choice.is_gpu());
  EXPECT_EQ(settled, 2);
}

TEST(DeviceChoice, LeavesASlowerOneAlone) {
  DeviceChoice choice;
  choice.allow_gpu();
  int settled = 0;
  const double ms = run(choice, 0.001, 0.01, 100000, settled);
  EXPECT_EQ(settled, 0);
  // A trial costs a twentieth of the time, at a tenth of the speed.
  EXPECT_LT(ms, 1.1 * 100000 * kBatch * 0.001);
}

TEST(DeviceChoice, ReturnsWhenCostsChange) {
  DeviceChoice choice;
  choice.allow_gpu();
  int settled = 0;
  run(choice, 0.001, 0.002, 2000, settled);
  EXPECT_EQ(settled, 0);
  run(choice, 0.01, 0.002, 2000, settled);
  EXPECT_TRUE(choice.is_gpu());
  EXPECT_EQ(settled, 1);
}

TEST(DeviceChoice, OthersSayNothing) {
  DeviceChoice choice;
  choice.allow_gpu();
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(choice.add(true, kBatch, 1e-6));
  EXPECT_FALSE(choice.each_ms(true));
  EXPECT_FALSE(choice.is_gpu());
}

}  // namespace
}  // namespace matcha::session::stream
