#include "runtime/cuda/facts.h"

#include <algorithm>
#include <string>

#include "runtime/cuda/driver.h"
#include "runtime/cuda/nvrtc.h"

namespace matcha::runtime::cuda {

namespace {

std::string text_of(const Error& error) {
  return error.hint.empty() ? error.message : error.message + "; " + error.hint;
}

DeviceFacts look_at_device(const Driver& driver, int ordinal) {
  DeviceFacts facts;
  Result<DeviceProperties> properties = device_properties(driver, ordinal);
  if (!properties) {
    facts.properties.ordinal = ordinal;
    facts.error = text_of(properties.error());
    return facts;
  }
  facts.properties = std::move(*properties);
  Result<DeviceRef> device = Device::open(driver, ordinal);
  if (!device) {
    facts.error = text_of(device.error());
    return facts;
  }
  const Result<Device::Memory> memory = (*device)->memory();
  if (memory) {
    facts.free_bytes = memory->free;
  } else {
    facts.error = text_of(memory.error());
  }
  return facts;
}

void look_at_driver(const Driver& driver, CudaFacts& facts) {
  facts.driver_path = driver.path();
  facts.driver_version = driver.version_text();
  const Result<int> count = device_count(driver);
  if (!count) {
    facts.devices_error = text_of(count.error());
    return;
  }
  for (int ordinal = 0; ordinal < *count; ++ordinal) facts.devices.push_back(look_at_device(driver, ordinal));
  if (facts.devices.empty()) facts.devices_error = "the driver finds no GPU; CUDA_VISIBLE_DEVICES may hide it";
}

void look_at_nvrtc(int driver_major, CudaFacts& facts) {
  const Result<const Nvrtc*> nvrtc = Nvrtc::open({"", driver_major});
  if (!nvrtc) {
    facts.nvrtc_error = text_of(nvrtc.error());
    return;
  }
  facts.nvrtc_path = (*nvrtc)->path();
  facts.nvrtc_version = (*nvrtc)->version_text();
  facts.nvrtc_archs = (*nvrtc)->archs();
  if (driver_major != 0 && driver_major < (*nvrtc)->major()) {
    facts.notes.push_back("NVRTC " + facts.nvrtc_version + " is newer than the driver, which supports CUDA " +
                          facts.driver_version + "; its kernels may not load");
  }
  for (const DeviceFacts& device : facts.devices) {
    const int arch = device.properties.arch;
    const bool known = std::find(facts.nvrtc_archs.begin(), facts.nvrtc_archs.end(), arch) != facts.nvrtc_archs.end();
    if (arch == 0 || known) continue;
    const bool older = facts.nvrtc_archs.empty() || arch < facts.nvrtc_archs.front();
    facts.notes.push_back("NVRTC " + facts.nvrtc_version + " does not know sm_" + std::to_string(arch) + " of GPU " +
                          std::to_string(device.properties.ordinal) +
                          (older ? "; an older NVRTC may" : "; the driver compiles its PTX"));
  }
}

}  // namespace

bool CudaFacts::usable() const {
  return nvrtc_error.empty() &&
         std::any_of(devices.begin(), devices.end(), [](const DeviceFacts& device) { return device.error.empty(); });
}

CudaFacts gather_facts() {
  CudaFacts facts;
  int driver_major = 0;
  const Result<const Driver*> driver = Driver::open();
  if (driver) {
    driver_major = (*driver)->version() / 1000;
    look_at_driver(**driver, facts);
  } else {
    facts.driver_error = text_of(driver.error());
  }
  look_at_nvrtc(driver_major, facts);
  return facts;
}

}  // namespace matcha::runtime::cuda
