#include "session/gpu.h"

#include <atomic>

#include "runtime/cuda/device.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/nvrtc.h"

namespace matcha::session {

namespace {

std::atomic<bool> was_opened{false};

}  // namespace

bool gpu_was_opened() { return was_opened; }
void note_gpu_opened() { was_opened = true; }

std::string gpu_name() {
  const runtime::Result<const runtime::cuda::Driver*> driver = runtime::cuda::Driver::open();
  if (!driver) return {};
  const runtime::Result<runtime::cuda::DeviceProperties> properties = runtime::cuda::device_properties(**driver, 0);
  return properties ? properties->name : std::string();
}

bool may_have_gpu() { return runtime::cuda::Driver::may_be_there(); }

std::string gpu_problem() {
  const runtime::Result<const runtime::cuda::Driver*> driver = runtime::cuda::Driver::open();
  if (!driver) return driver.error().message;
  const runtime::Result<int> count = runtime::cuda::device_count(**driver);
  if (!count) return count.error().message;
  if (*count == 0) return "the driver finds no GPU";
  const runtime::Result<const runtime::cuda::Nvrtc*> nvrtc =
      runtime::cuda::Nvrtc::open({"", (*driver)->version() / 1000});
  return nvrtc ? std::string() : nvrtc.error().message;
}

}  // namespace matcha::session
