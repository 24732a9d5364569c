#include "runtime/cuda/module.h"

#include <cstring>
#include <vector>

namespace matcha::runtime::cuda {

namespace {

/// Numbers of CUjit_option.
enum class JitOption : int { ErrorLog = 5, ErrorLogBytes = 6 };

/// Numbers of CUjitInputType.
enum class LinkInput : int { Cubin = 0, Ptx = 1, Library = 4 };

constexpr std::uintptr_t kLogBytes = 16384;

/// The text in a zeroed buffer, without trailing line breaks.
std::string text_of(const std::vector<char>& buffer) {
  std::string text(buffer.data(), ::strnlen(buffer.data(), buffer.size()));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// Buffers for the messages of the driver's compiler and linker.
struct JitLogs {
  static constexpr unsigned kOptions = 2;

  std::vector<char> errors = std::vector<char>(kLogBytes, '\0');
  int options[kOptions] = {static_cast<int>(JitOption::ErrorLog), static_cast<int>(JitOption::ErrorLogBytes)};
  // The size is passed as the value of the pointer; the last byte stays zero to terminate the text.
  void* values[kOptions] = {errors.data(), reinterpret_cast<void*>(kLogBytes - 1)};

  /// The error of a failed step named `done`, with the log.
  Error explained(Error error, const std::string& done, const Device& device) const {
    const std::string log = text_of(errors);
    error.message = "the compiled kernel cannot be " + done + " on " + device.label() + "; " + error.message +
                    (log.empty() ? "" : "\n" + log);
    if (error.kind == ErrorKind::Runtime) {
      error.hint = "the driver supports CUDA " + device.driver().version_text() +
                   "; an NVRTC that is newer than that needs a newer driver";
    }
    return error;
  }
};

}  // namespace

Result<Module> Module::load(const DeviceRef& device, const std::string& image) {
  JitLogs logs;
  CuModule handle = nullptr;
  Status loaded = device->call(device->calls().module_load_data_ex, &handle, static_cast<const void*>(image.c_str()),
                               JitLogs::kOptions, logs.options, logs.values);
  if (!loaded) return logs.explained(loaded.error(), "loaded", *device);
  Module module;
  module.module_ = {device, handle};
  return module;
}

Result<Module> Module::link(const DeviceRef& device, const KernelImage& image, const std::string& file) {
  JitLogs logs;
  CuLink handle = nullptr;
  if (Status made = device->call(device->calls().link_create, JitLogs::kOptions, logs.options, logs.values, &handle);
      !made) {
    return logs.explained(made.error(), "linked", *device);
  }
  const Owned<CuLink, &DriverTable::link_destroy> link(device, handle);
  std::string bytes = image.bytes;
  const LinkInput kind = image.is_ptx ? LinkInput::Ptx : LinkInput::Cubin;
  const std::size_t size = bytes.size() + (image.is_ptx ? 1 : 0);  // Text includes its terminating zero.
  void* linked = nullptr;
  std::size_t linked_bytes = 0;
  Status done = device->call(device->calls().link_add_data, handle, static_cast<int>(kind),
                             static_cast<void*>(bytes.data()), size, "kernel", 0U, nullptr, nullptr);
  if (done) {
    done = device->call(device->calls().link_add_file, handle, static_cast<int>(LinkInput::Library), file.c_str(), 0U,
                        nullptr, nullptr);
  }
  if (done) done = device->call(device->calls().link_complete, handle, &linked, &linked_bytes);
  if (!done) return logs.explained(done.error(), "linked with `" + file + "`", *device);
  return load(device, std::string(static_cast<const char*>(linked), linked_bytes));
}

Result<Function> Module::function(const std::string& name) const {
  const Device& device = module_.device();
  Function function;
  if (Status got = device.call(device.calls().module_get_function, &function.function_, module_.get(), name.c_str());
      !got) {
    Error error = got.error();
    error.message = "no kernel `" + name + "`; " + error.message;
    return error;
  }
  function.device_ = module_.shared_device();
  function.name_ = name;
  return function;
}

Result<int> Function::blocks_per_multiprocessor(unsigned threads) const {
  int blocks = 0;
  MATCHA_TRY(device_->call(device_->calls().occupancy_max_blocks, &blocks, function_, static_cast<int>(threads),
                           std::size_t{0}));
  return blocks;
}

Status Function::launch_with(const Stream& stream, const LaunchShape& shape, void** arguments) const {
  Status started = device_->call(device_->calls().launch_kernel, function_, shape.blocks, 1U, 1U, shape.threads, 1U, 1U,
                                 0U, stream.get(), arguments, nullptr);
  if (started) return started;
  Error error = started.error();
  error.message = "kernel `" + name_ + "` cannot be started with " + std::to_string(shape.blocks) + " blocks of " +
                  std::to_string(shape.threads) + " threads; " + error.message;
  return error;
}

}  // namespace matcha::runtime::cuda
