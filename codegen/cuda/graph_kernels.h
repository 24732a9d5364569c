// Kernels that build graphs: entries around runtime/common/graph_build.h, to which this text is appended. A group is a
// warp; when the text is compiled as C++, for the emulation, one thread.
#pragma once

namespace matcha_program {

#ifdef MATCHA_ON_DEVICE
inline constexpr u32 kBuildLanes = 32;
#else
inline constexpr u32 kBuildLanes = 1;
#endif
inline constexpr u32 kBuildThreads = 128;
using BuildGroup = Group<kBuildLanes>;

MATCHA_FN u64 build_thread() { return u64(blockIdx.x) * blockDim.x + threadIdx.x; }
MATCHA_FN u64 build_threads() { return u64(gridDim.x) * blockDim.x; }
MATCHA_FN u64 build_group() { return build_thread() / kBuildLanes; }

extern "C" __global__ void __launch_bounds__(128) build_count_digits(SortStep step) {
  __shared__ u32 seen[kBuildThreads / kBuildLanes][kDigits];
  if (build_group() >= step.pieces.pieces) return;
  count_digits(step, BuildGroup::here(), build_group(), seen[threadIdx.x / kBuildLanes]);
}
extern "C" __global__ void __launch_bounds__(128) build_move_by_digit(SortStep step) {
  __shared__ u32 next[kBuildThreads / kBuildLanes][kDigits];
  if (build_group() >= step.pieces.pieces) return;
  move_by_digit(step, BuildGroup::here(), build_group(), next[threadIdx.x / kBuildLanes]);
}
extern "C" __global__ void __launch_bounds__(128) build_sum_piece(Sums sums) {
  if (build_group() < sums.pieces.pieces) sum_piece(sums, BuildGroup::here(), build_group());
}
extern "C" __global__ void __launch_bounds__(128) build_sum_sums(Sums sums) {
  if (build_group() == 0) sum_sums(sums, BuildGroup::here());
}
extern "C" __global__ void __launch_bounds__(128) build_spread_sums(Sums sums) {
  if (build_group() < sums.pieces.pieces) spread_sums(sums, BuildGroup::here(), build_group());
}
extern "C" __global__ void __launch_bounds__(128) build_order_keys(StoredRows rows, u64* keys, u32* values, u64* used) {
  for (u64 i = build_thread(); i < rows.count; i += build_threads()) order_key(rows, keys, values, used, i);
}
extern "C" __global__ void __launch_bounds__(128) build_edge_keys(GraphBuild build) {
  for (u64 i = build_thread(); i < build.edges.count; i += build_threads()) edge_key(build, i);
}
extern "C" __global__ void __launch_bounds__(128) build_arcs(GraphBuild build) {
  for (u64 i = build_thread(); i < build.edges.count; i += build_threads()) place_arc(build, i);
}
extern "C" __global__ void __launch_bounds__(128) build_no_labels(GraphBuild build) {
  for (u64 rank = build_thread(); rank < build.universe; rank += build_threads()) clear_label(build, rank);
}
extern "C" __global__ void __launch_bounds__(128) build_labels(GraphBuild build) {
  for (u64 i = build_thread(); i < build.labels.count; i += build_threads()) place_label(build, i);
}
extern "C" __global__ void __launch_bounds__(128) build_offsets(GraphBuild build) {
  for (u64 rank = build_thread(); rank <= build.universe; rank += build_threads()) place_offset(build, rank);
}
extern "C" __global__ void __launch_bounds__(128) build_marks(GraphBuild build) {
  for (u64 word = build_thread(); word * 64 < build.universe; word += build_threads()) count_marks(build, word);
  find_max_degree(build, build_thread(), build_threads());
}
extern "C" __global__ void __launch_bounds__(128) build_vertices(GraphBuild build) {
  for (u64 word = build_thread(); word * 64 < build.universe; word += build_threads()) place_vertices(build, word);
}

}  // namespace matcha_program
