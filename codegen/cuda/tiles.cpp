#include "codegen/cuda/tiles.h"

#include <algorithm>

#include "codegen/cuda/sinks.h"

namespace matcha::codegen::gpu {

using runtime::cuda::DeviceMemory;

namespace {

constexpr unsigned kThreads = 128;  ///< Of a block.
constexpr std::uint64_t kTilesAThread = 4;
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 30;

}  // namespace

const std::uint32_t* DeviceTiles::starts(const runtime::cuda::Stream& stream, const runtime::cuda::Function& kernel,
                                         const matcha_program::Deal& deal) {
  using matcha_program::u32;
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::array<std::uint64_t, 3> name = {deal.tile, deal.first, deal.vertex_count};
  auto found = starts_.find(name);
  if (found == starts_.end()) {
    DeviceMemory made = need(DeviceMemory::allocate(stream.shared_device(), (deal.tiles + 1) * sizeof(u32)));
    constexpr std::uint64_t kTilesABlock = kThreads * kTilesAThread;
    runtime::cuda::LaunchShape shape;
    shape.threads = kThreads;
    shape.blocks =
        static_cast<unsigned>(std::min<std::uint64_t>((deal.tiles + kTilesABlock) / kTilesABlock, kMostBlocks));
    need(kernel.launch(stream, shape, deal, reinterpret_cast<u32*>(made.address())));
    // Other streams do not wait for this one.
    if (shared_) need(stream.synchronize());
    found = starts_.emplace(name, std::move(made)).first;
  }
  return reinterpret_cast<const std::uint32_t*>(found->second.address());
}

}  // namespace matcha::codegen::gpu
