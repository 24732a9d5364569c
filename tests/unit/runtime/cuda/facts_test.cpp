#include "runtime/cuda/facts.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/runtime/cuda/fake_driver.h"
#include "tests/unit/runtime/cuda/scratch_folder.h"

namespace matcha::runtime::cuda {
namespace {

class FactsTest : public FakeDriverTest {
 protected:
  ScratchFolder scratch_;
  ScopedVariable driver_file_{"MATCHA_LIBCUDA", FAKE_CUDA_LIBRARY};
  ScopedVariable nvrtc_file_{"MATCHA_NVRTC", scratch_.path() + "/libnvrtc.so.13"};
};

TEST_F(FactsTest, DevicesOfTheFake) {
  const CudaFacts facts = gather_facts();
  EXPECT_EQ(facts.driver_error, "");
  EXPECT_EQ(facts.driver_path, FAKE_CUDA_LIBRARY);
  EXPECT_EQ(facts.driver_version, "12.8");
  EXPECT_EQ(facts.devices_error, "");
  ASSERT_EQ(facts.devices.size(), 2U);
  EXPECT_EQ(facts.devices[1].properties.ordinal, 1);
  EXPECT_EQ(facts.devices[1].free_bytes, std::uint64_t{64} << 20);
  EXPECT_EQ(facts.devices[1].error, "");
  EXPECT_EQ(facts.nvrtc_error.find("no NVRTC: "), 0U) << facts.nvrtc_error;
  EXPECT_NE(facts.nvrtc_error.find(scratch_.path()), std::string::npos) << facts.nvrtc_error;
  EXPECT_FALSE(facts.usable()) << "without NVRTC";
}

TEST_F(FactsTest, NoDriver) {
  const ScopedVariable missing("MATCHA_LIBCUDA", scratch_.path() + "/libcuda.so.1");
  const CudaFacts facts = gather_facts();
  EXPECT_EQ(facts.driver_error.find("no NVIDIA driver: "), 0U) << facts.driver_error;
  EXPECT_TRUE(facts.devices.empty());
  EXPECT_FALSE(facts.usable());
}

TEST_F(FactsTest, DriverWithoutDevices) {
  fail("cuInit", 100);
  const CudaFacts facts = gather_facts();
  EXPECT_EQ(facts.driver_error, "");
  EXPECT_EQ(facts.devices_error.find("`cuInit` failed: CUDA error 100"), 0U) << facts.devices_error;
  fake_->failing_call = nullptr;
  fake_->device_count = 0;
  EXPECT_NE(gather_facts().devices_error, "");
}

TEST_F(FactsTest, OneDeviceThatCannotBeUsed) {
  fail("cuDevicePrimaryCtxRetain", 46, 1);
  const CudaFacts facts = gather_facts();
  ASSERT_EQ(facts.devices.size(), 2U);
  EXPECT_EQ(facts.devices[0].error, "");
  EXPECT_EQ(facts.devices[1].properties.name, "Fake GPU");
  EXPECT_NE(facts.devices[1].error.find("cannot be used"), std::string::npos) << facts.devices[1].error;
}

}  // namespace
}  // namespace matcha::runtime::cuda
