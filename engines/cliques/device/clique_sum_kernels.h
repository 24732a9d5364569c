// The kernel that counts cliques at each vertex, as clique_kernels.h. The text before it names CliqueNumber, the type
// of its numbers: u64 or u128.
#pragma once

namespace matcha_program {

#ifdef MATCHA_ON_DEVICE
inline constexpr u32 kCliqueLanes = 32;
#else
inline constexpr u32 kCliqueLanes = 1;
#endif

extern "C" __global__ void __launch_bounds__(128, 4) clique_sums(const __grid_constant__ CliqueLaunch launch) {
  using Worker = CliqueWorker<CliqueSums<Group<kCliqueLanes>, CliqueNumber>>;
  __shared__ Worker::Room rooms[128 / kCliqueLanes];
  const u64 index = (u64(blockIdx.x) * blockDim.x + threadIdx.x) / kCliqueLanes;
  if (index >= launch.workers) return;
  Worker worker(launch, index, rooms[threadIdx.x / kCliqueLanes]);
  worker.work();
}

}  // namespace matcha_program
