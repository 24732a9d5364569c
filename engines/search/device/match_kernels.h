// Kernels that match labelled patterns: entries around engines/search/device/match_walk.h, to which this text is
// appended. A group is a warp; when the text is compiled as C++, for the emulation, one thread.
#pragma once

namespace matcha_program {

#ifdef MATCHA_ON_DEVICE
inline constexpr u32 kMatchLanes = 32;
#else
inline constexpr u32 kMatchLanes = 1;
#endif

extern "C" __global__ void __launch_bounds__(128, 6) match_search(const __grid_constant__ MatchLaunch launch) {
  __shared__ MatchState states[128 / kMatchLanes];
  const u64 index = (u64(blockIdx.x) * blockDim.x + threadIdx.x) / kMatchLanes;
  if (index >= launch.workers) return;
  MatchWorker<Group<kMatchLanes>> worker(launch, index, states[threadIdx.x / kMatchLanes]);
  worker.work();
}
extern "C" __global__ void __launch_bounds__(128) match_place(const MatchPlace* places, u64 count, u64* masks) {
  place_masks(places, count, masks, u64(blockIdx.x) * blockDim.x + threadIdx.x, u64(gridDim.x) * blockDim.x);
}

}  // namespace matcha_program
