// The driver's entries, with threads of the host behind them. Kernels come from the emulated NVRTC. A few threads run
// all threads of a grid by turns, each to its end, which works because no worker waits for one that has not started.
//
// MATCHA_EMULATED_THREADS (4), MATCHA_EMULATED_DEVICES (1), MATCHA_EMULATED_BYTES (of each device; 4 GiB)

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/cuda/driver.h"
#include "tests/emulation/image.h"

namespace matcha::runtime::cuda {

#define MATCHA_CUDA_CALL(name, symbol, ...) extern "C" CuResult symbol(__VA_ARGS__);
#include "runtime/cuda/driver.def"
#undef MATCHA_CUDA_CALL

struct CuFunctionState {
  const emulation::Kernel* kernel;
};
struct CuModuleState {
  void* library;
  std::map<std::string, CuFunctionState> functions;
};
struct CuStreamState {
  std::thread kernel;
  std::atomic<bool> running{false};
};
struct CuEventState {
  CuStreamState* stream = nullptr;  ///< Of the work that it marks.
  std::chrono::steady_clock::time_point time;
};

namespace {

using Clock = std::chrono::steady_clock;

constexpr CuResult kInvalidValue = 1;
constexpr CuResult kInvalidDevice = 101;
constexpr CuResult kInvalidImage = 200;
constexpr CuResult kNotFound = 500;
constexpr std::uintptr_t kContexts = 0x1000;

struct Device {
  std::uint64_t used = 0;
};

std::mutex guard;
std::map<CuDevice, Device> devices;
std::map<std::uint64_t, std::pair<CuDevice, std::uint64_t>> blocks_of_memory;  ///< Device and bytes.
thread_local CuContext current = nullptr;

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::uint64_t device_bytes() { return setting("MATCHA_EMULATED_BYTES", std::uint64_t{4} << 30); }
CuDevice current_device() { return static_cast<CuDevice>(reinterpret_cast<std::uintptr_t>(current) - kContexts); }

/// True when the bytes lie in one allocation of a device.
bool inside(std::uint64_t address, std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(guard);
  auto block = blocks_of_memory.upper_bound(address);
  if (block == blocks_of_memory.begin()) return false;
  --block;
  return address + bytes <= block->first + block->second.second;
}

/// Work in a stream waits for the kernel that the stream runs.
void finish(CuStream stream) {
  if (stream->kernel.joinable()) stream->kernel.join();
}

/// A few words may be read and written by a running kernel at the same time.
void copy(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t kFewBytes = 128;
  const bool words = bytes <= kFewBytes && bytes % 8 == 0 && reinterpret_cast<std::uintptr_t>(to) % 8 == 0 &&
                     reinterpret_cast<std::uintptr_t>(from) % 8 == 0;
  if (!words) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (std::size_t i = 0; i < bytes / 8; ++i) {
    const std::uint64_t word = __atomic_load_n(static_cast<const std::uint64_t*>(from) + i, __ATOMIC_RELAXED);
    __atomic_store_n(static_cast<std::uint64_t*>(to) + i, word, __ATOMIC_RELAXED);
  }
}

/// Runs all threads of a grid.
void run_grid(const emulation::Kernel& kernel, void* arguments, unsigned blocks, unsigned threads) {
  std::atomic<std::uint64_t> next{0};
  const std::uint64_t count = std::uint64_t{blocks} * threads;
  const auto work = [&] {
    for (std::uint64_t at = next++; at < count; at = next++) {
      kernel.run(arguments, blocks, threads, static_cast<unsigned>(at / threads), static_cast<unsigned>(at % threads));
    }
  };
  std::vector<std::thread> workers;
  for (std::uint64_t i = 1; i < setting("MATCHA_EMULATED_THREADS", 4); ++i) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
  kernel.drop(arguments);
}

}  // namespace

extern "C" {

CuResult cuInit(unsigned) { return kCuSuccess; }
CuResult cuDriverGetVersion(int* version) {
  *version = 13000;
  return kCuSuccess;
}
CuResult cuGetErrorName(CuResult code, const char** name) {
  *name = code == kCuOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_EMULATED";
  return kCuSuccess;
}
CuResult cuGetErrorString(CuResult code, const char** text) {
  *text = code == kCuOutOfMemory ? "out of memory" : "an error of the emulated driver";
  return kCuSuccess;
}

CuResult cuDeviceGetCount(int* count) {
  *count = static_cast<int>(setting("MATCHA_EMULATED_DEVICES", 1));
  return kCuSuccess;
}
CuResult cuDeviceGet(CuDevice* device, int ordinal) {
  *device = ordinal;
  return kCuSuccess;
}
CuResult cuDeviceGetName(char* name, int size, CuDevice) {
  std::snprintf(name, static_cast<std::size_t>(size), "emulated");
  return kCuSuccess;
}
CuResult cuDeviceGetPCIBusId(char* name, int size, CuDevice device) {
  std::snprintf(name, static_cast<std::size_t>(size), "0000:%02x:00.0", static_cast<unsigned>(device));
  return kCuSuccess;
}
CuResult cuDeviceGetAttribute(int* value, int attribute, CuDevice) {
  // Numbers of CUdevice_attribute; one multiprocessor, sm_90, 48 KB of shared memory.
  static const std::map<int, int> kValues = {
      {1, 1024},  {8, 49152}, {10, 32}, {13, 2000000}, {16, 1},     {38, 1 << 20},
      {39, 2048}, {75, 9},    {76, 0},  {81, 49152},   {82, 65536}, {97, 49152},
  };
  const auto found = kValues.find(attribute);
  *value = found == kValues.end() ? 0 : found->second;
  return kCuSuccess;
}
CuResult cuDeviceTotalMem_v2(std::size_t* bytes, CuDevice) {
  *bytes = device_bytes();
  return kCuSuccess;
}
CuResult cuDeviceCanAccessPeer(int* can, CuDevice, CuDevice) {
  *can = 1;
  return kCuSuccess;
}

CuResult cuDevicePrimaryCtxRetain(CuContext* context, CuDevice device) {
  *context = reinterpret_cast<CuContext>(kContexts + static_cast<std::uintptr_t>(device));
  return kCuSuccess;
}
CuResult cuDevicePrimaryCtxRelease_v2(CuDevice) { return kCuSuccess; }
CuResult cuCtxGetCurrent(CuContext* context) {
  *context = current;
  return kCuSuccess;
}
CuResult cuCtxSetCurrent(CuContext context) {
  current = context;
  return kCuSuccess;
}
CuResult cuCtxSynchronize() { return kCuSuccess; }
CuResult cuCtxEnablePeerAccess(CuContext, unsigned) { return kCuSuccess; }

CuResult cuModuleLoadDataEx(CuModule* module, const void* image, unsigned, int*, void**) {
  emulation::ImageHeader header;
  std::memcpy(&header, image, sizeof header);
  if (std::memcmp(header.magic, emulation::kImageMagic, sizeof header.magic) != 0) return kInvalidImage;
  std::string path = "/tmp/matcha-emulation-XXXXXX";
  const int file = mkstemp(path.data());
  const char* library = static_cast<const char*>(image) + sizeof header;
  bool written = file >= 0;
  for (std::uint64_t at = 0; written && at < header.bytes;) {
    const ssize_t part = write(file, library + at, header.bytes - at);
    written = part > 0;
    if (written) at += static_cast<std::uint64_t>(part);
  }
  if (file >= 0) close(file);
  void* handle = written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  unlink(path.c_str());
  if (handle == nullptr) return kInvalidImage;
  *module = new CuModuleState{handle, {}};
  return kCuSuccess;
}
CuResult cuModuleUnload(CuModule module) {
  dlclose(module->library);
  delete module;
  return kCuSuccess;
}
CuResult cuModuleGetFunction(CuFunction* function, CuModule module, const char* name) {
  const void* found = dlsym(module->library, ("emulated_" + std::string(name)).c_str());
  if (found == nullptr) return kNotFound;
  *function = &module->functions[name];
  (*function)->kernel = static_cast<const emulation::Kernel*>(found);
  return kCuSuccess;
}
CuResult cuFuncGetAttribute(int* value, int, CuFunction) {
  *value = 0;
  return kCuSuccess;
}
CuResult cuFuncSetAttribute(CuFunction, int, int) { return kCuSuccess; }
CuResult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CuFunction, int, std::size_t) {
  *blocks = 1;
  return kCuSuccess;
}
CuResult cuLaunchKernel(CuFunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned, CuStream stream, void** arguments, void**) {
  if (gy != 1 || gz != 1 || by != 1 || bz != 1) return kInvalidValue;
  finish(stream);
  const emulation::Kernel* kernel = function->kernel;
  void* copied = kernel->copy(arguments);
  stream->running = true;
  stream->kernel = std::thread([stream, kernel, copied, gx, bx] {
    run_grid(*kernel, copied, gx, bx);
    stream->running = false;
  });
  return kCuSuccess;
}

CuResult cuStreamCreate(CuStream* stream, unsigned) {
  *stream = new CuStreamState;
  return kCuSuccess;
}
CuResult cuStreamDestroy_v2(CuStream stream) {
  finish(stream);
  delete stream;
  return kCuSuccess;
}
CuResult cuStreamSynchronize(CuStream stream) {
  finish(stream);
  return kCuSuccess;
}
CuResult cuStreamQuery(CuStream stream) {
  if (stream->running) return kCuNotReady;
  finish(stream);
  return kCuSuccess;
}
CuResult cuStreamWaitEvent(CuStream, CuEvent event, unsigned) {
  if (event->stream != nullptr) finish(event->stream);
  return kCuSuccess;
}
CuResult cuEventCreate(CuEvent* event, unsigned) {
  *event = new CuEventState;
  return kCuSuccess;
}
CuResult cuEventDestroy_v2(CuEvent event) {
  delete event;
  return kCuSuccess;
}
CuResult cuEventRecord(CuEvent event, CuStream stream) {
  event->stream = stream;
  event->time = Clock::now();
  return kCuSuccess;
}
CuResult cuEventSynchronize(CuEvent event) {
  if (event->stream != nullptr) finish(event->stream);
  return kCuSuccess;
}
CuResult cuEventElapsedTime(float* elapsed, CuEvent start, CuEvent) {
  *elapsed = std::chrono::duration<float, std::milli>(Clock::now() - start->time).count();
  return kCuSuccess;
}

CuResult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  const std::lock_guard<std::mutex> lock(guard);
  *total = device_bytes();
  *free = device_bytes() - devices[current_device()].used;
  return kCuSuccess;
}
CuResult cuMemAlloc_v2(CuDevicePtr* address, std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(guard);
  if (current == nullptr) return kInvalidDevice;
  Device& device = devices[current_device()];
  if (bytes == 0) return kInvalidValue;
  if (bytes > device_bytes() - device.used) return kCuOutOfMemory;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory == nullptr) return kCuOutOfMemory;
  *address = reinterpret_cast<CuDevicePtr>(memory);
  blocks_of_memory[*address] = {current_device(), bytes};
  device.used += bytes;
  return kCuSuccess;
}
CuResult cuMemFree_v2(CuDevicePtr address) {
  const std::lock_guard<std::mutex> lock(guard);
  const auto block = blocks_of_memory.find(address);
  if (block == blocks_of_memory.end()) return kInvalidValue;
  devices[block->second.first].used -= block->second.second;
  blocks_of_memory.erase(block);
  std::free(reinterpret_cast<void*>(address));
  return kCuSuccess;
}
CuResult cuMemHostAlloc(void** host, std::size_t bytes, unsigned) {
  *host = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  return *host == nullptr ? kCuOutOfMemory : kCuSuccess;
}
CuResult cuMemFreeHost(void* host) {
  std::free(host);
  return kCuSuccess;
}
CuResult cuMemHostGetDevicePointer_v2(CuDevicePtr* address, void* host, unsigned) {
  *address = reinterpret_cast<CuDevicePtr>(host);
  return kCuSuccess;
}
CuResult cuMemcpyHtoDAsync_v2(CuDevicePtr to, const void* from, std::size_t bytes, CuStream stream) {
  if (!inside(to, bytes)) return kInvalidValue;
  finish(stream);
  copy(reinterpret_cast<void*>(to), from, bytes);
  return kCuSuccess;
}
CuResult cuMemcpyDtoHAsync_v2(void* to, CuDevicePtr from, std::size_t bytes, CuStream stream) {
  if (!inside(from, bytes)) return kInvalidValue;
  finish(stream);
  copy(to, reinterpret_cast<const void*>(from), bytes);
  return kCuSuccess;
}
CuResult cuMemsetD8Async(CuDevicePtr to, unsigned char byte, std::size_t bytes, CuStream stream) {
  if (!inside(to, bytes)) return kInvalidValue;
  finish(stream);
  std::memset(reinterpret_cast<void*>(to), byte, bytes);
  return kCuSuccess;
}

}  // extern "C"

}  // namespace matcha::runtime::cuda
