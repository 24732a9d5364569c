#pragma once

#include <string>
#include <vector>

#include "codegen/cuda/region_launch.h"

namespace matcha::codegen::gpu {

/// What came of a region; covers what was done until then unless `ending` is Complete.
struct RegionOutcome {
  std::vector<PartialValue> found;  ///< One a sink; of lists without what is in `rows`.
  std::vector<host::List> rows;     ///< One a sink; of list sinks that are not streamed and do not stay.
  std::vector<DeviceRows> staying;  ///< Of the list sinks that stay, in order.
  Ending ending = Ending::Complete;
  std::uint64_t positions = 0;
  std::uint64_t splits = 0;
  std::uint64_t groups = 0;      ///< That worked.
  std::uint64_t list_bytes = 0;  ///< Of their intermediate lists.
  StartedKernels kernels;        ///< With room for `at_once` on each device.
  std::uint64_t streamed = 0;    ///< Rows handed over.
  double kernel_ms = 0;          ///< The device's time, of the device that took longest; of all attempts.
  std::vector<double> each_ms;   ///< The same of each device.
  double launch_ms = 0;          ///< The host's time until every kernel was handed to its device.
  double collect_ms = 0;         ///< The host's time from the end of the kernels on.
  std::vector<std::string> notes;
};

/// Runs a region on all devices together and adds their results; `inputs` has one entry a device. A sequential region
/// runs on the first device alone. Throws Trap for errors of the program and of devices.
RegionOutcome run_region(const std::vector<RegionLauncher*>& launchers, const RegionRequest& request,
                         const std::vector<RegionInputs>& inputs, const CudaOptions& settings,
                         const RunOptions& options);

}  // namespace matcha::codegen::gpu
