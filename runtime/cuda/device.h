#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "runtime/cuda/driver.h"
#include "runtime/result.h"

/// GPUs and the work on them. Objects free their resources, keep their device alive and may be used from any thread,
/// one at a time. Errors while freeing are ignored, because after a failed kernel every call fails.
namespace matcha::runtime::cuda {

/// Properties of a GPU for the schedule and the user.
struct DeviceProperties {
  int ordinal = 0;
  std::string name;
  int arch = 0;  ///< Compute capability, 10·major + minor.
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  int clock_khz = 0;  ///< 0: unknown.
};

/// Number of GPUs. Errors: Runtime when the driver cannot start, for example without a GPU.
Result<int> device_count(const Driver& driver);
/// Facts of a GPU, without making a context on it. Errors: Runtime when there is no such GPU.
Result<DeviceProperties> device_properties(const Driver& driver, int ordinal);

class Device;
using DeviceRef = std::shared_ptr<const Device>;

/// A GPU with its primary context, held as long as the object lives.
class Device {
 public:
  struct Memory {
    std::uint64_t free = 0;
    std::uint64_t total = 0;
  };

  /// Errors: Runtime when there is no such GPU or it is unavailable; Resource when its memory is short.
  static Result<DeviceRef> open(const Driver& driver, int ordinal);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Driver& driver() const { return driver_; }
  const DriverTable& calls() const { return driver_.calls(); }
  const DeviceProperties& properties() const { return properties_; }
  CuContext context() const { return context_; }
  /// `GPU 0 (NVIDIA H200)`.
  std::string label() const;

  /// Makes a call with this device current, and checks it like Driver::call.
  template <typename... P, typename... A>
  Status call(const DriverCall<P...>& entry, A... arguments) const;

  Result<Memory> memory() const;
  /// Allows kernels and copies of this device to access the memory of `other`. False: the hardware does not support it.
  /// Repeating the call is harmless.
  Result<bool> enable_peer(const Device& other) const;

 private:
  Device(const Driver& driver, DeviceProperties properties) : driver_(driver), properties_(std::move(properties)) {}

  const Driver& driver_;
  DeviceProperties properties_;
  CuDevice handle_ = 0;
  CuContext context_ = nullptr;
};

/// Makes a device current for this thread and restores the previous one at the end.
class ContextGuard {
 public:
  explicit ContextGuard(const Device& device);
  ~ContextGuard();
  ContextGuard(const ContextGuard&) = delete;
  ContextGuard& operator=(const ContextGuard&) = delete;

  const Status& status() const { return status_; }

 private:
  const Device& device_;
  CuContext before_ = nullptr;
  bool changed_ = false;
  Status status_ = Done{};
};

template <typename... P, typename... A>
Status Device::call(const DriverCall<P...>& entry, A... arguments) const {
  const ContextGuard guard(*this);
  if (!guard.status()) return guard.status();
  return driver_.call(entry, arguments...);
}

/// An object of the driver that its owner frees by the entry `release`.
template <typename H, DriverCall<H> DriverTable::*release>
class Owned {
 public:
  Owned() = default;
  Owned(DeviceRef device, H handle) : device_(std::move(device)), handle_(handle) {}
  Owned(Owned&& other) noexcept : device_(std::move(other.device_)), handle_(std::exchange(other.handle_, H{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (device_ != nullptr && handle_ != H{}) (void)device_->call(device_->calls().*release, handle_);
  }

  const Device& device() const { return *device_; }
  const DeviceRef& shared_device() const { return device_; }
  H get() const { return handle_; }

 private:
  DeviceRef device_;
  H handle_{};
};

/// Work in order; independent of the default stream.
class Stream {
 public:
  static Result<Stream> create(const DeviceRef& device);

  CuStream get() const { return stream_.get(); }
  const Device& device() const { return stream_.device(); }
  const DeviceRef& shared_device() const { return stream_.shared_device(); }
  /// Waits; returns the first error of the work, such as a kernel with an invalid memory access.
  Status synchronize() const;
  /// True: all work is done. Errors: as `synchronize`.
  Result<bool> done() const;

 private:
  Owned<CuStream, &DriverTable::stream_destroy> stream_;
};

/// A timed point in a stream.
class Event {
 public:
  static Result<Event> create(const DeviceRef& device);

  /// Marks the work submitted to the stream so far.
  Status record(const Stream& stream) const;
  Status synchronize() const;
  /// Milliseconds of device time from `start` to this event. Requires: both are complete, on one device.
  Result<double> milliseconds_since(const Event& start) const;

 private:
  Owned<CuEvent, &DriverTable::event_destroy> event_;
};

}  // namespace matcha::runtime::cuda
