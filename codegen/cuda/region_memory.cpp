#include "codegen/cuda/region_memory.h"

namespace matcha::codegen::gpu {

using runtime::cuda::DeviceMemory;

const DeviceMemory& RegionMemory::grow(DeviceMemory& memory, std::uint64_t bytes) {
  if (memory.bytes() >= bytes && memory.address() != 0) return memory;
  memory = DeviceMemory();
  memory = need(DeviceMemory::allocate(device_, bytes == 0 ? 1 : bytes));
  return memory;
}

const DeviceMemory& RegionMemory::take(Use use, std::uint64_t bytes, std::uint64_t number) {
  return grow(pieces_[{use, number}], bytes);
}

const DeviceMemory& RegionMemory::take_rows(std::uint64_t sink, std::uint64_t bytes) {
  return grow(rows_[sink], bytes);
}

std::uint64_t RegionMemory::held(Use use) const {
  const auto piece = pieces_.find({use, 0});
  return piece != pieces_.end() ? piece->second.bytes() : 0;
}

std::uint64_t RegionMemory::scratch_limit() const {
  constexpr std::uint64_t kReserve = std::uint64_t{256} << 20;
  std::uint64_t held = 0;
  for (Use use : {Use::Scratch, Use::Pages, Use::RowStates, Use::RowWords}) held += this->held(use);
  std::uint64_t free = need(device_->memory()).free + held;
  return free > 2 * kReserve ? (free - kReserve) / 10 * 9 : free / 2;
}

}  // namespace matcha::codegen::gpu
