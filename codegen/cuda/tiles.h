#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>

#include "runtime/common/deal.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"

namespace matcha::codegen::gpu {

/// Name of the kernel that finds the starts; it is in the text of every region that is dealt by tiles.
inline constexpr const char* kTilesKernel = "find_tiles";

/// The starts of the tiles of a graph's arcs (runtime/common/deal.h), on one device.
class DeviceTiles {
 public:
  /// `shared`: used by streams of several threads.
  explicit DeviceTiles(bool shared = false) : shared_(shared) {}

  /// `Deal::starts` of a deal of that graph: a device address, valid as long as this object. The first call for a size
  /// of tiles and a range of positions starts the kernel in the stream. Throws Trap if a call fails.
  const std::uint32_t* starts(const runtime::cuda::Stream& stream, const runtime::cuda::Function& kernel,
                              const matcha_program::Deal& deal);

 private:
  const bool shared_;
  std::mutex mutex_;
  /// By the arcs of a tile and the positions.
  std::map<std::array<std::uint64_t, 3>, runtime::cuda::DeviceMemory> starts_;
};

}  // namespace matcha::codegen::gpu
