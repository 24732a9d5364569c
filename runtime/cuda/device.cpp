#include "runtime/cuda/device.h"

namespace matcha::runtime::cuda {

namespace {

/// Numbers of CUdevice_attribute.
enum class Attribute : int {
  ClockKhz = 13,
  Multiprocessors = 16,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
};

constexpr unsigned kNonBlockingStream = 1;

}  // namespace

Result<int> device_count(const Driver& driver) {
  const DriverTable& calls = driver.calls();
  int count = 0;
  Status got = driver.call(calls.init, 0U);
  if (got) got = driver.call(calls.device_get_count, &count);
  if (got) return count;
  Error error = got.error();
  error.hint = "check `nvidia-smi` and CUDA_VISIBLE_DEVICES, or run on the CPU with --device cpu";
  return error;
}

Result<DeviceProperties> device_properties(const Driver& driver, int ordinal) {
  const DriverTable& calls = driver.calls();
  int count = MATCHA_TRY(device_count(driver));
  if (ordinal < 0 || ordinal >= count) {
    return Error{ErrorKind::Runtime,
                 "there is no GPU " + std::to_string(ordinal) + "; the driver finds " + std::to_string(count), "", 0,
                 "GPUs are counted from 0; CUDA_VISIBLE_DEVICES hides some"};
  }
  CuDevice handle = 0;
  if (Status got = driver.call(calls.device_get, &handle, ordinal); !got) return got.error();
  DeviceProperties found;
  found.ordinal = ordinal;
  char text[256] = {};
  if (Status got = driver.call(calls.device_get_name, text, static_cast<int>(sizeof(text)), handle); !got)
    return got.error();
  found.name = text;
  std::size_t memory = 0;
  if (Status got = driver.call(calls.device_total_mem, &memory, handle); !got) return got.error();
  found.memory_bytes = memory;

  int major = 0;
  int minor = 0;
  const std::pair<Attribute, int*> wanted[] = {
      {Attribute::CapabilityMajor, &major},
      {Attribute::CapabilityMinor, &minor},
      {Attribute::Multiprocessors, &found.multiprocessors},
      {Attribute::ClockKhz, &found.clock_khz},
  };
  for (const std::pair<Attribute, int*>& one : wanted) {
    MATCHA_TRY(driver.call(calls.device_get_attribute, one.second, static_cast<int>(one.first), handle));
  }
  found.arch = major * 10 + minor;
  return found;
}

Result<DeviceRef> Device::open(const Driver& driver, int ordinal) {
  DeviceProperties properties = MATCHA_TRY(device_properties(driver, ordinal));
  std::unique_ptr<Device> device(new Device(driver, std::move(properties)));
  const DriverTable& calls = driver.calls();
  if (Status got = driver.call(calls.device_get, &device->handle_, ordinal); !got) return got.error();
  CuContext context = nullptr;
  if (Status got = driver.call(calls.primary_ctx_retain, &context, device->handle_); !got) {
    Error error = got.error();
    error.message = device->label() + " cannot be used; " + error.message;
    error.hint = "`nvidia-smi` shows its state and its processes; --device cpu runs on the CPU";
    return error;
  }
  device->context_ = context;
  return DeviceRef(std::move(device));
}

Device::~Device() {
  if (context_ != nullptr) (void)driver_.call(calls().primary_ctx_release, handle_);
}

std::string Device::label() const {
  return "GPU " + std::to_string(properties_.ordinal) + " (" + properties_.name + ")";
}

Result<Device::Memory> Device::memory() const {
  std::size_t free = 0;
  std::size_t total = 0;
  if (Status got = call(calls().mem_get_info, &free, &total); !got) return got.error();
  return Memory{free, total};
}

Result<bool> Device::enable_peer(const Device& other) const {
  int can = 0;
  if (Status got = call(calls().device_can_access_peer, &can, handle_, other.handle_); !got) return got.error();
  if (can == 0) return false;
  const ContextGuard guard(*this);
  if (!guard.status()) return guard.status().error();
  const CuResult result = calls().ctx_enable_peer_access.function(other.context_, 0);
  if (result == kCuPeerAlreadyEnabled) return true;
  if (Status got = driver_.check(result, calls().ctx_enable_peer_access.symbol); !got) return got.error();
  return true;
}

ContextGuard::ContextGuard(const Device& device) : device_(device) {
  const Driver& driver = device.driver();
  status_ = driver.call(driver.calls().ctx_get_current, &before_);
  if (!status_ || before_ == device.context()) return;
  status_ = driver.call(driver.calls().ctx_set_current, device.context());
  changed_ = static_cast<bool>(status_);
}

ContextGuard::~ContextGuard() {
  if (changed_) (void)device_.driver().call(device_.calls().ctx_set_current, before_);
}

Result<Stream> Stream::create(const DeviceRef& device) {
  CuStream handle = nullptr;
  if (Status got = device->call(device->calls().stream_create, &handle, kNonBlockingStream); !got) return got.error();
  Stream stream;
  stream.stream_ = {device, handle};
  return stream;
}

Status Stream::synchronize() const { return device().call(device().calls().stream_synchronize, get()); }

Result<bool> Stream::done() const {
  const ContextGuard guard(device());
  if (!guard.status()) return guard.status().error();
  const CuResult result = device().calls().stream_query.function(get());
  if (result == kCuNotReady) return false;
  if (Status got = device().driver().check(result, device().calls().stream_query.symbol); !got) return got.error();
  return true;
}

Result<Event> Event::create(const DeviceRef& device) {
  CuEvent handle = nullptr;
  if (Status got = device->call(device->calls().event_create, &handle, 0U); !got) return got.error();
  Event event;
  event.event_ = {device, handle};
  return event;
}

Status Event::record(const Stream& stream) const {
  return event_.device().call(event_.device().calls().event_record, event_.get(), stream.get());
}

Status Event::synchronize() const {
  return event_.device().call(event_.device().calls().event_synchronize, event_.get());
}

Result<double> Event::milliseconds_since(const Event& start) const {
  float elapsed = 0;
  const DriverTable& calls = event_.device().calls();
  if (Status got = event_.device().call(calls.event_elapsed_time, &elapsed, start.event_.get(), event_.get()); !got) {
    return got.error();
  }
  return static_cast<double>(elapsed);
}

}  // namespace matcha::runtime::cuda
