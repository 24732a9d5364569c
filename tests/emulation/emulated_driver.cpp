// The driver's entries, implemented by threads of the host. Kernels come from the emulated NVRTC. A few threads run all
// threads of a grid in turn, each to its end; this works because no worker waits for one that has not started.
//
// MATCHA_EMULATED_THREADS (4), MATCHA_EMULATED_DEVICES (1), MATCHA_EMULATED_BYTES (of each device; 4 GiB),
// MATCHA_EMULATED_ARCH (90), MATCHA_EMULATED_FAULT (a CUresult with which every kernel ends), MATCHA_EMULATED_PENDING
// (most waiting kernels that kernels started; 2048), MATCHA_EMULATED_ONE (the number of the only device that has the
// bytes and the fault; default: all have), MATCHA_EMULATED_SHORT (`cuMemAlloc:3`: the third call that takes memory, or
// starts work, is out of memory)

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
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
struct CuLinkState {
  std::string image;
  bool with_library = false;
};
struct CuModuleState {
  void* library;
  std::map<std::string, CuFunctionState> functions;
};
/// A stream does its work in order, on a thread of its own.
struct CuStreamState {
  CuStreamState() : worker([this] { work(); }) {}
  ~CuStreamState() {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      closed = true;
    }
    changed.notify_all();
    worker.join();
  }
  CuStreamState(const CuStreamState&) = delete;
  CuStreamState& operator=(const CuStreamState&) = delete;

  void add(std::function<void()> step) {
    const std::lock_guard<std::mutex> lock(mutex);
    steps.push_back(std::move(step));
    changed.notify_all();
  }
  bool idle() {
    const std::lock_guard<std::mutex> lock(mutex);
    return steps.empty();
  }
  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return steps.empty(); });
  }
  void work() {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return closed || !steps.empty(); });
      if (steps.empty()) return;
      const std::function<void()> step = steps.front();
      lock.unlock();
      step();
      lock.lock();
      steps.pop_front();
      changed.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> steps;  ///< The first one may be under way.
  int device = 0;
  bool closed = false;
  std::thread worker;
};
struct CuEventState {
  CuStreamState* stream = nullptr;    ///< Stream of the work that it marks.
  std::atomic<std::int64_t> time{0};  ///< Nanoseconds.
};

