// A group of threads that works on one task together: 1 to 32 lanes of a warp on a device, one thread on a host.
// Scalars of generated code are equal in all lanes of a group; set operations share the items among the lanes.
#pragma once

#include "runtime/common/graphs.h"

namespace matcha_program {

#ifdef MATCHA_ON_DEVICE

MATCHA_FN f64 remainder_of(f64 a, f64 b) { return fmod(a, b); }

template <u32 width>
struct Group {
  static constexpr u32 kWidth = width;
  u32 lane;   ///< 0…width-1.
  u32 shift;  ///< The group's first lane in its warp.
  u32 mask;

  MATCHA_MEMBER static Group here() {
    Group group;
    u32 in_warp = threadIdx.x & 31;
    group.lane = in_warp & (width - 1);
    group.shift = in_warp - group.lane;
    group.mask = width == 32 ? ~0u : ((1u << (width & 31)) - 1) << group.shift;
    return group;
  }
  MATCHA_MEMBER bool leads() const { return lane == 0; }
  /// A barrier of all lanes that makes their earlier writes visible. It takes a shuffle: lanes that diverged before a
  /// `__syncwarp` may stay diverged after it, but ptxas (CUDA 13.0) assumes convergence from there on and drops the
  /// next one if only calls and rejoining branches are between the two; lanes then read data that another has not
  /// written yet. ptxas keeps a shuffle, since it cannot know the result. The `__syncwarp` keeps reads and writes on
  /// their sides.
  MATCHA_MEMBER void sync() const {
    if constexpr (width == 1) return;
    const u32 met = __shfl_sync(mask, lane, 0, width);
    asm volatile("" : : "r"(met) : "memory");
    __syncwarp(mask);
  }
  /// One bit a lane, the first lane's lowest.
  MATCHA_MEMBER u32 ballot(bool flag) const {
    if constexpr (width == 1) return flag;
    return (__ballot_sync(mask, flag) >> shift) & (mask >> shift);
  }
  /// The mask of those of `lanes` with the flag. `lanes` is a part of the mask; exactly these lanes converge here.
  MATCHA_MEMBER static u32 among(u32 lanes, bool flag) { return __ballot_sync(lanes, flag); }
  /// The first lane's value.
  MATCHA_MEMBER u64 broadcast(u64 value) const {
    if constexpr (width == 1) return value;
    return __shfl_sync(mask, value, 0, width);
  }
  /// The value of lane `source`.
  template <typename T>
  MATCHA_MEMBER T from(T value, u32 source) const {
    return __shfl_sync(mask, value, source, width);
  }
  /// The sum over all lanes, in all lanes.
  MATCHA_MEMBER u64 total(u64 value) const {
    for (u32 step = width / 2; step > 0; step /= 2) value += __shfl_xor_sync(mask, value, step, width);
    return value;
  }
  MATCHA_MEMBER u32 total(u32 value) const {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(mask, value);
#else
    return u32(total(u64(value)));
#endif
  }
  MATCHA_MEMBER i128 total_wide(i128 value) const {
    for (u32 step = width / 2; step > 0; step /= 2) {
      u64 low = __shfl_xor_sync(mask, u64(value), step, width);
      i64 high = __shfl_xor_sync(mask, i64(value >> 64), step, width);
      value += i128(high) << 64 | low;
    }
    return value;
  }
  MATCHA_MEMBER static u64 now() { return u64(clock64()); }
  MATCHA_MEMBER static u32 bits(u32 word) { return u32(__popc(word)); }
};

#else

MATCHA_FN f64 remainder_of(f64 a, f64 b) { return __builtin_fmod(a, b); }

template <u32 width>
struct Group {
  static_assert(width == 1, "one thread is a group of its own on a host");
  static constexpr u32 kWidth = 1;
  static constexpr u32 lane = 0;

  MATCHA_MEMBER static Group here() { return {}; }
  MATCHA_MEMBER bool leads() const { return true; }
  MATCHA_MEMBER void sync() const {}
  MATCHA_MEMBER u32 ballot(bool flag) const { return flag; }
  MATCHA_MEMBER u64 broadcast(u64 value) const { return value; }
  template <typename T>
  MATCHA_MEMBER T from(T value, u32) const {
    return value;
  }
  MATCHA_MEMBER u64 total(u64 value) const { return value; }
  MATCHA_MEMBER u32 total(u32 value) const { return value; }
  MATCHA_MEMBER i128 total_wide(i128 value) const { return value; }
  MATCHA_MEMBER static u64 now() { return __builtin_ia32_rdtsc(); }
  MATCHA_MEMBER static u32 bits(u32 word) { return u32(__builtin_popcount(word)); }
};

#endif

}  // namespace matcha_program
