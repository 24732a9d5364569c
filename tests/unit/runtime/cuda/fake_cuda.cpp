#include "tests/unit/runtime/cuda/fake_cuda.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace {

constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kNotFound = 500;
constexpr int kNotReady = 600;

std::mutex guard;
FakeCuda fresh_state() {
  FakeCuda fresh{};
  fresh.device_count = 2;
  fresh.total_bytes = std::size_t{64} << 20;
  fresh.can_access_peer = 1;
  return fresh;
}

FakeCuda state = fresh_state();
std::string calls;
std::string given_out;
std::map<std::uint64_t, std::size_t> device_blocks;
thread_local std::uintptr_t current_context = 0;
int next_handle = 1;

/// Logs the call and returns its result.
int enter(const char* symbol, const std::string& detail = "") {
  calls += symbol + (detail.empty() ? "" : " " + detail) + "\n";
  if (state.failing_call == nullptr || std::strcmp(state.failing_call, symbol) != 0) return 0;
  return state.failing_after-- > 0 ? 0 : state.failing_code;
}

int make_handle(void** out, const char* symbol, const std::string& detail = "") {
  const std::lock_guard<std::mutex> lock(guard);
  const int result = enter(symbol, detail);
  if (result != 0) return result;
  *out = reinterpret_cast<void*>(static_cast<std::uintptr_t>(next_handle++));
  ++state.live_objects;
  return 0;
}

int drop_handle(const char* symbol) {
  const std::lock_guard<std::mutex> lock(guard);
  const int result = enter(symbol);
  --state.live_objects;
  return result;
}

int plain(const char* symbol, const std::string& detail = "") {
  const std::lock_guard<std::mutex> lock(guard);
  return enter(symbol, detail);
}

int query(const char* symbol) {
  const std::lock_guard<std::mutex> lock(guard);
  const int result = enter(symbol);
  if (result != 0) return result;
  return state.not_ready-- > 0 ? kNotReady : 0;
}

/// True when the bytes lie in one allocation of the device.
bool inside(std::uint64_t address, std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(guard);
  for (const auto& [start, size] : device_blocks) {
    if (address >= start && address + bytes <= start + size) return true;
  }
  return false;
}

std::string number(std::uint64_t value) { return std::to_string(value); }

}  // namespace

