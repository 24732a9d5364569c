#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engines/cliques/counter.h"
#include "engines/cliques/device_cells.h"
#include "engines/cliques/device_trees.h"
#include "engines/search/unit_kernels.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/result.h"

namespace matcha::runtime::cliques {

/// Counts by pivot trees on a device, which keeps a copy of the roots of a graph from the first count on.
class DeviceCliques {
 public:
  /// `code`: the kernel of engines/cliques/device/clique_kernels.h. Errors: Runtime.
  static Result<std::unique_ptr<DeviceCliques>> make(const cuda::DeviceRef& device, cuda::Module code);

  /// Counts cliques of a size, 0: of all. `graph`: the same each time. The first size decides on the order of the
  /// roots. Concurrent callers are serialized. Errors: as `count_cliques`; Resource, also if a root has more candidates
  /// than a device walks; Runtime when the kernel failed.
  Result<CliqueOutcome> count(const Graph& graph, std::uint32_t size, const match::Stops& stops);

  /// Counts the trees of a share, as `DealtRoots::count`. Errors: as `count`.
  Result<CliqueOutcome> count_share(const Graph& graph, std::uint32_t size, std::uint64_t index, std::uint64_t shares,
                                    const match::Stops& stops);

  const cuda::Device& device() const { return *device_; }

 private:
  /// Roots in an order, and the cells of the last size.
  struct Counter {
    std::unique_ptr<DeviceTrees> trees;
    std::optional<DeviceCells> cells;
    cuda::DeviceMemory rows;
  };

  DeviceCliques(cuda::DeviceRef device, cuda::Module code, WalkKernel kernel)
      : device_(std::move(device)), code_(std::move(code)), kernel_(std::move(kernel)) {}

  /// By size from 0.
  Result<CliqueOutcome> count_roots(Counter& counter, const DeviceRoots& roots, std::uint32_t size,
                                    const match::Stops& stops) const;

  cuda::DeviceRef device_;
  cuda::Module code_;
  WalkKernel kernel_;
  std::mutex turn_;
  Counter whole_, dealt_;
};

}  // namespace matcha::runtime::cliques
