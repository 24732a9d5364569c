#include "session/engines/gpu_matcher.h"

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
  GpuCode gpu = MATCHA_TRY(open_gpu_code(codegen::gpu::match_text(), "match_search.cu", code_folder));
  std::unique_ptr<DeviceMatcher> made = MATCHA_TRY(DeviceMatcher::make(graph, gpu.device, std::move(gpu.code)));
  return SharedMatcher(std::move(made));
}

}  // namespace

runtime::Result<GpuCode> open_gpu_code(const std::string& text, const std::string& name, const std::string& code_folder,
                                       int number) {
  const cuda::Driver* const driver = MATCHA_TRY(cuda::Driver::open());
  const cuda::DeviceRef device = MATCHA_TRY(cuda::Device::open(*driver, number));
  const cuda::Nvrtc* const nvrtc = MATCHA_TRY(cuda::Nvrtc::open({"", driver->version() / 1000}));
  cuda::CompileRequest request;
  request.source = text;
  request.name = name;
  request.options = codegen::gpu::compile_options();
  request.arch = device->properties().arch;
  const cuda::KernelImage image = MATCHA_TRY(cuda::compile_cached(*nvrtc, cuda::KernelCache(code_folder), request));
  cuda::Module code = MATCHA_TRY(cuda::Module::load(device, image.bytes));
  return GpuCode{device, std::move(code)};
}

runtime::Result<std::vector<GpuCode>> open_gpu_codes(const std::string& text, const std::string& name,
                                                     const std::string& code_folder, std::uint32_t gpus,
                                                     std::uint32_t turn) {
  const cuda::Driver* const driver = MATCHA_TRY(cuda::Driver::open());
  const int there = MATCHA_TRY(cuda::device_count(*driver));
  const std::uint32_t found = static_cast<std::uint32_t>(std::max(there, 0));
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
    GpuCode code = MATCHA_TRY(open_gpu_code(text, name, code_folder, static_cast<int>(first + i)));
    codes.push_back(std::move(code));
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
