#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/result.h"

/// The CUDA driver through our own declarations, loaded on first use: a binary needs neither a GPU nor a toolkit, and
/// works with drivers of CUDA 12 and 13. Source: CUDA Driver API reference manual.
namespace matcha::runtime::cuda {

using CuResult = int;
using CuDevice = int;
using CuDevicePtr = std::uint64_t;
using CuContext = struct CuContextState*;
using CuModule = struct CuModuleState*;
using CuLink = struct CuLinkState*;
using CuFunction = struct CuFunctionState*;
using CuStream = struct CuStreamState*;
using CuEvent = struct CuEventState*;

/// The results that the host code distinguishes.
inline constexpr CuResult kCuSuccess = 0;
inline constexpr CuResult kCuOutOfMemory = 2;
inline constexpr CuResult kCuNotReady = 600;
inline constexpr CuResult kCuPeerAlreadyEnabled = 704;

/// One entry of the driver: its address and its name.
template <typename... P>
struct DriverCall {
  const char* symbol;
  CuResult (*function)(P...) = nullptr;
};

/// Every entry that Matcha calls; `driver.def` lists them.
struct DriverTable {
#define MATCHA_CUDA_CALL(name, symbol, ...) DriverCall<__VA_ARGS__> name{#symbol};
#include "runtime/cuda/driver.def"
#undef MATCHA_CUDA_CALL
};

/// A loaded driver library. It stays loaded until the process ends, and so does the object.
class Driver {
 public:
  /// The library that MATCHA_LIBCUDA names, else `libcuda.so.1`.
  /// Errors: Runtime when it cannot be opened or lacks an entry.
  static Result<const Driver*> open();
  /// False if `open` would fail: the kernel shows no NVIDIA devices, and MATCHA_LIBCUDA names no library. Immediate,
  /// while loading the library takes 0.2 seconds.
  static bool may_be_there();
  /// The library in a file, or the one of this name that the loader finds. Loaded once; later calls return the same
  /// object.
  static Result<const Driver*> open(const std::string& library);

  /// The file that was loaded.
  const std::string& path() const { return path_; }
  /// The newest CUDA version that the driver supports, 1000·major + 10·minor.
  int version() const { return version_; }
  /// `13.0`.
  std::string version_text() const;
  const DriverTable& calls() const { return table_; }

  /// Makes a call and checks it.
  /// Errors: Resource when memory is short, else Runtime; the message names the call, the error and its meaning.
  template <typename... P, typename... A>
  Status call(const DriverCall<P...>& entry, A... arguments) const {
    return check(entry.function(arguments...), entry.symbol);
  }
  /// The status of a result of `call`.
  Status check(CuResult result, const char* symbol) const;

 private:
  Driver() = default;

  std::string path_;
  int version_ = 0;
  DriverTable table_;
};

/// `1.5 GB`, in decimal units.
std::string bytes_text(std::uint64_t bytes);

}  // namespace matcha::runtime::cuda
