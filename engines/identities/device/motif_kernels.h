// Kernels that sum over triangles and wedges: one entry for each public function of MotifWorker in
// engines/identities/device/motif_walk.h, to which this text is appended. A group is a warp; when the text is compiled
// as C++, for the emulation, it is one thread.
#pragma once

namespace matcha_program {

#ifdef MATCHA_ON_DEVICE
inline constexpr u32 kMotifLanes = 32;
#else
inline constexpr u32 kMotifLanes = 1;
#endif

MATCHA_FN u64 motif_group() { return (u64(blockIdx.x) * blockDim.x + threadIdx.x) / kMotifLanes; }

extern "C" __global__ void __launch_bounds__(128) motif_triangles(const __grid_constant__ MotifLaunch launch) {
  if (motif_group() >= launch.workers) return;
  MotifWorker<Group<kMotifLanes>>(launch, motif_group(), nullptr).count_triangles();
}
extern "C" __global__ void __launch_bounds__(128) motif_thirds(const __grid_constant__ MotifLaunch launch) {
  if (motif_group() >= launch.workers) return;
  MotifWorker<Group<kMotifLanes>>(launch, motif_group(), nullptr).list_thirds();
}
extern "C" __global__ void __launch_bounds__(128) motif_wheels(const __grid_constant__ MotifLaunch launch) {
  __shared__ u32 places[128 / kMotifLanes][kMotifPlaces];
  if (motif_group() >= launch.workers) return;
  u32* const own = places[threadIdx.x / kMotifLanes];
  for (u32 i = threadIdx.x % kMotifLanes; i < kMotifPlaces; i += kMotifLanes) own[i] = 0;
  Group<kMotifLanes>::here().sync();
  MotifWorker<Group<kMotifLanes>>(launch, motif_group(), own).count_wheels();
}
extern "C" __global__ void __launch_bounds__(128) motif_wedges(const __grid_constant__ MotifLaunch launch) {
  if (motif_group() >= launch.workers) return;
  MotifWorker<Group<kMotifLanes>>(launch, motif_group(), nullptr).count_wedges();
}

}  // namespace matcha_program
