#pragma once

#include <string>
#include <vector>

#include "codegen/cuda/cuda.h"
#include "codegen/cuda/host_values.h"
#include "codegen/cuda/region_memory.h"
#include "codegen/cuda/region_plan.h"
#include "runtime/common/exact_sum.h"
#include "runtime/common/launch.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"

namespace matcha::codegen::gpu {

/// A region, ready to be launched.
struct RegionRequest {
  const ir::Region* region = nullptr;
  const runtime::cuda::Function* kernel = nullptr;
  std::uint32_t group = 1;
  Stack stack = Stack::Array;  ///< What the kernel is compiled for.
  std::uint64_t positions = 1;
  std::vector<std::uint8_t> frame;
  std::vector<BufferSpec> buffers;
  const std::int64_t* original_ids = nullptr;  ///< On the device.
  std::uint64_t universe = 0;
  const runtime::GraphView* dealt_graph = nullptr;  ///< On the device: by whose arcs the region may be dealt out.
};

/// What came of it; covers what was done until then unless `ending` is Complete.
struct RegionOutcome {
  std::vector<interp::Value> values;  ///< One a sink; unused for lists.
  std::vector<HostList> rows;         ///< One a sink; of list sinks.
  Ending ending = Ending::Complete;
  std::uint64_t positions = 0;
  std::uint64_t splits = 0;
  std::uint64_t groups = 0;
  std::uint64_t list_bytes = 0;  ///< Of their intermediate lists.
  double milliseconds = 0;       ///< Of the kernel.
  std::string note;
};

/// Launches regions on one device, one at a time.
class RegionLauncher {
 public:
  RegionLauncher(runtime::cuda::DeviceRef device, const CudaOptions& options);

  /// Throws Trap for an error of the program, the device or its memory.
  RegionOutcome run(const RegionRequest& request, const RunOptions& options);
  /// True when the region should be compiled for paged lists, because arrays for enough groups do not fit.
  bool wants_pages(const RegionRequest& request) const;
  const runtime::cuda::Stream& stream() const { return stream_; }

 private:
  /// Groups that the device holds at a time, or fewer when there is no work for all.
  std::uint64_t wanted_groups(const RegionRequest& request) const;
  ListMemory list_memory() const;
  matcha_program::Launch prepare(const RegionRequest& request, const RegionPlan& plan);
  matcha_program::Deal deal(const RegionRequest& request) const;
  void prepare_stealing(const RegionRequest& request, const RegionPlan& plan, matcha_program::Launch& launch);
  void prepare_lists(const RegionPlan& plan, matcha_program::Launch& launch);
  void prepare_sinks(const RegionRequest& request, const RegionPlan& plan, matcha_program::Launch& launch);
  void prepare_rows(const RegionRequest& request, matcha_program::Launch& launch);
  void start(const RegionRequest& request, const RegionPlan& plan, matcha_program::Launch& launch);
  /// Waits for the kernel, looking at the wish to stop meanwhile.
  Ending wait(const RegionRequest& request, const RunOptions& options);
  void check(const RegionRequest& request, const matcha_program::Shared& shared, RegionOutcome& outcome) const;
  void collect(const RegionRequest& request, const RegionPlan& plan, RegionOutcome& outcome);
  /// False when a row area was too small; the capacity is then what is needed.
  bool collect_rows(const RegionRequest& request, RegionOutcome& outcome);

  runtime::cuda::DeviceRef device_;
  CudaOptions options_;
  runtime::cuda::Stream stream_;
  runtime::cuda::Stream side_;  ///< For words that travel while a kernel runs.
  runtime::cuda::Event begin_;
  runtime::cuda::Event end_;
  runtime::cuda::PinnedBuffer<std::uint64_t> words_;  ///< [0]: what is written to `stop`; [1]: progress.
  RegionMemory memory_;
  runtime::cuda::CuDevicePtr shared_ = 0;
  std::uint64_t row_capacity_ = 0;
};

}  // namespace matcha::codegen::gpu
