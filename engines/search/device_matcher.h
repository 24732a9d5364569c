#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engines/search/device_batch.h"
#include "engines/search/device_sides.h"
#include "engines/search/unit_kernels.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/graph_upload.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/result.h"

namespace matcha::runtime::match {

/// Matches labelled patterns on a device that has a copy of the graph.
class DeviceMatcher {
 public:
  /// `code`: the kernels of engines/search/device/match_kernels.h. Requires: the graph outlives it and has offsets (no
  /// hash index). Errors: Runtime, Resource.
  static Result<std::unique_ptr<DeviceMatcher>> make(const GraphView& graph, const cuda::DeviceRef& device,
                                                     cuda::Module code);

  struct Times {
    double filter_ms = 0, kernel_ms = 0;  ///< Total for all patterns: of filtering, and of the search.
  };
  /// Matches all patterns, in one launch if memory allows; concurrent callers are serialized. Requires: `problem_of` is
  /// empty for all; `index` is that of the graph. Errors: Resource when out of memory; Runtime when the kernel failed.
  Result<std::vector<DeviceBatch::Outcome>> run(MatchIndex& index, std::span<const DeviceBatch::Pattern> patterns,
                                                const Stops& stops, Times* maybe_times = nullptr);

  const cuda::Device& device() const { return stream_->device(); }

 private:
  DeviceMatcher(cuda::Stream stream, cuda::Module code, cuda::Function search, cuda::Function place,
                cuda::GraphUpload graph, std::uint64_t universe, unsigned most_blocks);

  struct Layout;
  std::uint64_t most_patterns(std::uint64_t free_bytes) const;
  Status reserve_groups(const DeviceBatch& batch, std::uint64_t& groups);
  Status send(const Layout& layout, const DeviceBatch& batch, std::span<const matcha_program::MatchSide> sides);
  Result<std::vector<DeviceBatch::Outcome>> launch(MatchIndex& index, const DeviceBatch& batch, const Stops& stops);

  std::unique_ptr<cuda::Stream> stream_;
  cuda::Module code_;
  cuda::Function search_;
  cuda::Function place_;
  cuda::GraphUpload graph_;
  DeviceSides sides_;
  std::uint64_t universe_;
  unsigned most_blocks_;
  std::mutex turn_;
  cuda::DeviceMemory control_;
  cuda::PinnedMemory control_stage_;
  cuda::DeviceMemory masks_;
  cuda::DeviceMemory undos_;
  cuda::DeviceMemory lists_;
  cuda::DeviceMemory leaves_;
  StopWord stop_word_;
  cuda::DeviceBuffer<matcha_program::MatchTask> tasks_;
  std::uint64_t number_ = 0;
};

}  // namespace matcha::runtime::match
