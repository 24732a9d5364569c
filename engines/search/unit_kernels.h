#pragma once

#include <cstdint>
#include <utility>

#include "engines/search/stops.h"
#include "runtime/common/unit_tasks.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/result.h"

/// Shared code of kernels whose groups take units from one queue (runtime/common/unit_tasks.h).
namespace matcha::runtime::match {

inline constexpr unsigned kThreadsOfBlock = 128;
/// A group is a warp in kernels on a device.
inline constexpr std::uint64_t kGroupsOfBlock = kThreadsOfBlock / 32;

inline constexpr std::uint64_t kLine = 128;
constexpr std::uint64_t aligned_to_line(std::uint64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

/// Blocks for `groups` groups.
inline cuda::LaunchShape shape_of(std::uint64_t groups) {
  cuda::LaunchShape shape;
  shape.threads = kThreadsOfBlock;
  shape.blocks = static_cast<unsigned>((groups + kGroupsOfBlock - 1) / kGroupsOfBlock);
  return shape;
}

/// The number of blocks that a device runs concurrently. Errors: Runtime.
Result<unsigned> most_blocks(const cuda::Function& function, const cuda::Device& device);

/// Grows `memory`, on the device or the host, to at least `bytes` plus a margin; its content is lost if it grows.
/// Errors: as allocation.
template <typename Memory>
Status reserve(Memory& memory, const cuda::DeviceRef& device, std::uint64_t bytes) {
  if (memory.bytes() >= bytes) return Done{};
  memory = {};
  memory = MATCHA_TRY(Memory::allocate(device, bytes + bytes / 4));
  return Done{};
}

/// Whether a kernel that has ended was not stopped. Errors: Runtime when it has left units without that.
Result<bool> took_all_units(const matcha_program::UnitShared& shared, std::uint64_t units, const cuda::Device& device);

/// A word in host memory that a kernel polls: not 0 asks it to end.
class StopWord {
 public:
  StopWord() = default;
  /// Errors: as PinnedMemory::allocate.
  static Result<StopWord> make(const cuda::DeviceRef& device);

  /// Call before a launch.
  void clear() { *static_cast<volatile std::uint64_t*>(word_.host()) = 0; }
  /// The address for the kernel.
  const std::uint64_t* address() const { return word_.device_data(); }
  /// Waits until the stream is done; asks the kernel to end when `stops` require it. Errors: Runtime.
  Status wait(cuda::Stream& stream, const Stops& stops);

 private:
  cuda::PinnedBuffer<std::uint64_t> word_;
};

}  // namespace matcha::runtime::match
