#pragma once

#include <cstdint>
#include <string>

#include "runtime/cuda/device.h"
#include "runtime/cuda/kernel_cache.h"
#include "runtime/result.h"

/// Code on a GPU.
namespace matcha::runtime::cuda {

/// The resources of a multiprocessor that a compiled kernel uses.
struct FunctionAttributes {
  int max_threads_per_block = 0;
  int registers = 0;               ///< 32-bit registers of each thread.
  std::uint64_t shared_bytes = 0;  ///< Static, of each block.
  std::uint64_t local_bytes = 0;   ///< Spills and stack frames, of each thread.
  std::uint64_t constant_bytes = 0;
};

/// A grid of blocks of threads, all in one dimension.
struct LaunchShape {
  unsigned blocks = 1;
  unsigned threads = 1;               ///< In each block.
  unsigned dynamic_shared_bytes = 0;  ///< Of each block.
};

/// A kernel of a module; valid while its module lives.
class Function {
 public:
  Result<FunctionAttributes> attributes() const;
  /// Permits this much dynamic shared memory a block; needed past 48 KB. Errors: Runtime when the device has less.
  Status set_dynamic_shared(unsigned bytes) const;
  /// Blocks of this shape that fit on one multiprocessor at once; 0: the shape does not fit.
  Result<int> blocks_per_multiprocessor(unsigned threads, unsigned dynamic_shared_bytes) const;

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
  struct Global {
    CuDevicePtr address = 0;
    std::uint64_t bytes = 0;
  };

  /// Errors: Runtime with the log of the driver's compiler, such as code for another architecture.
  static Result<Module> load(const DeviceRef& device, const std::string& image);
  /// The same for relocatable code, linked with the library `file`, such as the device runtime. Errors: Runtime with
  /// the log of the driver's linker.
  static Result<Module> link(const DeviceRef& device, const KernelImage& image, const std::string& file);

  /// The log of the driver's compiler; empty for most cubins.
  const std::string& log() const { return log_; }
  /// Errors: Runtime when there is no kernel of this (unmangled) name.
  Result<Function> function(const std::string& name) const;
  /// A `__device__` or `__constant__` variable. Errors: Runtime when there is none of this name.
  Result<Global> global(const std::string& name) const;

 private:
  Owned<CuModule, &DriverTable::module_unload> module_;
  std::string log_;
};

}  // namespace matcha::runtime::cuda
