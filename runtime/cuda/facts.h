#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cuda/device.h"

/// What of CUDA this machine has, for `matcha doctor`.
namespace matcha::runtime::cuda {

struct DeviceFacts {
  DeviceProperties properties;
  std::uint64_t free_bytes = 0;  ///< 0 when `error` is set.
  std::string error;             ///< Why the device cannot be used; empty: it can.
};

/// Every `error` is empty when its part was found, and the other fields of the part are empty when it is not.
struct CudaFacts {
  std::string driver_path;
  std::string driver_version;  ///< The newest CUDA version that the driver supports, `13.0`.
  std::string driver_error;
  std::vector<DeviceFacts> devices;
  std::string devices_error;  ///< Why no device could be listed, with the driver there.
  std::string nvrtc_path;
  std::string nvrtc_version;
  std::vector<int> nvrtc_archs;
  std::string nvrtc_error;
  /// What is there but will not do as it is, such as a device that NVRTC does not know.
  std::vector<std::string> notes;

  /// Kernels can be compiled and run here.
  bool usable() const;
};

/// Looks at everything. Takes a moment, because it opens every device; never fails.
CudaFacts gather_facts();

}  // namespace matcha::runtime::cuda
