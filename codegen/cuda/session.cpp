#include "codegen/cuda/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <utility>

#include "codegen/cuda/clock.h"
#include "codegen/cuda/hub_rows.h"
#include "codegen/cuda/stops.h"
#include "codegen/cuda/tiles.h"
#include "runtime/cuda/pci_devices.h"

namespace matcha::codegen::gpu {

namespace {

std::vector<int> numbers_from(int first, int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

/// Numbers of the devices that a program runs on.
std::vector<int> ordinals(const runtime::cuda::Driver& driver, const CudaOptions& options) {
  int count = need(runtime::cuda::device_count(driver));
  if (options.device >= count && count != 0) {
    fail(runtime::ErrorKind::Runtime,
         fmt::format("--first-gpu {} is none of the {} GPUs that the driver finds", options.device, count),
         "they are numbered from 0 on; CUDA_VISIBLE_DEVICES hides some");
  }
  if (options.turn != 0 && options.gpus != 0 && count != 0) {
    const int each = static_cast<int>(std::min<std::uint32_t>(options.gpus, static_cast<std::uint32_t>(count)));
    return numbers_from(options.turn % (count / each) * each, each);
  }
  const int there = count - options.device;
  int wanted = options.gpus == 0 ? std::max(there, 1) : static_cast<int>(options.gpus);
  if (wanted > there && options.gpus > 1) {
    fail(runtime::ErrorKind::Runtime,
         fmt::format("--gpus {} asks for more GPUs than the {} that the driver finds{}", wanted, there,
                     options.device == 0 ? "" : fmt::format(" from number {} on", options.device)),
         "`--gpus all` takes those there are; CUDA_VISIBLE_DEVICES hides some");
  }
  return numbers_from(options.device, wanted);
}

/// Reports the compile times of a region's kernels, and notes about them.
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

/// A key for the devices that a process finds when it asks for those of `options`.
std::string places_of(const CudaOptions& options) {
  std::string places = fmt::format("devices {} {} {}", options.device, options.gpus, options.turn);
  char host[256] = "";
  if (::gethostname(host, sizeof(host) - 1) == 0) places += fmt::format(" {}", host);
  for (const char* variable : {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "MATCHA_LIBCUDA"}) {
    const char* value = std::getenv(variable);
    places += fmt::format(" {}", value != nullptr ? value : "");
  }
  return places;
}

std::string text_of(const Target& target) {
  return fmt::format("{} {}\n", target.cuda_major, fmt::join(target.archs, " "));
}

/// The devices that the last process found here; else those that the kernel driver lists, unless their number differs.
std::optional<Target> likely_target(const CudaOptions& options) {
  if (const std::optional<std::string> note =
          runtime::cuda::KernelCache(options.code_folder).note(places_of(options))) {
    Target target;
    std::istringstream words(*note);
    words >> target.cuda_major;
    for (int arch = 0; words >> arch;) target.archs.push_back(arch);
    if (text_of(target) == *note && !target.archs.empty()) return target;
  }
  if (std::getenv("MATCHA_LIBCUDA") != nullptr) return std::nullopt;
  const std::optional<runtime::cuda::PciGuess> guess = runtime::cuda::guess_devices();
  if (!guess) return std::nullopt;
  return Target{guess->cuda_major, {guess->arch}};
}

/// Compiles for the architectures of all devices, in the background.
std::shared_future<Images> compile(const Target& target, const std::string& code_folder, std::string text,
                                   std::string_view name, bool starts_kernels = false) {
  runtime::cuda::CompileRequest request;
  request.source = std::move(text);
  request.name = fmt::format("{}.cu", name);
  request.options = compile_options(starts_kernels);
  return std::async(std::launch::async, [request = std::move(request), target, code_folder]() mutable {
    const runtime::cuda::Nvrtc* nvrtc = need(runtime::cuda::Nvrtc::open({"", target.cuda_major}));
    const runtime::cuda::KernelCache cache(code_folder);
    Images images;
    for (int arch : target.archs) {
      if (images.contains(arch)) continue;
      request.arch = arch;
      images[arch] = need(runtime::cuda::compile_cached(*nvrtc, cache, request));
    }
    return images;
  });
}

/// Compiles the parts in parallel.
PendingKernels compile_regions(const Target& target, const std::string& code_folder, const ir::Module& module,
                               DeviceText text) {
  PendingKernels compiling{target, std::move(text), {}};
  const std::string_view name = module.name.empty() ? "program" : std::string_view(module.name);
  for (std::string& part : compiling.text.parts) {
    compiling.kernels.push_back(compile(target, code_folder, std::move(part), name, starts_kernels(module)));
  }
  compiling.text.parts.clear();
  return compiling;
}

}  // namespace

bool Target::covers(const Target& other) const {
  return cuda_major == other.cuda_major &&
         std::ranges::all_of(other.archs, [&](int arch) { return std::ranges::count(archs, arch) != 0; });
}

PendingKernels compile_early(const ir::Module& module, const CudaOptions& options) {
  const std::optional<Target> target = likely_target(options);
  if (!target) return {};
  return compile_regions(
      *target, options.code_folder, module,
      emit_device_text(module, options.search, options.hubs != 0, options.query, options.graph_bytes != 0));
}

Session::Session(const CudaOptions& options) : options_(options), driver_(need(runtime::cuda::Driver::open())) {
  for (int ordinal : ordinals(*driver_, options_)) {
    target_.archs.push_back(need(runtime::cuda::device_properties(*driver_, ordinal)).arch);
    opening_.push_back(std::async(std::launch::async, [ordinal, driver = driver_, options = options_] {
      const Clock::time_point start = Clock::now();
      std::unique_ptr<OpenDevice> opened = std::make_unique<OpenDevice>();
      opened->device = need(runtime::cuda::Device::open(*driver, ordinal));
      opened->launcher = std::make_unique<RegionLauncher>(opened->device, options);
      opened->milliseconds = milliseconds_since(start);
      return opened;
    }));
  }
  target_.cuda_major = driver_->version() / 1000;
  const runtime::cuda::KernelCache cache(options_.code_folder);
  const std::string places = places_of(options_);
  if (cache.note(places) != text_of(target_)) cache.keep_note(places, text_of(target_));
}

void Session::open(RunResult& result, const RunOptions& run) {
  if (!opening_.empty()) {
    for (const std::future<std::unique_ptr<OpenDevice>>& opening : opening_) wait_for(opening, run);
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

void Session::begin_compile(const ir::Module& module, bool hubs, PendingKernels early) {
  const ir::Stack stack = schedule_of(module).stack;
  if (compiles() && stack_ == stack) return;
  stack_ = stack;
  hubs_ = hubs;
  for (const std::unique_ptr<OpenDevice>& device : devices_) {
    device->kernels.clear();
  }
  if (early.target.covers(target_)) {
    compiling_ = std::move(early);
  } else {
    discarded_ = std::move(early);
    compiling_ =
        compile_regions(target_, options_.code_folder, module,
                        emit_device_text(module, options_.search, hubs, options_.query, options_.graph_bytes != 0));
  }
}

void Session::begin_compile_builder() {
  if (builder_ || compiling_builder_.valid()) return;
  compiling_builder_ = compile(target_, options_.code_folder, graph_build_text(), "graph_build");
}

const GraphBuilder& Session::graph_builder(RunResult& result, const RunOptions& run) {
  if (!builder_) {
    wait_for(compiling_builder_, run);
    const Clock::time_point start = Clock::now();
    builder_module_.emplace(
        need(runtime::cuda::Module::load(devices_[0]->device, compiling_builder_.get().at(target_.archs[0]).bytes)));
    builder_.emplace(*builder_module_);
    result.times.emplace_back("build_kernels", milliseconds_since(start));
  }
  return *builder_;
}

runtime::cuda::Module Session::load_image(const runtime::cuda::DeviceRef& device, std::size_t region,
                                          const runtime::cuda::KernelImage& image) const {
  if (regions()[region].region->schedule.steal != ir::Stealing::Kernel) {
    return need(runtime::cuda::Module::load(device, image.bytes));
  }
  const runtime::cuda::Nvrtc* nvrtc = need(runtime::cuda::Nvrtc::open({"", target_.cuda_major}));
  return need(runtime::cuda::Module::link(device, image, need(nvrtc->device_runtime())));
}

void Session::load(std::size_t region, RunResult& result, const RunOptions& run) {
  for (const std::unique_ptr<OpenDevice>& device : devices_) {
    device->kernels.resize(regions().size());
  }
  if (devices_.back()->kernels[region]) return;
  wait_for(compiling_.kernels[region], run);
  const Images& images = compiling_.kernels[region].get();
  report(images, result);
  const Clock::time_point start = Clock::now();
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    OpenDevice& device = *devices_[i];
    RegionKernels kernels{load_image(device.device, region, images.at(target_.archs[i])), {}, {}, {}, 0};
    kernels.run = need(kernels.module.function("run_" + regions()[region].function));
    kernels.blocks = need(kernels.run.blocks_per_multiprocessor(kBlockThreads));
    if (!hub_graphs(region).empty()) kernels.hubs = need(kernels.module.function(kHubRowsKernel));
    if (regions()[region].dealt_graph != nullptr) kernels.tiles = need(kernels.module.function(kTilesKernel));
    device.kernels[region] = std::move(kernels);
  }
  result.times.emplace_back("module", milliseconds_since(start));
}

OpeningSession open_session(const CudaOptions& options) {
  return std::async(std::launch::async, [options]() -> std::unique_ptr<Session> {
    try {
      return std::make_unique<Session>(options);
    } catch (const host::Trap&) {
      return nullptr;
    }
  });
}

}  // namespace matcha::codegen::gpu
