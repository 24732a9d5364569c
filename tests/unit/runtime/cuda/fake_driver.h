#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "runtime/cuda/driver.h"
#include "tests/unit/runtime/cuda/fake_cuda.h"

namespace matcha::runtime::cuda {

/// Tests with the fake driver: two devices of 64 MiB. At the end of each, everything must have been freed.
class FakeDriverTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<const Driver*> opened = Driver::open(FAKE_CUDA_LIBRARY);
    ASSERT_TRUE(opened) << opened.error().message;
    driver_ = *opened;
    void* library = ::dlopen(FAKE_CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr);
    fake_ = reinterpret_cast<FakeCudaState*>(::dlsym(library, "fake_cuda_state"))();
    log_ = reinterpret_cast<FakeCudaLog*>(::dlsym(library, "fake_cuda_log"));
    reinterpret_cast<FakeCudaReset*>(::dlsym(library, "fake_cuda_reset"))();
  }
  void TearDown() override {
    EXPECT_EQ(fake_->live_objects, 0) << "something was not freed";
    EXPECT_EQ(fake_->live_bytes, 0U);
  }

  /// The call `symbol` fails with `code` after `after` good ones.
  void fail(const char* symbol, int code, int after = 0) {
    fake_->failing_call = symbol;
    fake_->failing_code = code;
    fake_->failing_after = after;
  }
  /// Number of lines of the log with this start.
  int count_calls(const std::string& start) const {
    const std::string log = "\n" + std::string(log_());
    int count = 0;
    for (std::size_t at = log.find("\n" + start); at != std::string::npos; at = log.find("\n" + start, at + 1)) ++count;
    return count;
  }

  const Driver* driver_ = nullptr;
  FakeCuda* fake_ = nullptr;
  FakeCudaLog* log_ = nullptr;
};

}  // namespace matcha::runtime::cuda
