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

/// What kernels are compiled for.
struct Target {
  int cuda_major = 0;      ///< Of the driver, which chooses that of NVRTC.
  std::vector<int> archs;  ///< Of each device.
  /// What is compiled for this does for `other` too.
  bool covers(const Target& other) const;
};

/// Kernels that are being compiled, a part of the text each: NVRTC takes a second for a large one.
struct Compiling {
  Target target;
  DeviceText text;  ///< Without its parts.
  std::vector<std::shared_future<Images>> kernels;
};

/// Begins to compile for the devices that the last process found on this machine, or else those that the kernel names:
/// before the driver is open, which takes a fifth of a second. Nothing when neither is known.
Compiling compile_early(const ir::Module& module, const CudaOptions& options);

/// The devices of a program and its kernels on them, kept from run to run. Opening devices and compiling take hundreds
/// of milliseconds each, so both are begun first, before the graph is read if that can be, and waited for when they are
/// needed; they go on side by side.
class Session {
 public:
  /// Begins to open the devices. Throws Trap when there is no driver, or fewer devices than wanted.
  explicit Session(const CudaOptions& options);

  /// Begins to compile, unless kernels for the module's stack are there. `hubs`: they look into rows of hubs.
  /// `early`: the same, begun before it was known which devices there are.
  void begin_compile(const ir::Module& module, bool hubs, Compiling early = {});
  // What waits throws StoppedWaiting when the run is to end first; a later run goes on from there.

  /// Waits for the devices. Adds `device` to the times once: milliseconds until all of them were open.
  void open(RunResult& result, const RunOptions& run);
  /// Waits for the compiler to make the kernels of a region and loads them, unless they are loaded; those of later
  /// regions may still be compiled meanwhile. Adds `nvrtc` or `kernel_cache`, and `module`, when that was done.
  void load(std::size_t region, RunResult& result, const RunOptions& run);

  /// `GPU 0 (NVIDIA H200)`, or `4 x NVIDIA H200`.
  std::string label() const;
  const std::vector<RegionLauncher*>& launchers() const { return launchers_; }
  const RegionKernels& kernels(std::size_t device, std::size_t region) const {
    return *devices_[device]->kernels[region];
  }
  /// Begins to compile the kernels that build graphs on the first device, unless they are there.
  void begin_compile_builder();
  /// Waits for them. Adds `build_kernels` to the times once: milliseconds of that.
  const GraphBuilder& graph_builder(RunResult& result, const RunOptions& run);
  ir::Stack stack() const { return stack_; }
  bool hubs() const { return hubs_; }
  bool compiles() const { return !regions().empty(); }  ///< Kernels are there, or on their way.
  const std::vector<EmittedRegion>& regions() const { return compiling_.text.regions; }
  /// The graphs in whose rows of hubs a region looks.
  const std::vector<const ir::Var*>& hub_graphs(std::size_t region) const { return compiling_.text.hub_graphs[region]; }

 private:
  struct OpenDevice {
    runtime::cuda::DeviceRef device;
    std::unique_ptr<RegionLauncher> launcher;
    double milliseconds = 0;
    std::vector<std::optional<RegionKernels>> kernels;  ///< One a region; null until they are loaded.
  };

  /// Code whose kernels start kernels is linked with the run time of the device first.
  runtime::cuda::Module load_image(const runtime::cuda::DeviceRef& device, std::size_t region,
                                   const runtime::cuda::KernelImage& image) const;

  CudaOptions options_;
  const runtime::cuda::Driver* driver_ = nullptr;
  Target target_;
  std::vector<std::future<std::unique_ptr<OpenDevice>>> opening_;
  std::vector<std::unique_ptr<OpenDevice>> devices_;
  std::vector<RegionLauncher*> launchers_;
  Compiling compiling_;
  Compiling useless_;  ///< What was compiled for other devices.
  std::shared_future<Images> compiling_builder_;
  std::optional<runtime::cuda::Module> builder_module_;  ///< Of the first device.
  std::optional<GraphBuilder> builder_;
  ir::Stack stack_ = ir::Stack::Array;
  bool hubs_ = false;
};

/// A session that is made in the background; null when that fails, and whoever makes another one is told why.
using OpeningSession = std::future<std::unique_ptr<Session>>;
OpeningSession open_session(const CudaOptions& options);

}  // namespace matcha::codegen::gpu