namespace {

using Clock = std::chrono::steady_clock;

constexpr CuResult kInvalidValue = 1;
constexpr CuResult kNoDevice = 100;
constexpr CuResult kInvalidDevice = 101;
constexpr CuResult kInvalidImage = 200;
constexpr CuResult kNotFound = 500;
constexpr std::uintptr_t kContexts = 0x1000;

struct Device {
  std::uint64_t used = 0;
};
constexpr std::size_t kMostDevices = 16;

std::mutex guard;
/// The outcome of a device's kernels; every later wait returns it.
std::array<std::atomic<CuResult>, kMostDevices> failures;
std::map<CuDevice, Device> devices;
std::map<std::uint64_t, std::pair<CuDevice, std::uint64_t>> blocks_of_memory;  ///< Device and bytes.
std::map<CuStream, std::shared_ptr<CuStreamState>> streams;

/// Memory is freed when no earlier request can use it, as by a real driver.
void wait_for_streams() {
  std::vector<std::shared_ptr<CuStreamState>> all;  // Another thread may destroy one in the meantime.
  {
    const std::lock_guard<std::mutex> lock(guard);
    for (const auto& [name, stream] : streams) all.push_back(stream);
  }
  for (const std::shared_ptr<CuStreamState>& stream : all) stream->wait();
}
thread_local CuContext current = nullptr;
std::atomic<std::uint64_t> bytes_to_devices{0};

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Settings for certain devices.
std::uint64_t setting_of(CuDevice device, const char* name, std::uint64_t otherwise) {
  const std::uint64_t one = setting("MATCHA_EMULATED_ONE", static_cast<std::uint64_t>(device));
  return one == static_cast<std::uint64_t>(device) ? setting(name, otherwise) : otherwise;
}

std::uint64_t device_bytes(CuDevice device) {
  return setting_of(device, "MATCHA_EMULATED_BYTES", std::uint64_t{4} << 30);
}
CuDevice device_in(CuContext context) {
  return static_cast<CuDevice>(reinterpret_cast<std::uintptr_t>(context) - kContexts);
}
CuDevice current_device() { return device_in(current); }

CuResult failure_of(CuStream stream) { return failures.at(static_cast<std::size_t>(stream->device)); }

/// True if this call of an entry has to report that memory is exhausted.
bool is_short(const char* entry) {
  static const std::string wanted = [] {
    const char* text = std::getenv("MATCHA_EMULATED_SHORT");
    return std::string(text != nullptr ? text : "");
  }();
  static std::atomic<std::uint64_t> calls{0};
  const std::size_t colon = wanted.find(':');
  return colon != std::string::npos && wanted.compare(0, colon, entry) == 0 &&
         ++calls == std::strtoull(wanted.c_str() + colon + 1, nullptr, 10);
}

/// True when the bytes lie in one allocation of a device.
bool inside(std::uint64_t address, std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(guard);
  auto block = blocks_of_memory.upper_bound(address);
  if (block == blocks_of_memory.begin()) return false;
  --block;
  return address + bytes <= block->first + block->second.second;
}

/// The device that has the memory; -1: none.
CuDevice device_of(std::uint64_t address) {
  const std::lock_guard<std::mutex> lock(guard);
  auto block = blocks_of_memory.upper_bound(address);
  return block == blocks_of_memory.begin() ? -1 : (--block)->second.first;
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

struct Grid {
  emulation::Kernel kernel;
  void* arguments;
  unsigned blocks, threads;
};

/// A grid and all grids started by its kernels, run by a few threads: the last one started comes first.
class GridTree {
 public:
  explicit GridTree(const Grid& first) { open(first); }

  void run() {
    std::vector<std::thread> workers;
    for (std::uint64_t i = 1; i < setting("MATCHA_EMULATED_THREADS", 4); ++i) workers.emplace_back([this] { work(); });
    work();
    for (std::thread& worker : workers) worker.join();
  }

  static bool start(const emulation::Kernel* kernel, void* copied, unsigned blocks, unsigned threads) {
    return running->add({*kernel, copied, blocks, threads});
  }

 private:
  struct Open {
    Grid grid;
    std::uint64_t next = 0, left = 0;  ///< Threads that have begun, and those that have not ended.
  };

  void open(const Grid& grid) {
    const std::uint64_t count = std::uint64_t{grid.blocks} * grid.threads;
    grids_.push_back(std::make_unique<Open>(Open{grid, 0, count}));
  }

  bool add(const Grid& grid) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (grids_.size() > setting("MATCHA_EMULATED_PENDING", 2048)) return false;
    open(grid);
    changed_.notify_all();
    return true;
  }

  /// A grid with a thread that has not begun; null: none, now.
  Open* waiting() {
    for (auto at = grids_.rbegin(); at != grids_.rend(); ++at) {
      if ((*at)->next < std::uint64_t{(*at)->grid.blocks} * (*at)->grid.threads) return at->get();
    }
    return nullptr;
  }

  void work() {
    GridTree* const before = running;
    running = this;
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return grids_.empty() || waiting() != nullptr; });
      if (grids_.empty()) break;
      Open& one = *waiting();
      const Grid grid = one.grid;
      const std::uint64_t at = one.next++;
      lock.unlock();
      grid.kernel.run(grid.arguments, grid.blocks, grid.threads, static_cast<unsigned>(at / grid.threads),
                      static_cast<unsigned>(at % grid.threads));
      lock.lock();
      if (--one.left == 0) close(one);
    }
    running = before;
  }

  void close(Open& one) {
    one.grid.kernel.drop(one.grid.arguments);
    std::erase_if(grids_, [&](const std::unique_ptr<Open>& open) { return open.get() == &one; });
    if (grids_.empty()) changed_.notify_all();
  }

  static thread_local GridTree* running;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Open>> grids_;
};

thread_local GridTree* GridTree::running = nullptr;

/// Runs all threads of a grid, and of the grids that it starts.
void run_grid(CuDevice device, const emulation::Kernel& kernel, void* arguments, unsigned blocks, unsigned threads) {
  if (const std::uint64_t fault = setting_of(device, "MATCHA_EMULATED_FAULT", 0); fault != 0) {
    failures.at(static_cast<std::size_t>(device)) = static_cast<CuResult>(fault);
    kernel.drop(arguments);
    return;
  }
  GridTree({kernel, arguments, blocks, threads}).run();
}

}  // namespace

