// Included before a device text that is compiled as C++: defines the words of CUDA that the text uses, except for those
// that runtime/common defines for a host. Every thread of the grid is a worker, so groups have width 1. With
// MATCHA_EMULATED_WARPS, a warp is 32 fibers, and the text is that of a device.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tests/emulation/image.h"

#ifdef MATCHA_EMULATED_WARPS
#include "tests/unit/runtime/common/warp.h"
#else
#define __device__
#define __forceinline__ inline
#endif

#define __global__
#define __host__
#define __launch_bounds__(...)
#define __grid_constant__
// The shared memory of a block is divided among its groups, and threads run one after the other.
#define __shared__ static thread_local

struct EmulatedIndex {
  unsigned x = 0;
};
inline thread_local EmulatedIndex gridDim, blockDim, blockIdx;
#ifndef MATCHA_EMULATED_WARPS
inline thread_local EmulatedIndex threadIdx;
#endif

namespace matcha::emulation {

/// The three entries of a kernel, from its type.
template <auto kernel, typename Type>
struct KernelOf;
template <auto kernel, typename... P>
struct KernelOf<kernel, void (*)(P...)> {
  using Arguments = std::tuple<std::remove_const_t<P>...>;

  template <std::size_t... i>
  static void* copy_all(void** arguments, std::index_sequence<i...>) {
    return new Arguments(*static_cast<std::tuple_element_t<i, Arguments>*>(arguments[i])...);
  }
  static void* copy(void** arguments) { return copy_all(arguments, std::index_sequence_for<P...>{}); }
  static void drop(void* copied) { delete static_cast<Arguments*>(copied); }
  static void run(void* copied, unsigned blocks, unsigned threads, unsigned block, unsigned thread) {
    gridDim.x = blocks;
    blockDim.x = threads;
    blockIdx.x = block;
#ifdef MATCHA_EMULATED_WARPS
    if (thread % warp::kLanes != 0) return;  // Its warp has run it.
    static thread_local warp::Warp warp;
    warp.first = thread;
    warp.run([&] { std::apply(kernel, *static_cast<Arguments*>(copied)); });
#else
    threadIdx.x = thread;
    std::apply(kernel, *static_cast<Arguments*>(copied));
#endif
  }
};

}  // namespace matcha::emulation

extern "C" {
matcha::emulation::StartKernel* emulated_start_kernel = nullptr;
}

namespace matcha::emulation {

/// A kernel of the text that another one starts.
template <auto kernel, typename... A>
bool start_kernel(unsigned blocks, unsigned threads, const A&... arguments) {
  using Its = KernelOf<kernel, decltype(kernel)>;
  // No static variable: all texts loaded by a process would share that of the first.
  const Kernel entries = {Its::copy, Its::drop, Its::run};
  void* copied = new typename Its::Arguments(arguments...);
  if (emulated_start_kernel(&entries, copied, blocks, threads)) return true;
  Its::drop(copied);
  return false;
}

}  // namespace matcha::emulation

#define MATCHA_START_KERNEL(kernel, blocks, threads, ...) \
  matcha::emulation::start_kernel<&kernel>(blocks, threads, __VA_ARGS__)

/// The emulated NVRTC writes one of these for each kernel at the end of the text.
#define MATCHA_EMULATED_KERNEL(name)                                                                            \
  extern "C" const matcha::emulation::Kernel emulated_##name;                                                   \
  const matcha::emulation::Kernel emulated_##name = {matcha::emulation::KernelOf<&name, decltype(&name)>::copy, \
                                                     matcha::emulation::KernelOf<&name, decltype(&name)>::drop, \
                                                     matcha::emulation::KernelOf<&name, decltype(&name)>::run};

namespace matcha_program {}
