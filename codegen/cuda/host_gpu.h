// The GPU of a program that was compiled ahead of time, through CUDA's runtime library: its memory, and copies of
// graphs and lists.
#pragma once

#include <cuda_runtime.h>

#include "codegen/c_family/host/schedule.h"
#include "codegen/c_family/host/sinks.h"

namespace matcha_program {

/// Throws the error of a CUDA call: exit code 5 if memory is short, else 4.
inline void need(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw Failure{result == cudaErrorMemoryAllocation ? 5 : 4, std::string(what) + ": " + cudaGetErrorString(result)};
}

/// Memory of the GPU.
class DeviceArray {
 public:
  explicit DeviceArray(u64 bytes) : bytes_(bytes) {
    cudaError_t result = cudaMalloc(&data_, bytes == 0 ? 1 : bytes);
    if (result == cudaErrorMemoryAllocation)
      throw Failure{5, "no " + std::to_string(bytes) + " bytes of memory on the GPU"};
    need(result, "cudaMalloc");
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  template <typename T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  void fill(int byte) { need(cudaMemset(data_, byte, bytes_), "cudaMemset"); }
  void write(const void* from, u64 bytes) {
    need(cudaMemcpy(data_, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  void read(void* to, u64 bytes, u64 offset = 0) const {
    need(cudaMemcpy(to, as<u8>() + offset, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  }

 private:
  void* data_ = nullptr;
  u64 bytes_;
};

/// A kernel of the device part with the threads of its groups. If it starts kernels: also the bytes of its frame and
/// the number of its region.
struct Kernel {
  const void* function;
  u64 group;
  int block;
  u64 frame_bytes;
  u64 region;
};

/// Parts of a graph that a region reads besides its neighbour lists.
enum GraphParts : unsigned {
  kSources = 1,
  kInfo = 2,
  kLabels = 4,
  kHalves = 8,
  kArcs = 16,
  kVertices = 32,
  kOffsets = 64
};

/// The GPU, with the copies of graphs and lists, which are kept until the end of the program.
class Gpu {
 public:
  static Gpu& of(const Host& host) {
    static Gpu gpu(host.settings().schedule.device);
    return gpu;
  }

  const std::string& name() const { return name_; }
  int processors() const { return attribute(cudaDevAttrMultiProcessorCount); }
  u64 ticks_per_us() const { return std::max<u64>(u64(attribute(cudaDevAttrClockRate)) / 1000, 1); }

  /// Bytes available for the intermediate lists of all groups.
  u64 room() const {
    size_t free = 0, total = 0;
    need(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free / 10 * 8;
  }

  template <typename T>
  const T* place(const T* host, u64 count) {
    if (host == nullptr) return nullptr;
    std::unique_ptr<DeviceArray>& copy = copies_[host];
    if (copy == nullptr) {
      copy = std::make_unique<DeviceArray>(count * sizeof(T));
      copy->write(host, count * sizeof(T));
    }
    return copy->as<T>();
  }
  void place(Graph& g, unsigned parts) {
    g.offsets = (parts & (kArcs | kOffsets)) != 0 ? place(g.offsets, g.universe + 1) : nullptr;
    g.arcs = (parts & kArcs) != 0 ? place(g.arcs, g.arc_count) : nullptr;
    g.vertex_list = (parts & kVertices) != 0 ? place(g.vertex_list, g.vertex_count) : nullptr;
    g.sources = (parts & kSources) != 0 ? place(g.sources, g.arc_count) : nullptr;
    g.info = (parts & kInfo) != 0 ? place(static_cast<const u64*>(g.info), g.arc_count) : nullptr;
    g.labels = (parts & kLabels) != 0 ? place(g.labels, g.universe) : nullptr;
    g.halves = (parts & kHalves) != 0 ? place(g.halves, 2 * g.universe + 1) : nullptr;
    g.original_ids = nullptr;
  }
  template <typename T, typename... Rest>
  void place(List<T, Rest...>& list) {
    list.data = place(list.data, list.size);
    if constexpr (sizeof...(Rest) != 0) place(list.rest);
  }

 private:
  explicit Gpu(int device) : device_(device) {
    int count = 0;
    cudaError_t result = cudaGetDeviceCount(&count);
    if (result != cudaSuccess) throw Failure{4, std::string("no GPU: ") + cudaGetErrorString(result)};
    if (device >= count) throw Failure{4, "there is no GPU " + std::to_string(device)};
    need(cudaSetDevice(device), "cudaSetDevice");
    cudaDeviceProp properties;
    need(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    name_ = properties.name;
  }
  int attribute(cudaDeviceAttr which) const {
    int value = 0;
    need(cudaDeviceGetAttribute(&value, which, device_), "cudaDeviceGetAttribute");
    return value;
  }

  int device_;
  std::string name_;
  std::map<const void*, std::unique_ptr<DeviceArray>> copies_;
};

/// Puts a graph or list of the frame onto the GPU, once.
template <typename T, typename... Parts>
void place(Host& host, T& value, Parts... parts) {
  const auto begin = std::chrono::steady_clock::now();
  Gpu::of(host).place(value, parts...);
  host.facts().upload_ms += std::chrono::duration<f64, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace matcha_program