extern "C" {

CuResult cuInit(unsigned) { return setting("MATCHA_EMULATED_DEVICES", 1) == 0 ? kNoDevice : kCuSuccess; }
CuResult cuDriverGetVersion(int* version) {
  *version = 13000;
  return kCuSuccess;
}
CuResult cuGetErrorName(CuResult code, const char** name) {
  static const std::map<CuResult, const char*> kNames = {{kCuOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                         {kNoDevice, "CUDA_ERROR_NO_DEVICE"},
                                                         {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                         {702, "CUDA_ERROR_LAUNCH_TIMEOUT"}};
  const auto found = kNames.find(code);
  *name = found != kNames.end() ? found->second : "CUDA_ERROR_EMULATED";
  return kCuSuccess;
}
CuResult cuGetErrorString(CuResult code, const char** text) {
  *text = code == kCuOutOfMemory ? "out of memory" : "an error of the emulated driver";
  return kCuSuccess;
}

CuResult cuDeviceGetCount(int* count) {
  *count = static_cast<int>(std::min<std::uint64_t>(setting("MATCHA_EMULATED_DEVICES", 1), kMostDevices));
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
CuResult cuDeviceGetAttribute(int* value, int attribute, CuDevice) {
  // Numbers of CUdevice_attribute: kilohertz, and multiprocessors.
  static const std::map<int, int> kValues = {{13, 2000000}, {16, 1}};
  const int arch = static_cast<int>(setting("MATCHA_EMULATED_ARCH", 90));
  const auto found = kValues.find(attribute);
  *value = attribute == 75 ? arch / 10 : attribute == 76 ? arch % 10 : found == kValues.end() ? 0 : found->second;
  return kCuSuccess;
}
CuResult cuDeviceTotalMem_v2(std::size_t* bytes, CuDevice device) {
  *bytes = device_bytes(device);
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
  if (void* start = dlsym(handle, "emulated_start_kernel")) {
    *static_cast<emulation::StartKernel**>(start) = GridTree::start;
  }
  *module = new CuModuleState{handle, {}};
  return kCuSuccess;
}
CuResult cuLinkCreate_v2(unsigned, int*, void**, CuLink* link) {
  *link = new CuLinkState;
  return kCuSuccess;
}
CuResult cuLinkAddData_v2(CuLink link, int, void* data, std::size_t bytes, const char*, unsigned, int*, void**) {
  link->image.assign(static_cast<const char*>(data), bytes);
  return kCuSuccess;
}
CuResult cuLinkAddFile_v2(CuLink link, int, const char* file, unsigned, int*, void**) {
  link->with_library = ::access(file, R_OK) == 0;
  return link->with_library ? kCuSuccess : kNotFound;
}
CuResult cuLinkComplete(CuLink link, void** image, std::size_t* bytes) {
  if (!link->with_library) return kNotFound;
  *image = link->image.data();
  *bytes = link->image.size();
  return kCuSuccess;
}
CuResult cuLinkDestroy(CuLink link) {
  delete link;
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
CuResult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CuFunction, int, std::size_t) {
  *blocks = 1;
  return kCuSuccess;
}
CuResult cuLaunchKernel(CuFunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned, CuStream stream, void** arguments, void**) {
  if (gy != 1 || gz != 1 || by != 1 || bz != 1) return kInvalidValue;
  if (is_short("cuLaunchKernel")) return kCuOutOfMemory;
  const emulation::Kernel* kernel = function->kernel;
  void* copied = kernel->copy(arguments);
  stream->add([device = stream->device, kernel, copied, gx, bx] { run_grid(device, *kernel, copied, gx, bx); });
  return kCuSuccess;
}

CuResult cuStreamCreate(CuStream* stream, unsigned) {
  std::shared_ptr<CuStreamState> made = std::make_shared<CuStreamState>();
  *stream = made.get();
  made->device = current_device();
  const std::lock_guard<std::mutex> lock(guard);
  streams.emplace(made.get(), made);
  return kCuSuccess;
}
CuResult cuStreamDestroy_v2(CuStream stream) {
  stream->wait();
  std::shared_ptr<CuStreamState> last;
  const std::lock_guard<std::mutex> lock(guard);
  const auto found = streams.find(stream);
  if (found == streams.end()) return kInvalidValue;
  last = std::move(found->second);
  streams.erase(found);
  return kCuSuccess;
}
CuResult cuStreamSynchronize(CuStream stream) {
  stream->wait();
  return failure_of(stream);
}
CuResult cuStreamQuery(CuStream stream) {
  const bool idle = stream->idle();
  const CuResult failure = failure_of(stream);
  return failure != kCuSuccess ? failure : idle ? kCuSuccess : kCuNotReady;
}
CuResult cuEventCreate(CuEvent* event, unsigned) {
  if (is_short("cuEventCreate")) return kCuOutOfMemory;
  *event = new CuEventState;
  return kCuSuccess;
}
CuResult cuEventDestroy_v2(CuEvent event) {
  delete event;
  return kCuSuccess;
}
CuResult cuEventRecord(CuEvent event, CuStream stream) {
  event->stream = stream;
  stream->add([event] { event->time = std::chrono::nanoseconds(Clock::now().time_since_epoch()).count(); });
  return kCuSuccess;
}
CuResult cuEventSynchronize(CuEvent event) {
  if (event->stream == nullptr) return kCuSuccess;
  event->stream->wait();
  return failure_of(event->stream);
}
CuResult cuEventElapsedTime(float* elapsed, CuEvent start, CuEvent end) {
  *elapsed = static_cast<float>(end->time - start->time) / 1e6F;
  return kCuSuccess;
}

CuResult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  const std::lock_guard<std::mutex> lock(guard);
  *total = device_bytes(current_device());
  *free = *total - devices[current_device()].used;
  return kCuSuccess;
}
CuResult cuMemAlloc_v2(CuDevicePtr* address, std::size_t bytes) {
  if (is_short("cuMemAlloc")) return kCuOutOfMemory;
  const std::lock_guard<std::mutex> lock(guard);
  if (current == nullptr) return kInvalidDevice;
  Device& device = devices[current_device()];
  if (bytes == 0) return kInvalidValue;
  if (bytes > device_bytes(current_device()) - device.used) return kCuOutOfMemory;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (memory == nullptr) return kCuOutOfMemory;
  *address = reinterpret_cast<CuDevicePtr>(memory);
  blocks_of_memory[*address] = {current_device(), bytes};
  device.used += bytes;
  return kCuSuccess;
}
CuResult cuMemFree_v2(CuDevicePtr address) {
  wait_for_streams();
  const std::lock_guard<std::mutex> lock(guard);
  const auto block = blocks_of_memory.find(address);
  if (block == blocks_of_memory.end()) return kInvalidValue;
  devices[block->second.first].used -= block->second.second;
  blocks_of_memory.erase(block);
  std::free(reinterpret_cast<void*>(address));
  return kCuSuccess;
}
CuResult cuMemHostAlloc(void** host, std::size_t bytes, unsigned) {
  if (is_short("cuMemHostAlloc")) return kCuOutOfMemory;
  *host = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  return *host == nullptr ? kCuOutOfMemory : kCuSuccess;
}
CuResult cuMemFreeHost(void* host) {
  wait_for_streams();
  std::free(host);
  return kCuSuccess;
}
CuResult cuMemHostGetDevicePointer_v2(CuDevicePtr* address, void* host, unsigned) {
  *address = reinterpret_cast<CuDevicePtr>(host);
  return kCuSuccess;
}
CuResult cuMemcpyHtoDAsync_v2(CuDevicePtr to, const void* from, std::size_t bytes, CuStream stream) {
  if (!inside(to, bytes)) return kInvalidValue;
  if (is_short("cuMemcpyHtoDAsync")) return kCuOutOfMemory;
  bytes_to_devices += bytes;
  stream->add([to, from, bytes] { copy(reinterpret_cast<void*>(to), from, bytes); });
  return kCuSuccess;
}
CuResult cuMemcpyDtoHAsync_v2(void* to, CuDevicePtr from, std::size_t bytes, CuStream stream) {
  if (!inside(from, bytes)) return kInvalidValue;
  stream->add([to, from, bytes] { copy(to, reinterpret_cast<const void*>(from), bytes); });
  return kCuSuccess;
}
CuResult cuMemcpyDtoDAsync_v2(CuDevicePtr to, CuDevicePtr from, std::size_t bytes, CuStream stream) {
  if (!inside(from, bytes)) return kInvalidValue;
  return cuMemcpyHtoDAsync_v2(to, reinterpret_cast<const void*>(from), bytes, stream);
}
CuResult cuMemcpyPeerAsync(CuDevicePtr to, CuContext there, CuDevicePtr from, CuContext here, std::size_t bytes,
                           CuStream stream) {
  const bool known = device_of(to) == device_in(there) && device_of(from) == device_in(here);
  return known ? cuMemcpyDtoDAsync_v2(to, from, bytes, stream) : kInvalidValue;
}
CuResult cuMemsetD8Async(CuDevicePtr to, unsigned char byte, std::size_t bytes, CuStream stream) {
  if (!inside(to, bytes)) return kInvalidValue;
  stream->add([to, byte, bytes] { std::memset(reinterpret_cast<void*>(to), byte, bytes); });
  return kCuSuccess;
}

// For tests: how many bytes went to devices so far, and how many they hold.
std::uint64_t emulated_bytes_to_devices() { return bytes_to_devices; }
std::uint64_t emulated_bytes_held() {
  const std::lock_guard<std::mutex> lock(guard);
  std::uint64_t held = 0;
  for (const auto& [address, block] : blocks_of_memory) held += block.second;
  return held;
}

}  // extern "C"

}  // namespace matcha::runtime::cuda
