// Stands for CUDA's runtime library when a program of --emit=cuda is compiled by g++: the calls that such programs
// make, on one GPU of threads. A kernel is found by its address among those that MATCHA_REGISTERED_KERNEL names.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/emulation/device.h"

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount, cudaDevAttrClockRate };
struct cudaDeviceProp {
  char name[256];
};
struct dim3 {
  unsigned x, y, z;
  explicit dim3(unsigned size) : x(size), y(1), z(1) {}
};

namespace matcha::emulation {

inline std::map<const void*, const Kernel*>& registered() {
  static std::map<const void*, const Kernel*> kernels;
  return kernels;
}
struct Registration {
  Registration(const void* function, const Kernel* kernel) { registered()[function] = kernel; }
};

}  // namespace matcha::emulation

#define MATCHA_REGISTERED_KERNEL(name)                                                                 \
  MATCHA_EMULATED_KERNEL(name)                                                                         \
  static const matcha::emulation::Registration registered_##name(reinterpret_cast<const void*>(&name), \
                                                                 &emulated_##name);

inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory" : "an error of the emulation";
}
inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidValue; }
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::snprintf(properties->name, sizeof properties->name, "emulated");
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  *value = which == cudaDevAttrClockRate ? 2000000 : 1;
  return cudaSuccess;
}
inline cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = bytes >> 40 != 0 ? nullptr : std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
inline cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void* memory, int byte, std::size_t bytes) {
  std::memset(memory, byte, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  if (bytes != 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{4} << 30;
  return cudaSuccess;
}
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, std::size_t) {
  *blocks = 1;
  return cudaSuccess;
}
namespace matcha::emulation {

struct Grid {
  const Kernel* kernel;
  void* copied;
  unsigned blocks, threads;
};
/// The kernels that kernels have started, which run when the one that runs has ended.
inline std::mutex started_mutex;
inline std::vector<Grid> started;
inline bool start(const Kernel* kernel, void* copied, unsigned blocks, unsigned threads) {
  const std::lock_guard<std::mutex> lock(started_mutex);
  started.push_back({kernel, copied, blocks, threads});
  return true;
}
static const bool starts = (emulated_start_kernel = start) != nullptr;

inline void run_grid(const Grid& grid) {
  std::atomic<std::uint64_t> next{0};
  const auto work = [&] {
    for (std::uint64_t at = next++; at < std::uint64_t{grid.blocks} * grid.threads; at = next++) {
      grid.kernel->run(grid.copied, grid.blocks, grid.threads, static_cast<unsigned>(at / grid.threads),
                       static_cast<unsigned>(at % grid.threads));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  grid.kernel->drop(grid.copied);
}

}  // namespace matcha::emulation

inline cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t, void*) {
  const auto found = matcha::emulation::registered().find(function);
  if (found == matcha::emulation::registered().end()) return cudaErrorInvalidValue;
  std::vector<matcha::emulation::Grid>& started = matcha::emulation::started;
  started.push_back({found->second, found->second->copy(arguments), grid.x, block.x});
  while (!started.empty()) {
    const matcha::emulation::Grid last = started.back();
    started.pop_back();
    run_grid(last);
  }
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
