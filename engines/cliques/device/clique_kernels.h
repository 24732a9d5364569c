// The kernel that walks pivot trees: an entry around engines/cliques/device/clique_walk.h, to which this text is
// appended. A group is a warp; when the text is compiled as C++, for the emulation, one thread.
#pragma once

namespace matcha_program {

#ifdef MATCHA_ON_DEVICE
inline constexpr u32 kCliqueLanes = 32;
#else
inline constexpr u32 kCliqueLanes = 1;
#endif

extern "C" __global__ void __launch_bounds__(128, 8) clique_trees(const __grid_constant__ CliqueLaunch launch) {
  using Worker = CliqueWorker<CliqueLeaves<Group<kCliqueLanes>>>;
  __shared__ Worker::Room rooms[128 / kCliqueLanes];
  const u64 index = (u64(blockIdx.x) * blockDim.x + threadIdx.x) / kCliqueLanes;
  if (index >= launch.workers) return;
  Worker worker(launch, index, rooms[threadIdx.x / kCliqueLanes]);
  worker.work();
}

}  // namespace matcha_program
