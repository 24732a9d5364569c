#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engines/search/match_batch.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/module.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"
#include "session/engines/pattern_matcher.h"

namespace matcha::session {

/// Code that is the same for all programs, on a GPU.
struct GpuCode {
  runtime::cuda::DeviceRef device;
  runtime::cuda::Module code;
};
/// Opens a GPU, by the driver's number, and compiles a text for it, or takes it from a folder. `code_folder`: where
/// compiled kernels are kept; empty: nowhere. Errors: Runtime where it cannot be used; Resource.
runtime::Result<GpuCode> open_gpu_code(const std::string& text, const std::string& name, const std::string& code_folder,
                                       int number = 0);
/// The same on this many GPUs, from the first one on; 0: on all, and at least one. Errors: Runtime if there are fewer.
/// `turn`: the number of this process, if several processes take this many GPUs each.
runtime::Result<std::vector<GpuCode>> open_gpu_codes(const std::string& text, const std::string& name,
                                                     const std::string& code_folder, std::uint32_t gpus,
                                                     std::uint32_t turn = 0);

/// A batch of patterns that the first GPU matches together on one graph. The first pattern opens the GPU, which keeps a
/// copy of a graph in memory. The graph's arrays must outlive the batch.
std::shared_ptr<codegen::MatchBatch> gpu_batch(const runtime::Graph& graph, const std::string& code_folder);

/// Whether a GPU can match a task; it only counts. `most`: the number of matches after which to stop.
bool fits_gpu(const codegen::MatchTask& task, std::optional<std::uint64_t> most);

/// Puts a task that fits into a batch. `most`: the number of matches after which to stop. `ms_before`: milliseconds
/// that a CPU may search first; 0: it does not search.
void use_gpu(codegen::MatchTask& task, const std::shared_ptr<codegen::MatchBatch>& batch,
             std::optional<std::uint64_t> most, double ms_before);

}  // namespace matcha::session
