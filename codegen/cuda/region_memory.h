#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "codegen/cuda/host_values.h"
#include "runtime/cuda/memory.h"

namespace matcha::codegen::gpu {

/// Memory of the device that regions use one after the other: each purpose keeps the largest piece it was ever given.
class RegionMemory {
 public:
  enum class Use { Control, Queue, Boards, Idle, Scratch, Pages, RowStates, RowWords, Slots, Sums };

  explicit RegionMemory(runtime::cuda::DeviceRef device) : device_(std::move(device)) {}

  /// At least so many bytes, not initialised; throws Trap when there is no memory. `number` tells pieces of one purpose
  /// apart.
  const runtime::cuda::DeviceMemory& take(Use use, std::uint64_t bytes, std::uint64_t number = 0);
  /// Rows of one list sink.
  const runtime::cuda::DeviceMemory& take_rows(std::uint64_t sink, std::uint64_t bytes);
  /// The same, handed over for good.
  runtime::cuda::DeviceMemory give_rows(std::uint64_t sink) { return std::move(rows_[sink]); }
  /// Bytes of a piece that is there already.
  std::uint64_t held(Use use) const;
  /// Bytes that scratch memory, pages and shared rows may have: what is free, but for a reserve, and what they have
  /// already.
  std::uint64_t scratch_limit() const;

 private:
  const runtime::cuda::DeviceMemory& grow(runtime::cuda::DeviceMemory& memory, std::uint64_t bytes);

  runtime::cuda::DeviceRef device_;
  std::map<std::pair<Use, std::uint64_t>, runtime::cuda::DeviceMemory> pieces_;
  std::map<std::uint64_t, runtime::cuda::DeviceMemory> rows_;
};

}  // namespace matcha::codegen::gpu
