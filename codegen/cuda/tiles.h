#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>

#include "runtime/common/deal.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"

namespace matcha::codegen::gpu {

/// The name of the kernel that finds them, in the text of every region that is dealt out in tiles.
inline constexpr const char* kTilesKernel = "find_tiles";

/// Where the tiles of a graph's arcs begin (runtime/common/deal.h), on one device.
class DeviceTiles {
 public:
  /// `shared`: streams of several threads use them.
  explicit DeviceTiles(bool shared = false) : shared_(shared) {}

  /// `Deal::starts` of a deal of that graph: an address of the device, valid as long as this object. The first call for
  /// tiles of this size, and these positions, starts the kernel in the stream. Throws Trap when a call fails.
  const std::uint32_t* starts(const runtime::cuda::Stream& stream, const runtime::cuda::Function& kernel,
                              const matcha_program::Deal& deal);

 private:
  const bool shared_;
  std::mutex mutex_;
  /// By the arcs of a tile, and the positions.
  std::map<std::array<std::uint64_t, 3>, runtime::cuda::DeviceMemory> starts_;
};

}  // namespace matcha::codegen::gpu
