#pragma once

#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/cuda/cuda.h"
#include "codegen/cuda/device_text.h"
#include "codegen/cuda/graph_build.h"
#include "codegen/cuda/region_launch.h"
#include "runtime/cuda/kernel_cache.h"

namespace matcha::codegen::gpu {

using Images = std::map<int, runtime::cuda::KernelImage>;  ///< By architecture.

/// The target for which kernels are compiled.
struct Target {
  int cuda_major = 0;      ///< The major CUDA version of the driver; selects the version of NVRTC.
  std::vector<int> archs;  ///< The architecture of each device.
  /// True if kernels compiled for this target also run on `other`.
  bool covers(const Target& other) const;
};

/// Kernels being compiled, one part of the text each: NVRTC takes a second for a large one.
struct PendingKernels {
  Target target;
  DeviceText text;  ///< Without its parts.
  std::vector<std::shared_future<Images>> kernels;
};

/// Starts to compile for the devices that the last process found on this machine, or else for those that the kernel
/// driver lists. This avoids waiting for the CUDA driver, which takes a fifth of a second. Empty if neither is known.
PendingKernels compile_early(const ir::Module& module, const CudaOptions& options);

/// The devices of a program and its kernels on them, kept from run to run. Opening devices and compiling take hundreds
/// of milliseconds each. So both start first, if possible before the graph is read, run in parallel, and are waited for
/// at their first use.
class Session {
 public:
  /// Starts to open the devices. Throws Trap if there is no driver, or fewer devices than wanted.
  explicit Session(const CudaOptions& options);

  /// Starts to compile, unless kernels for the module's stack exist. `hubs`: they read rows of hubs. `early`: a
  /// compilation started before the devices were known.
  void begin_compile(const ir::Module& module, bool hubs, PendingKernels early = {});
  // The functions that wait throw StoppedWaiting if the run is to end first; a later run continues the wait.

  /// Waits for the devices. Adds `device` to the times once: milliseconds until all of them were open.
  void open(RunResult& result, const RunOptions& run);
  /// Waits for the kernels of a region and loads them, unless they are loaded; those of later regions may still be
  /// compiling. Adds `nvrtc` or `kernel_cache`, and `module`, to the times at the first load.
  void load(std::size_t region, RunResult& result, const RunOptions& run);

  /// `GPU 0 (NVIDIA H200)`, or `4 x NVIDIA H200`.
  std::string label() const;
  const std::vector<RegionLauncher*>& launchers() const { return launchers_; }
  const RegionKernels& kernels(std::size_t device, std::size_t region) const {
    return *devices_[device]->kernels[region];
  }
  /// Starts to compile the kernels that build graphs on the first device, unless they exist.
  void begin_compile_builder();
  /// Waits for them. Adds `build_kernels` to the times once: the milliseconds of the wait.
  const GraphBuilder& graph_builder(RunResult& result, const RunOptions& run);
  ir::Stack stack() const { return stack_; }
  bool hubs() const { return hubs_; }
  bool compiles() const { return !regions().empty(); }  ///< True if kernels exist or are being compiled.
  const std::vector<EmittedRegion>& regions() const { return compiling_.text.regions; }
  /// The graphs whose rows of hubs a region reads.
  const std::vector<const ir::Var*>& hub_graphs(std::size_t region) const { return compiling_.text.hub_graphs[region]; }

 private:
  struct OpenDevice {
    runtime::cuda::DeviceRef device;
    std::unique_ptr<RegionLauncher> launcher;
    double milliseconds = 0;
    std::vector<std::optional<RegionKernels>> kernels;  ///< One for each region; null until loaded.
  };

  /// Loads the code; code whose kernels start kernels is first linked with the run time of the device.
  runtime::cuda::Module load_image(const runtime::cuda::DeviceRef& device, std::size_t region,
                                   const runtime::cuda::KernelImage& image) const;

  CudaOptions options_;
  const runtime::cuda::Driver* driver_ = nullptr;
  Target target_;
  std::vector<std::future<std::unique_ptr<OpenDevice>>> opening_;
  std::vector<std::unique_ptr<OpenDevice>> devices_;
  std::vector<RegionLauncher*> launchers_;
  PendingKernels compiling_;
  PendingKernels discarded_;  ///< Kernels compiled for other devices.
  std::shared_future<Images> compiling_builder_;
  std::optional<runtime::cuda::Module> builder_module_;  ///< The builder for the first device.
  std::optional<GraphBuilder> builder_;
  ir::Stack stack_ = ir::Stack::Array;
  bool hubs_ = false;
};

/// A session being made in the background; null if that fails. Making another session then reports the error.
using OpeningSession = std::future<std::unique_ptr<Session>>;
OpeningSession open_session(const CudaOptions& options);

}  // namespace matcha::codegen::gpu
