#include "session/gpu_matcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/cuda/device_text.h"
#include "engines/search/device_matcher.h"
#include "engines/search/match_text.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/kernel_cache.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/graph/device_copies.h"

namespace matcha::session {

namespace cuda = runtime::cuda;
using runtime::match::DeviceBatch;
using runtime::match::DeviceMatcher;

namespace {

/// Among the kinds of copies of a graph (codegen/cuda/kept_graph.h), that of a matcher.
constexpr int kKeptMatcher = 64;
/// Of a subgraph, that are counted one by one or by their leaves, and divided.
constexpr unsigned kMostMaps = 5040;

using SharedMatcher = std::shared_ptr<DeviceMatcher>;

runtime::Result<SharedMatcher> open_matcher(const runtime::GraphView& graph, const std::string& code_folder) {
  runtime::Result<GpuCode> gpu = open_gpu_code(codegen::gpu::match_text(), "match_search.cu", code_folder);
  if (!gpu) return gpu.error();
  runtime::Result<std::unique_ptr<DeviceMatcher>> made = DeviceMatcher::make(graph, gpu->device, std::move(gpu->code));
  if (!made) return made.error();
  return SharedMatcher(std::move(*made));
}

}  // namespace

runtime::Result<GpuCode> open_gpu_code(const std::string& text, const std::string& name, const std::string& code_folder,
                                       int number) {
  const runtime::Result<const cuda::Driver*> driver = cuda::Driver::open();
  if (!driver) return driver.error();
  const runtime::Result<cuda::DeviceRef> device = cuda::Device::open(**driver, number);
  if (!device) return device.error();
  const runtime::Result<const cuda::Nvrtc*> nvrtc = cuda::Nvrtc::open({"", (*driver)->version() / 1000});
  if (!nvrtc) return nvrtc.error();
  cuda::CompileRequest request;
  request.source = text;
  request.name = name;
  request.options = codegen::gpu::compile_options();
  request.arch = (*device)->properties().arch;
  const runtime::Result<cuda::KernelImage> image =
      cuda::compile_cached(**nvrtc, cuda::KernelCache(code_folder), request);
  if (!image) return image.error();
  runtime::Result<cuda::Module> code = cuda::Module::load(*device, image->bytes);
  if (!code) return code.error();
  return GpuCode{*device, std::move(*code)};
}

runtime::Result<std::vector<GpuCode>> open_gpu_codes(const std::string& text, const std::string& name,
                                                     const std::string& code_folder, std::uint32_t gpus,
                                                     std::uint32_t turn) {
  const runtime::Result<const cuda::Driver*> driver = cuda::Driver::open();
  if (!driver) return driver.error();
  const runtime::Result<int> there = cuda::device_count(**driver);
  if (!there) return there.error();
  const std::uint32_t found = static_cast<std::uint32_t>(std::max(*there, 0));
  if (gpus > 1 && gpus > found) {
    runtime::Error error;
    error.kind = runtime::ErrorKind::Runtime;
    error.message = fmt::format("--gpus {} asks for more GPUs than the {} that the driver finds", gpus, found);
    error.hint = "`--gpus all` takes those there are; CUDA_VISIBLE_DEVICES hides some";
    return error;
  }
  std::vector<GpuCode> codes;
  const std::uint32_t each = std::max(gpus == 0 ? found : gpus, 1U);
  const std::uint32_t first = turn % std::max(found / each, 1U) * each;
  for (std::uint32_t i = 0; i < each; ++i) {
    runtime::Result<GpuCode> code = open_gpu_code(text, name, code_folder, static_cast<int>(first + i));
    if (!code) return code.error();
    codes.push_back(std::move(*code));
  }
  return codes;
}

std::shared_ptr<codegen::MatchBatch> gpu_batch(const runtime::Graph& graph, const std::string& code_folder) {
  const std::shared_ptr<runtime::DeviceCopies> copies = graph.device_copies();
  const auto open = [view = graph.view(), copies, code_folder]() -> runtime::Result<SharedMatcher> {
    if (copies == nullptr) return open_matcher(view, code_folder);
    try {
      return copies->get<DeviceMatcher>({view.offsets, 0, kKeptMatcher, 0}, [&] {
        runtime::Result<SharedMatcher> made = open_matcher(view, code_folder);
        if (!made) throw made.error();
        return std::move(*made);
      });
    } catch (const runtime::Error& error) {
      return error;
    }
  };
  return std::make_shared<codegen::MatchBatch>(open);
}

bool fits_gpu(const codegen::MatchTask& task, std::optional<std::uint64_t> most) {
  // A device enumerates all maps of a subgraph.
  const bool tells = task.divisor <= kMostMaps && (!most || codegen::maps_for(*most, task.divisor));
  return !task.rows && tells && DeviceBatch::problem_of(task.query).empty();
}

void use_gpu(codegen::MatchTask& task, const std::shared_ptr<codegen::MatchBatch>& batch,
             std::optional<std::uint64_t> most, double ms_before) {
  task.maybe_batch = batch;
  task.ms_before = ms_before;
  if (most) most = codegen::maps_for(*most, task.divisor);
  task.number = batch->add(task.query, most);
}

}  // namespace matcha::session
