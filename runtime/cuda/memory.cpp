#include "runtime/cuda/memory.h"

#include <cstring>

namespace matcha::runtime::cuda {

namespace {

/// CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP: pinned for every device, and mapped.
constexpr unsigned kPortableAndMapped = 1 | 2;

}  // namespace

Result<DeviceMemory> DeviceMemory::allocate(const DeviceRef& device, std::uint64_t bytes) {
  DeviceMemory memory;
  if (bytes == 0) return memory;
  CuDevicePtr address = 0;
  if (Status got = device->call(device->calls().mem_alloc, &address, bytes); !got) {
    Error error = got.error();
    std::string room;
    if (const Result<Device::Memory> now = device->memory()) {
      room = ", where " + bytes_text(now->free) + " of " + bytes_text(now->total) + " are free";
    }
    error.message = "no " + bytes_text(bytes) + " of memory on " + device->label() + room + "; " + error.message;
    return error;
  }
  memory.memory_ = {device, address};
  memory.bytes_ = bytes;
  return memory;
}

Status DeviceMemory::copy_from(const Stream& stream, const void* host, std::uint64_t bytes,
                               std::uint64_t offset) const {
  if (bytes == 0) return Done{};
  return stream.device().call(stream.device().calls().memcpy_htod_async, address() + offset, host, bytes, stream.get());
}

Status DeviceMemory::copy_to(const Stream& stream, void* host, std::uint64_t bytes, std::uint64_t offset) const {
  if (bytes == 0) return Done{};
  return stream.device().call(stream.device().calls().memcpy_dtoh_async, host, address() + offset, bytes, stream.get());
}

Status DeviceMemory::copy_to(const Stream& stream, const DeviceMemory& to, std::uint64_t bytes, std::uint64_t offset,
                             std::uint64_t to_offset) const {
  if (bytes == 0) return Done{};
  const Device& here = memory_.device();
  const Device& there = stream.device();
  const CuDevicePtr source = address() + offset;
  const CuDevicePtr target = to.address() + to_offset;
  if (here.context() == there.context()) {
    return there.call(there.calls().memcpy_dtod_async, target, source, bytes, stream.get());
  }
  (void)there.enable_peer(here);
  return there.call(there.calls().memcpy_peer_async, target, there.context(), source, here.context(), bytes,
                    stream.get());
}

Status DeviceMemory::fill(const Stream& stream, unsigned char byte) const {
  if (bytes_ == 0) return Done{};
  return stream.device().call(stream.device().calls().memset_d8_async, address(), byte, bytes_, stream.get());
}

Result<PinnedMemory> PinnedMemory::allocate(const DeviceRef& device, std::uint64_t bytes, bool zeroed) {
  PinnedMemory memory;
  if (bytes == 0) return memory;
  void* host = nullptr;
  if (Status got = device->call(device->calls().mem_host_alloc, &host, bytes, kPortableAndMapped); !got) {
    Error error = got.error();
    error.message = "no " + bytes_text(bytes) + " of pinned host memory; " + error.message;
    return error;
  }
  memory.memory_ = {device, host};
  memory.bytes_ = bytes;
  if (zeroed) std::memset(host, 0, bytes);
  if (Status got = device->call(device->calls().mem_host_get_device_pointer, &memory.address_, host, 0U); !got) {
    return got.error();
  }
  return memory;
}

}  // namespace matcha::runtime::cuda
