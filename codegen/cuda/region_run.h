#pragma once

#include <string>
#include <vector>

#include "codegen/cuda/region_launch.h"

namespace matcha::codegen::gpu {

/// The outcome of a region; unless `ending` is Complete it covers the work done until then.
struct RegionOutcome {
  std::vector<PartialValue> found;  ///< One for each sink; for lists without their rows, which are in `rows`.
  std::vector<host::List> rows;     ///< One for each sink; empty unless it is a list sink that is neither streamed nor
                                    ///< stays on the device.
  std::vector<DeviceRows> staying;  ///< The rows of the list sinks that stay on the device, in order.
  Ending ending = Ending::Complete;
  std::uint64_t positions = 0;
  std::uint64_t splits = 0;
  std::uint64_t groups = 0;      ///< Number of groups.
  std::uint64_t list_bytes = 0;  ///< The bytes of the intermediate lists of the groups.
  StartedKernels kernels;        ///< With room for `at_once` on each device.
  std::uint64_t streamed = 0;    ///< Rows handed over.
  double kernel_ms = 0;          ///< The device's time, of the slowest device; of all attempts.
  std::vector<double> each_ms;   ///< The same of each device.
  double launch_ms = 0;          ///< The host's time until the last kernel was launched.
  double collect_ms = 0;         ///< The host's time after the end of the kernels.
  std::vector<std::string> notes;
};

/// Runs a region on all devices together and adds their results; `inputs` has one entry a device. A sequential region
/// runs on the first device alone. Throws Trap for errors of the program and of devices.
RegionOutcome run_region(const std::vector<RegionLauncher*>& launchers, const RegionRequest& request,
                         const std::vector<RegionInputs>& inputs, const CudaOptions& settings,
                         const RunOptions& options);

}  // namespace matcha::codegen::gpu
