#include "codegen/cuda/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/cuda/clock.h"

namespace matcha::codegen::gpu {

namespace {

/// Numbers of the devices that a program runs on.
std::vector<int> ordinals(const runtime::cuda::Driver& driver, const CudaOptions& options) {
  int count = need(runtime::cuda::device_count(driver));
  int wanted = options.gpus == 0 ? std::max(count - options.device, 1) : static_cast<int>(options.gpus);
  if (options.device + wanted > count && options.gpus > 1) {
    fail(runtime::ErrorKind::Runtime,
         fmt::format("--gpus {} asks for more GPUs than the {} that the driver finds", wanted, count),
         "`--gpus all` takes those there are; CUDA_VISIBLE_DEVICES hides some");
  }
  std::vector<int> result;
  for (int i = 0; i < wanted; ++i) result.push_back(options.device + i);
  return result;
}

/// Tells how long a region's kernels took, and what there is to note.
void report(const std::map<int, runtime::cuda::KernelImage>& images, RunResult& result) {
  std::map<std::string, double> longest;
  for (const auto& [arch, image] : images) {
    double& ms = longest[image.from_cache ? "kernel_cache" : "nvrtc"];
    ms = std::max(ms, image.milliseconds);
    bool known = std::find(result.notes.begin(), result.notes.end(), image.note) != result.notes.end();
    if (!image.note.empty() && !known) result.notes.push_back(image.note);
  }
  for (const auto& [name, ms] : longest) result.times.emplace_back(name, ms);
}

}  // namespace

Session::Session(const CudaOptions& options) : options_(options), driver_(need(runtime::cuda::Driver::open())) {
  for (int ordinal : ordinals(*driver_, options_)) {
    archs_.push_back(need(runtime::cuda::device_properties(*driver_, ordinal)).arch);
    opening_.push_back(std::async(std::launch::async, [ordinal, driver = driver_, options = options_] {
      const Clock::time_point start = Clock::now();
      std::unique_ptr<OpenDevice> opened = std::make_unique<OpenDevice>();
      opened->device = need(runtime::cuda::Device::open(*driver, ordinal));
      opened->launcher = std::make_unique<RegionLauncher>(opened->device, options);
      opened->milliseconds = milliseconds_since(start);
      return opened;
    }));
  }
}

void Session::open(RunResult& result) {
  if (!opening_.empty()) {
    double longest = 0;
    for (std::future<std::unique_ptr<OpenDevice>>& opening : opening_) {
      devices_.push_back(opening.get());
      launchers_.push_back(devices_.back()->launcher.get());
      longest = std::max(longest, devices_.back()->milliseconds);
    }
    opening_.clear();
    result.times.emplace_back("device", longest);
  }
  result.tier = label();
}

std::string Session::label() const {
  if (devices_.size() == 1) return devices_[0]->device->label();
  return fmt::format("{} x {}", devices_.size(), devices_[0]->device->properties().name);
}

void Session::begin_compile(const ir::Module& module, const std::vector<std::uint32_t>& groups, Stack stack) {
  if (!regions_.empty() && groups_ == groups && stack_ == stack) return;
  groups_ = groups;
  stack_ = stack;
  DeviceText device_text = emit_device_text(module, groups, options_.steal, stack, options_.search);
  regions_ = std::move(device_text.regions);
  const std::string name = module.name.empty() ? "program" : std::string(module.name);
  compiling_.clear();
  for (const std::unique_ptr<OpenDevice>& device : devices_) {
    device->kernels.clear();
    device->modules.clear();
  }
  for (std::string& part : device_text.parts) compiling_.push_back(compile(std::move(part), name));
}

void Session::begin_compile_builder() {
  if (builder_ || compiling_builder_.valid()) return;
  compiling_builder_ = compile(graph_build_text(), "graph_build");
}

std::shared_future<Session::Images> Session::compile(std::string text, std::string name) const {
  runtime::cuda::CompileRequest request;
  request.source = std::move(text);
  request.name = fmt::format("{}.cu", name);
  request.options = compile_options();
  return std::async(std::launch::async, [request = std::move(request), archs = archs_, driver = driver_]() mutable {
    const runtime::cuda::Nvrtc* nvrtc = need(runtime::cuda::Nvrtc::open({"", driver->version() / 1000}));
    Images images;
    for (int arch : archs) {
      if (images.contains(arch)) continue;
      request.arch = arch;
      images[arch] = need(runtime::cuda::compile_cached(*nvrtc, runtime::cuda::KernelCache::standard(), request));
    }
    return images;
  });
}

const GraphBuilder& Session::graph_builder(RunResult& result) {
  if (!builder_) {
    const Clock::time_point start = Clock::now();
    builder_module_.emplace(
        need(runtime::cuda::Module::load(devices_[0]->device, compiling_builder_.get().at(archs_[0]).bytes)));
    builder_.emplace(*builder_module_);
    result.times.emplace_back("build_kernels", milliseconds_since(start));
  }
  return *builder_;
}

void Session::load(std::size_t region, RunResult& result) {
  for (const std::unique_ptr<OpenDevice>& device : devices_) {
    device->modules.resize(regions_.size());
    device->kernels.resize(regions_.size());
  }
  if (devices_.back()->kernels[region]) return;
  const Images& images = compiling_[region].get();
  report(images, result);
  const Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    OpenDevice& device = *devices_[i];
    device.modules[region] = need(runtime::cuda::Module::load(device.device, images.at(archs_[i]).bytes));
    device.kernels[region] = need(device.modules[region]->function("run_" + regions_[region].function));
  }
  result.times.emplace_back("module", milliseconds_since(start));
}

OpeningSession open_session(const CudaOptions& options) {
  return std::async(std::launch::async, [options]() -> std::unique_ptr<Session> {
    try {
      return std::make_unique<Session>(options);
    } catch (const interp::Trap&) {
      return nullptr;
    }
  });
}

}  // namespace matcha::codegen::gpu
