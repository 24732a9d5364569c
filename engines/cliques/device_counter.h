#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engines/cliques/counter.h"
#include "engines/cliques/device/clique_data.h"
#include "engines/cliques/device_cells.h"
#include "engines/search/unit_kernels.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/result.h"

namespace matcha::runtime::cliques {

/// Pivot trees on a device that has a copy of the roots of a graph.
class DeviceCliques {
 public:
  /// `code`: the kernel of engines/cliques/device/clique_kernels.h. `size`: of the cliques that are counted first, 0:
  /// of all sizes; the order of the roots depends on it. Requires: `graph` as in `count_cliques`. Errors: Resource,
  /// also if a root has more candidates than a device walks; Runtime.
  static Result<std::unique_ptr<DeviceCliques>> make(const Graph& graph, std::uint32_t size,
                                                     const cuda::DeviceRef& device, cuda::Module code);

  /// Counts cliques of a size, 0: of all. `graph`: the same. Concurrent callers are serialized. Errors: as
  /// `count_cliques`, and Runtime when the kernel failed.
  Result<CliqueOutcome> count(const Graph& graph, std::uint32_t size, const match::Stops& stops);

  const cuda::Device& device() const { return stream_->device(); }

 private:
  DeviceCliques(Roots roots, cuda::Stream stream, cuda::Module code, cuda::Function kernel)
      : roots_(std::move(roots)),
        by_count_(roots_.by_count()),
        stream_(std::make_unique<cuda::Stream>(std::move(stream))),
        code_(std::move(code)),
        kernel_(std::move(kernel)) {}

  Status send_roots();
  Status reserve_groups();
  Status reserve_cells(std::uint32_t size);
  matcha_program::CliqueLaunch launch_of(std::uint32_t size);
  Result<bool> walk(std::uint32_t size, const match::Stops& stops);

  Roots roots_;
  std::vector<std::uint64_t> by_count_;  ///< Roots by their candidates.
  std::unique_ptr<cuda::Stream> stream_;
  cuda::Module code_;
  cuda::Function kernel_;
  std::mutex turn_;
  match::KernelWish wish_;
  std::uint64_t groups_ = 0;
  std::uint64_t launches_ = 0;
  std::optional<DeviceCells> cells_;
  cuda::DeviceBuffer<std::uint64_t> begin_;
  cuda::DeviceBuffer<std::uint32_t> near_, order_;
  cuda::DeviceBuffer<matcha_program::CliqueTask> tasks_;
  cuda::DeviceMemory scratch_, rows_;
  cuda::DeviceMemory control_;  ///< The words shared by groups, nodes, and cells;
  cuda::PinnedMemory stage_;    ///< the same on the host.
};

}  // namespace matcha::runtime::cliques
