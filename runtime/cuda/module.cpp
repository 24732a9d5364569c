#include "runtime/cuda/module.h"

#include <cstring>
#include <iterator>
#include <vector>

namespace matcha::runtime::cuda {

namespace {

/// Numbers of CUjit_option.
enum class JitOption : int { InfoLog = 3, InfoLogBytes = 4, ErrorLog = 5, ErrorLogBytes = 6 };

/// Numbers of CUfunction_attribute.
enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  SharedBytes = 1,
  ConstantBytes = 2,
  LocalBytes = 3,
  Registers = 4,
  MaxDynamicSharedBytes = 8,
};

constexpr std::uintptr_t kLogBytes = 16384;

/// The text in a zeroed buffer, without line breaks at its end.
std::string text_of(const std::vector<char>& buffer) {
  std::string text(buffer.data(), ::strnlen(buffer.data(), buffer.size()));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

Result<Module> Module::load(const DeviceRef& device, const std::string& image) {
  std::vector<char> info(kLogBytes, '\0');
  std::vector<char> errors(kLogBytes, '\0');
  int options[] = {static_cast<int>(JitOption::InfoLog), static_cast<int>(JitOption::InfoLogBytes),
                   static_cast<int>(JitOption::ErrorLog), static_cast<int>(JitOption::ErrorLogBytes)};
  // The sizes are passed as the values of the pointers; one byte is kept back so that the text always ends.
  void* values[] = {info.data(), reinterpret_cast<void*>(kLogBytes - 1), errors.data(),
                    reinterpret_cast<void*>(kLogBytes - 1)};
  CuModule handle = nullptr;
  Status loaded = device->call(device->calls().module_load_data_ex, &handle, static_cast<const void*>(image.c_str()),
                               static_cast<unsigned>(std::size(options)), options, values);
  if (!loaded) {
    Error error = loaded.error();
    const std::string log = text_of(errors);
    error.message = "the compiled kernel cannot be loaded on " + device->label() + "; " + error.message +
                    (log.empty() ? "" : "\n" + log);
    if (error.kind == ErrorKind::Runtime) {
      error.hint = "the driver supports CUDA " + device->driver().version_text() +
                   "; an NVRTC that is newer than that needs a newer driver";
    }
    return error;
  }
  Module module;
  module.module_ = {device, handle};
  module.log_ = text_of(info);
  return module;
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

Result<Module::Global> Module::global(const std::string& name) const {
  const Device& device = module_.device();
  Global found;
  std::size_t bytes = 0;
  if (Status got = device.call(device.calls().module_get_global, &found.address, &bytes, module_.get(), name.c_str());
      !got) {
    Error error = got.error();
    error.message = "no variable `" + name + "`; " + error.message;
    return error;
  }
  found.bytes = bytes;
  return found;
}

Result<FunctionAttributes> Function::attributes() const {
  int threads = 0;
  int registers = 0;
  int shared = 0;
  int local = 0;
  int constant = 0;
  const std::pair<FunctionAttribute, int*> wanted[] = {
      {FunctionAttribute::MaxThreadsPerBlock, &threads}, {FunctionAttribute::Registers, &registers},
      {FunctionAttribute::SharedBytes, &shared},         {FunctionAttribute::LocalBytes, &local},
      {FunctionAttribute::ConstantBytes, &constant},
  };
  for (const std::pair<FunctionAttribute, int*>& one : wanted) {
    Status got = device_->call(device_->calls().func_get_attribute, one.second, static_cast<int>(one.first), function_);
    if (!got) return got.error();
  }
  return FunctionAttributes{threads, registers, static_cast<std::uint64_t>(shared), static_cast<std::uint64_t>(local),
                            static_cast<std::uint64_t>(constant)};
}

Status Function::set_dynamic_shared(unsigned bytes) const {
  Status set = device_->call(device_->calls().func_set_attribute, function_,
                             static_cast<int>(FunctionAttribute::MaxDynamicSharedBytes), static_cast<int>(bytes));
  if (set) return set;
  Error error = set.error();
  error.message = "kernel `" + name_ + "` cannot have " + std::to_string(bytes) +
                  " bytes of shared memory a block on " + device_->label() + ", which offers " +
                  std::to_string(device_->properties().shared_bytes_per_block_optin) + "; " + error.message;
  return error;
}

Result<int> Function::blocks_per_multiprocessor(unsigned threads, unsigned dynamic_shared_bytes) const {
  int blocks = 0;
  Status got = device_->call(device_->calls().occupancy_max_blocks, &blocks, function_, static_cast<int>(threads),
                             static_cast<std::size_t>(dynamic_shared_bytes));
  if (!got) return got.error();
  return blocks;
}

Status Function::launch_with(const Stream& stream, const LaunchShape& shape, void** arguments) const {
  Status started = device_->call(device_->calls().launch_kernel, function_, shape.blocks, 1U, 1U, shape.threads, 1U, 1U,
                                 shape.dynamic_shared_bytes, stream.get(), arguments, nullptr);
  if (started) return started;
  Error error = started.error();
  error.message = "kernel `" + name_ + "` cannot be started with " + std::to_string(shape.blocks) + " blocks of " +
                  std::to_string(shape.threads) + " threads and " + std::to_string(shape.dynamic_shared_bytes) +
                  " bytes of shared memory each; " + error.message;
  return error;
}

}  // namespace matcha::runtime::cuda
