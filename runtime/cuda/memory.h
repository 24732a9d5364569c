#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "runtime/cuda/device.h"
#include "runtime/result.h"

/// Device memory and memory shared with the host: plain allocations only, never managed ones.
namespace matcha::runtime::cuda {

/// Bytes on a device, not initialized.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// Errors: Resource, with the requested and the free bytes, when it does not fit. No bytes: no allocation.
  static Result<DeviceMemory> allocate(const DeviceRef& device, std::uint64_t bytes);

  CuDevicePtr address() const { return memory_.get(); }
  std::uint64_t bytes() const { return bytes_; }
  /// Copies in order with the stream's other work. The host's bytes must live until it is done; copies from and to
  /// pinned memory return at once. Requires: `offset + bytes` is inside.
  Status copy_from(const Stream& stream, const void* host, std::uint64_t bytes, std::uint64_t offset = 0) const;
  Status copy_to(const Stream& stream, void* host, std::uint64_t bytes, std::uint64_t offset = 0) const;
  /// Copies to memory of the same or another device, in order with the work of `stream`, a stream of that device. If
  /// the devices have no peer access, the driver copies through the host. Requires: both ranges are inside.
  Status copy_to(const Stream& stream, const DeviceMemory& to, std::uint64_t bytes, std::uint64_t offset = 0,
                 std::uint64_t to_offset = 0) const;
  /// Sets every byte, in order with the stream's other work.
  Status fill(const Stream& stream, unsigned char byte) const;

 private:
  Owned<CuDevicePtr, &DriverTable::mem_free> memory_;
  std::uint64_t bytes_ = 0;
};

/// Pinned host memory that the device reads and writes in place, such as progress counters and ring buffers.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  /// Errors: Resource when the host has no memory to pin. No bytes: no allocation. `zeroed`: false leaves it
  /// uninitialized.
  static Result<PinnedMemory> allocate(const DeviceRef& device, std::uint64_t bytes, bool zeroed = true);

  void* host() const { return memory_.get(); }
  /// Its address on the device.
  CuDevicePtr address() const { return address_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  Owned<void*, &DriverTable::mem_free_host> memory_;
  CuDevicePtr address_ = 0;
  std::uint64_t bytes_ = 0;
};

/// An array on a device, not initialized.
template <typename T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceBuffer() = default;
  /// Errors: as DeviceMemory::allocate.
  static Result<DeviceBuffer> allocate(const DeviceRef& device, std::uint64_t size) {
    DeviceMemory memory = MATCHA_TRY(DeviceMemory::allocate(device, size * sizeof(T)));
    DeviceBuffer buffer;
    buffer.memory_ = std::move(memory);
    buffer.size_ = size;
    return buffer;
  }

  /// A device address: pass it to kernels, do not dereference it here.
  T* data() const { return reinterpret_cast<T*>(memory_.address()); }
  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return memory_.bytes(); }
  /// Copies `count` items from or to position `at`; rules as for DeviceMemory.
  Status upload(const Stream& stream, const T* items, std::uint64_t count, std::uint64_t at = 0) const {
    return memory_.copy_from(stream, items, count * sizeof(T), at * sizeof(T));
  }
  Status download(const Stream& stream, T* items, std::uint64_t count, std::uint64_t at = 0) const {
    return memory_.copy_to(stream, items, count * sizeof(T), at * sizeof(T));
  }
  Status fill(const Stream& stream, unsigned char byte) const { return memory_.fill(stream, byte); }

 private:
  DeviceMemory memory_;
  std::uint64_t size_ = 0;
};

/// An array that host and device share in place; zeroed.
template <typename T>
class PinnedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PinnedBuffer() = default;
  /// Errors: as PinnedMemory::allocate.
  static Result<PinnedBuffer> allocate(const DeviceRef& device, std::uint64_t size, bool zeroed = true) {
    PinnedMemory memory = MATCHA_TRY(PinnedMemory::allocate(device, size * sizeof(T), zeroed));
    PinnedBuffer buffer;
    buffer.memory_ = std::move(memory);
    buffer.size_ = size;
    return buffer;
  }

  T* host() const { return static_cast<T*>(memory_.host()); }
  /// A device address: pass it to kernels, do not dereference it here.
  T* device_data() const { return reinterpret_cast<T*>(memory_.address()); }
  std::uint64_t size() const { return size_; }

 private:
  PinnedMemory memory_;
  std::uint64_t size_ = 0;
};

}  // namespace matcha::runtime::cuda
