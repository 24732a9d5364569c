#include "runtime/cuda/driver.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

namespace matcha::runtime::cuda {

namespace {

constexpr const char* kNoDriverHint =
    "install the NVIDIA driver (`nvidia-smi` then lists the GPU), or run on the CPU with --device cpu";

/// Resolves the address of the entry. False: the library does not export it.
template <typename... P>
bool resolve(void* library, DriverCall<P...>& entry) {
  entry.function = reinterpret_cast<CuResult (*)(P...)>(::dlsym(library, entry.symbol));
  return entry.function != nullptr;
}

/// The first entry that the library lacks; null: none.
const char* resolve_all(void* library, DriverTable& table) {
#define MATCHA_CUDA_CALL(name, text, ...) \
  if (!resolve(library, table.name)) return #text;
#include "runtime/cuda/driver.def"
#undef MATCHA_CUDA_CALL
  return nullptr;
}

/// Name of a call in the manual, without the version of its interface.
std::string_view manual_name(std::string_view symbol) {
  return symbol.ends_with("_v2") ? symbol.substr(0, symbol.size() - 3) : symbol;
}

}  // namespace

namespace {

/// The library that MATCHA_LIBCUDA names; null: none.
const char* chosen_library() {
  const char* const chosen = std::getenv("MATCHA_LIBCUDA");
  return chosen != nullptr && *chosen != '\0' ? chosen : nullptr;
}

}  // namespace

Result<const Driver*> Driver::open() {
  const char* const chosen = chosen_library();
  return open(chosen != nullptr ? chosen : "libcuda.so.1");
}

bool Driver::may_be_there() {
  return chosen_library() != nullptr || ::access("/dev/nvidiactl", F_OK) == 0 || ::access("/dev/dxg", F_OK) == 0;
}

Result<const Driver*> Driver::open(const std::string& library) {
  // Never destroyed: objects of static storage may still call the driver at exit.
  static std::mutex& guard = *new std::mutex;
  static std::map<std::string, std::unique_ptr<Driver>>& opened = *new std::map<std::string, std::unique_ptr<Driver>>;
  const std::lock_guard<std::mutex> lock(guard);
  std::unique_ptr<Driver>& slot = opened[library];
  if (slot != nullptr) return static_cast<const Driver*>(slot.get());

  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    return Error{
        ErrorKind::Runtime,
        "no NVIDIA driver: `" + library + "` cannot be opened; " + (reason != nullptr ? reason : "no reason given"), "",
        0, kNoDriverHint};
  }
  std::unique_ptr<Driver> driver(new Driver);
  if (const char* missing = resolve_all(handle, driver->table_); missing != nullptr) {
    ::dlclose(handle);
    return Error{ErrorKind::Runtime,
                 "`" + library + "` is no NVIDIA driver that Matcha can use: it lacks `" + missing + "`", "", 0,
                 "install a driver for CUDA 12 or newer, or run on the CPU with --device cpu"};
  }
  Dl_info place{};
  const bool placed = ::dladdr(reinterpret_cast<void*>(driver->table_.init.function), &place) != 0;
  driver->path_ = placed && place.dli_fname != nullptr ? place.dli_fname : library;
  if (Status got = driver->call(driver->table_.driver_get_version, &driver->version_); !got) return got.error();
  slot = std::move(driver);
  return static_cast<const Driver*>(slot.get());
}

std::string Driver::version_text() const {
  return std::to_string(version_ / 1000) + "." + std::to_string(version_ % 1000 / 10);
}

Status Driver::check(CuResult result, const char* symbol) const {
  if (result == kCuSuccess) return Done{};
  const char* name = nullptr;
  const char* meaning = nullptr;
  if (table_.get_error_name.function(result, &name) != kCuSuccess) name = nullptr;
  if (table_.get_error_string.function(result, &meaning) != kCuSuccess) meaning = nullptr;
  std::string message = "`" + std::string(manual_name(symbol)) + "` failed: ";
  message += name != nullptr ? std::string(name) : "CUDA error " + std::to_string(result);
  if (meaning != nullptr) message += std::string(" (") + meaning + ")";
  return Error{result == kCuOutOfMemory ? ErrorKind::Resource : ErrorKind::Runtime, message, "", 0, ""};
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"bytes", "kB", "MB", "GB", "TB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1000 && unit + 1 < kUnits.size()) {
    amount /= 1000;
    ++unit;
  }
  char text[40];
  std::snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.1f %s", amount, kUnits[unit]);
  return text;
}

}  // namespace matcha::runtime::cuda