extern "C" {

FakeCuda* fake_cuda_state() { return &state; }
const char* fake_cuda_log() {
  const std::lock_guard<std::mutex> lock(guard);
  given_out = calls;
  return given_out.c_str();
}
void fake_cuda_reset() {
  const std::lock_guard<std::mutex> lock(guard);
  const int objects = state.live_objects;
  const std::size_t bytes = state.live_bytes;
  state = fresh_state();
  state.live_objects = objects;
  state.live_bytes = bytes;
  calls.clear();
}

int cuInit(unsigned) { return plain("cuInit"); }
int cuDriverGetVersion(int* version) {
  *version = 12080;
  return plain("cuDriverGetVersion");
}
int cuGetErrorName(int code, const char** name) {
  *name = code == kOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : nullptr;
  return *name == nullptr ? kInvalidValue : 0;
}
int cuGetErrorString(int code, const char** text) {
  *text = code == kOutOfMemory ? "out of memory" : code == 700 ? "an illegal memory access was encountered" : nullptr;
  return *text == nullptr ? kInvalidValue : 0;
}

int cuDeviceGetCount(int* count) {
  *count = state.device_count;
  return plain("cuDeviceGetCount");
}
int cuDeviceGet(int* device, int ordinal) {
  *device = 10 + ordinal;
  return plain("cuDeviceGet", number(static_cast<std::uint64_t>(ordinal)));
}
int cuDeviceGetName(char* name, int size, int) {
  std::snprintf(name, static_cast<std::size_t>(size), "Fake GPU");
  return plain("cuDeviceGetName");
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 1000 + attribute;
  return plain("cuDeviceGetAttribute");
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = state.total_bytes;
  return plain("cuDeviceTotalMem_v2");
}
int cuDeviceCanAccessPeer(int* can, int, int) {
  *can = state.can_access_peer;
  return plain("cuDeviceCanAccessPeer");
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  const int result = make_handle(context, "cuDevicePrimaryCtxRetain");
  if (result == 0) *context = reinterpret_cast<void*>(static_cast<std::uintptr_t>(0x1000 + device));
  return result;
}
int cuDevicePrimaryCtxRelease_v2(int) { return drop_handle("cuDevicePrimaryCtxRelease_v2"); }
int cuCtxGetCurrent(void** context) {
  *context = reinterpret_cast<void*>(current_context);
  return plain("cuCtxGetCurrent");
}
int cuCtxSetCurrent(void* context) {
  current_context = reinterpret_cast<std::uintptr_t>(context);
  return plain("cuCtxSetCurrent", number(current_context));
}
int cuCtxEnablePeerAccess(void* context, unsigned) {
  return plain("cuCtxEnablePeerAccess", number(reinterpret_cast<std::uintptr_t>(context)));
}

int cuModuleLoadDataEx(void** module, const void*, unsigned count, int* options, void** values) {
  const int result = make_handle(module, "cuModuleLoadDataEx");
  for (unsigned i = 0; i + 1 < count; ++i) {
    if (result == 0 || state.jit_log == nullptr || options[i] != 5 || options[i + 1] != 6) continue;
    std::snprintf(static_cast<char*>(values[i]), reinterpret_cast<std::uintptr_t>(values[i + 1]), "%s", state.jit_log);
  }
  return result;
}
int cuLinkCreate_v2(unsigned, int*, void**, void** link) { return make_handle(link, "cuLinkCreate_v2"); }
int cuLinkAddData_v2(void*, int kind, void*, std::size_t bytes, const char*, unsigned, int*, void**) {
  return plain("cuLinkAddData_v2", number(static_cast<std::uint64_t>(kind)) + " " + number(bytes));
}
int cuLinkAddFile_v2(void*, int kind, const char* file, unsigned, int*, void**) {
  return plain("cuLinkAddFile_v2", number(static_cast<std::uint64_t>(kind)) + " " + file);
}
int cuLinkComplete(void*, void** image, std::size_t* bytes) {
  static char linked[] = "linked";
  *image = linked;
  *bytes = sizeof linked;
  return plain("cuLinkComplete");
}
int cuLinkDestroy(void*) { return drop_handle("cuLinkDestroy"); }
int cuModuleUnload(void*) { return drop_handle("cuModuleUnload"); }
int cuModuleGetFunction(void** function, void*, const char* name) {
  *function = reinterpret_cast<void*>(std::uintptr_t{77});
  return std::strcmp(name, "absent") == 0 ? kNotFound : plain("cuModuleGetFunction", name);
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int threads, std::size_t) {
  *blocks = 2048 / threads;
  return plain("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}
int cuLaunchKernel(void*, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void*, void** arguments, void**) {
  // The fake's kernels take an address and a number.
  std::string detail;
  for (const unsigned extent : {gx, gy, gz, bx, by, bz, shared}) detail += number(extent) + " ";
  detail +=
      number(*static_cast<std::uint64_t*>(arguments[0])) + " " + number(*static_cast<std::uint32_t*>(arguments[1]));
  return plain("cuLaunchKernel", detail);
}

int cuStreamCreate(void** stream, unsigned flags) { return make_handle(stream, "cuStreamCreate", number(flags)); }
int cuStreamDestroy_v2(void*) { return drop_handle("cuStreamDestroy_v2"); }
int cuStreamSynchronize(void*) { return plain("cuStreamSynchronize"); }
int cuStreamQuery(void*) { return query("cuStreamQuery"); }
int cuEventCreate(void** event, unsigned) { return make_handle(event, "cuEventCreate"); }
int cuEventDestroy_v2(void*) { return drop_handle("cuEventDestroy_v2"); }
int cuEventRecord(void*, void*) { return plain("cuEventRecord"); }
int cuEventSynchronize(void*) { return plain("cuEventSynchronize"); }
int cuEventElapsedTime(float* elapsed, void* start, void* end) {
  *elapsed = start < end ? 2.5F : -2.5F;
  return plain("cuEventElapsedTime");
}

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *free = state.total_bytes - state.live_bytes;
  *total = state.total_bytes;
  return plain("cuMemGetInfo_v2");
}
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(guard);
  int result = enter("cuMemAlloc_v2", number(bytes));
  if (result == 0 && bytes == 0) result = kInvalidValue;
  if (result == 0 && bytes > state.total_bytes - state.live_bytes) result = kOutOfMemory;
  if (result != 0) return result;
  *address = reinterpret_cast<std::uint64_t>(std::malloc(bytes));
  device_blocks[*address] = bytes;
  state.live_bytes += bytes;
  ++state.live_objects;
  return 0;
}
int cuMemFree_v2(std::uint64_t address) {
  const std::lock_guard<std::mutex> lock(guard);
  const int result = enter("cuMemFree_v2");
  if (device_blocks.count(address) == 0) return kInvalidValue;
  state.live_bytes -= device_blocks[address];
  device_blocks.erase(address);
  std::free(reinterpret_cast<void*>(address));
  --state.live_objects;
  return result;
}
int cuMemHostAlloc(void** host, std::size_t bytes, unsigned flags) {
  const std::lock_guard<std::mutex> lock(guard);
  const int result = enter("cuMemHostAlloc", number(bytes) + " " + number(flags));
  if (result != 0) return result;
  *host = std::malloc(bytes);
  std::memset(*host, 0x5A, bytes);
  ++state.live_objects;
  return 0;
}
int cuMemFreeHost(void* host) {
  std::free(host);
  return drop_handle("cuMemFreeHost");
}
int cuMemHostGetDevicePointer_v2(std::uint64_t* address, void* host, unsigned) {
  *address = reinterpret_cast<std::uint64_t>(host);
  return plain("cuMemHostGetDevicePointer_v2");
}
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void*) {
  if (!inside(to, bytes)) return kInvalidValue;
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return plain("cuMemcpyHtoDAsync_v2", number(bytes));
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void*) {
  if (!inside(from, bytes)) return kInvalidValue;
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return plain("cuMemcpyDtoHAsync_v2", number(bytes));
}
int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void*) {
  if (!inside(to, bytes) || !inside(from, bytes)) return kInvalidValue;
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return plain("cuMemcpyDtoDAsync_v2", number(bytes));
}
int cuMemcpyPeerAsync(std::uint64_t to, void* there, std::uint64_t from, void* here, std::size_t bytes, void*) {
  if (!inside(to, bytes) || !inside(from, bytes)) return kInvalidValue;
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return plain("cuMemcpyPeerAsync", number(reinterpret_cast<std::uintptr_t>(there)) + " " +
                                        number(reinterpret_cast<std::uintptr_t>(here)) + " " + number(bytes));
}
int cuMemsetD8Async(std::uint64_t to, unsigned char byte, std::size_t bytes, void*) {
  if (!inside(to, bytes)) return kInvalidValue;
  std::memset(reinterpret_cast<void*>(to), byte, bytes);
  return plain("cuMemsetD8Async", number(bytes));
}

}  // extern "C"
