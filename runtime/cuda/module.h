#pragma once

#include <cstdint>
#include <string>

#include "runtime/cuda/device.h"
#include "runtime/cuda/kernel_cache.h"
#include "runtime/result.h"

/// Code on a GPU.
namespace matcha::runtime::cuda {

/// A grid of blocks of threads, all in one dimension.
struct LaunchShape {
  unsigned blocks = 1;
  unsigned threads = 1;  ///< In each block.
};

/// A kernel of a module; valid while its module lives.
class Function {
 public:
  /// The number of blocks of `threads` threads that fit on one multiprocessor at once; 0: none does.
  Result<int> blocks_per_multiprocessor(unsigned threads) const;

  /// Starts the kernel. `arguments` points to a copy of each parameter, in order. Errors of the running kernel are
  /// returned by Stream::synchronize.
  Status launch_with(const Stream& stream, const LaunchShape& shape, void** arguments) const;
  /// Starts the kernel. Requires: the types are exactly those of its parameters.
  template <typename... A>
  Status launch(const Stream& stream, const LaunchShape& shape, A... arguments) const {
    void* places[] = {&arguments..., nullptr};
    return launch_with(stream, shape, places);
  }

 private:
  friend class Module;
  DeviceRef device_;
  CuFunction function_ = nullptr;
  std::string name_;
};

/// A loaded cubin or PTX text.
class Module {
 public:
  /// Errors: Runtime with the log of the driver's compiler, such as code for another architecture.
  static Result<Module> load(const DeviceRef& device, const std::string& image);
  /// The same for relocatable code, linked with the library `file`, such as the device runtime. Errors: Runtime with
  /// the log of the driver's linker.
  static Result<Module> link(const DeviceRef& device, const KernelImage& image, const std::string& file);

  /// Errors: Runtime when there is no kernel of this (unmangled) name.
  Result<Function> function(const std::string& name) const;

 private:
  Owned<CuModule, &DriverTable::module_unload> module_;
};

}  // namespace matcha::runtime::cuda
