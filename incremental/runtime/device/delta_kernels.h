// Kernels that count the matches of changed edges: entry points of incremental/runtime/device/delta_walk.h, to which
// this text is appended. A group is a warp; when the text is compiled as C++, for the emulation, one thread.
#pragma once

namespace matcha_program {

#ifdef MATCHA_ON_DEVICE
inline constexpr u32 kDeltaLanes = 32;
#else
inline constexpr u32 kDeltaLanes = 1;
#endif

extern "C" __global__ void __launch_bounds__(128, 8) delta_count(const __grid_constant__ DeltaLaunch launch) {
  __shared__ DeltaState states[128 / kDeltaLanes];
  const u64 index = (u64(blockIdx.x) * blockDim.x + threadIdx.x) / kDeltaLanes;
  if (index >= launch.workers) return;
  DeltaWorker<Group<kDeltaLanes>> worker(launch, index, states[threadIdx.x / kDeltaLanes]);
  worker.work();
}
extern "C" __global__ void __launch_bounds__(128)
    delta_move(const DeltaMove* moves, u64 count, const u32* words, DeltaRow* rows) {
  const u64 index = (u64(blockIdx.x) * blockDim.x + threadIdx.x) / kDeltaLanes;
  const u64 groups = u64(gridDim.x) * blockDim.x / kDeltaLanes;
  move_rows<Group<kDeltaLanes>>(moves, count, words, rows, index, groups);
}
extern "C" __global__ void __launch_bounds__(128) delta_patch(const DeltaPatch* patches, u64 count, DeltaRow* rows) {
  apply_patches(patches, count, rows, u64(blockIdx.x) * blockDim.x + threadIdx.x, u64(gridDim.x) * blockDim.x);
}

}  // namespace matcha_program
