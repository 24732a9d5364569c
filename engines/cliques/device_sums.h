#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "engines/cliques/device_trees.h"
#include "engines/cliques/sum_counter.h"
#include "engines/cliques/sum_rows.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/result.h"

namespace matcha::runtime::cliques {

/// Counts of cliques at each vertex by pivot trees on a device that has a copy of the roots of a graph.
class DeviceSums {
 public:
  struct Code {
    cuda::DeviceRef device;
    cuda::Module module;
  };
  /// Gives the kernel of engines/cliques/device/clique_sum_kernels.h, for numbers of 128 bits if `wide`, else of 64, on
  /// the same device each time.
  using OpenCode = std::function<Result<Code>(bool wide)>;

  /// Arguments and errors: as `DeviceCliques::make`, and those of `open`.
  static Result<std::unique_ptr<DeviceSums>> make(const Graph& graph, std::uint32_t size, OpenCode open);

  /// Counts cliques at each vertex. `graph`: the same. Concurrent callers are serialized. Errors: as
  /// `count_cliques_at`, and Runtime when the kernel failed.
  Result<SumOutcome> count(const Graph& graph, const SumRequest& request);

  const cuda::Device& device() const { return trees_->device(); }

 private:
  struct Loaded {
    cuda::Module code;
    WalkKernel kernel;
  };

  explicit DeviceSums(OpenCode open) : open_(std::move(open)) {}

  Result<cuda::DeviceRef> load(bool wide);
  template <typename Number>
  Result<motif::End> walk(std::uint32_t size, const match::Stops& stops, SharedSums& sums);

  OpenCode open_;
  std::optional<Loaded> loaded_[2];  ///< For numbers of 64 and of 128 bits, loaded when they are needed.
  std::unique_ptr<DeviceTrees> trees_;
  std::mutex turn_;
  cuda::DeviceMemory table_;
};

}  // namespace matcha::runtime::cliques
