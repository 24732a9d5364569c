#include "runtime/cuda/driver.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/unit/runtime/cuda/fake_driver.h"

namespace matcha::runtime::cuda {
namespace {

TEST(DriverOpen, MissingLibraryIsAClearError) {
  const Result<const Driver*> opened = Driver::open("libcuda-that-is-not-there.so.1");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::Runtime);
  EXPECT_EQ(opened.error().message.find("no NVIDIA driver: `libcuda-that-is-not-there.so.1` cannot be opened; "), 0U)
      << opened.error().message;
  EXPECT_NE(opened.error().hint.find("--device cpu"), std::string::npos);
}

TEST(DriverOpen, LibraryWithoutTheEntriesIsNamedWithTheMissingOne) {
  const Result<const Driver*> opened = Driver::open("libm.so.6");
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("it lacks `cuInit`"), std::string::npos) << opened.error().message;
}

TEST(DriverOpen, VariableChoosesTheLibrary) {
  ::setenv("MATCHA_LIBCUDA", FAKE_CUDA_LIBRARY, 1);
  const Result<const Driver*> opened = Driver::open();
  ::unsetenv("MATCHA_LIBCUDA");
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ((*opened)->path(), FAKE_CUDA_LIBRARY);
  EXPECT_EQ((*opened)->version(), 12080);
  EXPECT_EQ((*opened)->version_text(), "12.8");
}

/// A toolkit brings a library with every entry of the driver, each of which fails: the names in `driver.def` are those
/// of a real driver if it gets as far as the first call.
TEST(DriverOpen, ToolkitStubHasEveryEntry) {
  const char* stub = "/usr/local/cuda/lib64/stubs/libcuda.so";
  if (::access(stub, R_OK) != 0) GTEST_SKIP() << "[SKIP] no toolkit with " << stub;
  const Result<const Driver*> opened = Driver::open(stub);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("`cuDriverGetVersion` failed"), std::string::npos) << opened.error().message;
}

using DriverTest = FakeDriverTest;

TEST_F(DriverTest, OpenedOnce) {
  const Result<const Driver*> again = Driver::open(FAKE_CUDA_LIBRARY);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, driver_);
}

TEST_F(DriverTest, ErrorNamesCallAndCodeAndMeaning) {
  fail("cuCtxSetCurrent", 700);
  const Status got = driver_->call(driver_->calls().ctx_set_current, CuContext{});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::Runtime);
  EXPECT_EQ(got.error().message,
            "`cuCtxSetCurrent` failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)");
}

TEST_F(DriverTest, ShortMemoryIsAResourceErrorUnderTheManualsName) {
  fail("cuMemAlloc_v2", 2);
  CuDevicePtr address = 0;
  const Status got = driver_->call(driver_->calls().mem_alloc, &address, std::size_t{8});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::Resource);
  EXPECT_EQ(got.error().message, "`cuMemAlloc` failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
}

TEST_F(DriverTest, UnknownCodeIsGivenAsANumber) {
  fail("cuInit", 4711);
  const Status got = driver_->call(driver_->calls().init, 0U);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message, "`cuInit` failed: CUDA error 4711");
}

TEST(BytesText, PicksTheUnit) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(999), "999 bytes");
  EXPECT_EQ(bytes_text(1500), "1.5 kB");
  EXPECT_EQ(bytes_text(143'771'000'000), "143.8 GB");
  EXPECT_EQ(bytes_text(5'000'000'000'000'000), "5000.0 TB");
}

}  // namespace
}  // namespace matcha::runtime::cuda
