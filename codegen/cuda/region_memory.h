#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "codegen/cuda/host_values.h"
#include "runtime/cuda/memory.h"

namespace matcha::codegen::gpu {

/// Device memory that regions use one after the other. For each purpose the largest piece so far is kept.
class RegionMemory {
 public:
  enum class Use { Control, Queue, Boards, Idle, Scratch, Pages, RowStates, RowWords, Slots, Sums };

  explicit RegionMemory(runtime::cuda::DeviceRef device) : device_(std::move(device)) {}

  /// At least `bytes` bytes, not initialised; throws Trap if there is no memory. `number` distinguishes pieces of one
  /// purpose.
  const runtime::cuda::DeviceMemory& take(Use use, std::uint64_t bytes, std::uint64_t number = 0);
  /// Rows of one list sink.
  const runtime::cuda::DeviceMemory& take_rows(std::uint64_t sink, std::uint64_t bytes);
  /// The same; the caller becomes the owner.
  runtime::cuda::DeviceMemory give_rows(std::uint64_t sink) { return std::move(rows_[sink]); }
  /// Bytes of the piece that is allocated already.
  std::uint64_t held(Use use) const;
  /// Bytes available for scratch memory, pages and shared rows: the free memory except a reserve, and their present
  /// memory.
  std::uint64_t scratch_limit() const;

 private:
  const runtime::cuda::DeviceMemory& grow(runtime::cuda::DeviceMemory& memory, std::uint64_t bytes);

  runtime::cuda::DeviceRef device_;
  std::map<std::pair<Use, std::uint64_t>, runtime::cuda::DeviceMemory> pieces_;
  std::map<std::uint64_t, runtime::cuda::DeviceMemory> rows_;
};

}  // namespace matcha::codegen::gpu
