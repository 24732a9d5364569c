#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cuda/device.h"

/// The CUDA installation of this machine, for `matcha doctor`.
namespace matcha::runtime::cuda {

struct DeviceFacts {
  DeviceProperties properties;
  std::uint64_t free_bytes = 0;  ///< 0 when `error` is set.
  std::string error;             ///< Why the device cannot be used; empty: usable.
};

/// Every `error` is empty when its part was found; otherwise the other fields of the part are empty.
struct CudaFacts {
  std::string driver_path;
  std::string driver_version;  ///< The newest CUDA version that the driver supports, `13.0`.
  std::string driver_error;
  std::vector<DeviceFacts> devices;
  std::string devices_error;  ///< Why no device could be listed although the driver is present.
  std::string nvrtc_path;
  std::string nvrtc_version;
  std::vector<int> nvrtc_archs;
  std::string nvrtc_error;
  /// Problems of parts that are present, such as a device that NVRTC does not support.
  std::vector<std::string> notes;

  /// True if kernels can be compiled and run here.
  bool usable() const;
};

/// Gathers everything. Takes a moment, because it opens every device; never fails.
CudaFacts gather_facts();

}  // namespace matcha::runtime::cuda
