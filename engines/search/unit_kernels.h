#pragma once

#include <cstdint>
#include <utility>

#include "engines/search/stops.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/result.h"

/// What kernels have in common whose groups take units from one queue (runtime/common/unit_tasks.h).
namespace matcha::runtime::match {

inline constexpr unsigned kThreadsOfBlock = 128;
/// A group is a warp, as the kernels have it where they are those of a device.
inline constexpr std::uint64_t kGroupsOfBlock = kThreadsOfBlock / 32;

inline constexpr std::uint64_t kLine = 128;
constexpr std::uint64_t aligned_to_line(std::uint64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

/// Blocks for so many groups.
inline cuda::LaunchShape shape_of(std::uint64_t groups) {
  cuda::LaunchShape shape;
  shape.threads = kThreadsOfBlock;
  shape.blocks = static_cast<unsigned>((groups + kGroupsOfBlock - 1) / kGroupsOfBlock);
  return shape;
}

/// The blocks that a device runs side by side. Errors: Runtime.
Result<unsigned> most_blocks(const cuda::Function& function, const cuda::Device& device);

/// Memory of the device or the host with room for so many bytes, and a part more; what it had is lost where there was
/// less. Errors: as allocating.
template <typename Memory>
Status reserve(Memory& memory, const cuda::DeviceRef& device, std::uint64_t bytes) {
  if (memory.bytes() >= bytes) return Done{};
  memory = {};
  Result<Memory> made = Memory::allocate(device, bytes + bytes / 4);
  if (!made) return made.error();
  memory = std::move(*made);
  return Done{};
}

/// A word of the host that a kernel looks at: not 0 asks it to end.
class KernelWish {
 public:
  KernelWish() = default;
  /// Errors: as PinnedMemory::allocate.
  static Result<KernelWish> make(const cuda::DeviceRef& device);

  /// Before a launch.
  void clear() { *static_cast<volatile std::uint64_t*>(word_.host()) = 0; }
  /// For the kernel.
  const std::uint64_t* address() const { return word_.device_data(); }
  /// Until all of the stream is done; the kernel is asked to end when `stops` say so. Errors: Runtime.
  Status wait(cuda::Stream& stream, const Stops& stops);

 private:
  cuda::PinnedBuffer<std::uint64_t> word_;
};

}  // namespace matcha::runtime::match
