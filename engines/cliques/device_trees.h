#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engines/cliques/device/clique_data.h"
#include "engines/cliques/roots.h"
#include "engines/search/unit_kernels.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/result.h"

namespace matcha::runtime::cliques {

/// Roots in memory of a device.
struct DeviceRoots {
  cuda::DeviceBuffer<std::uint32_t> vertices;  ///< The roots with the most candidates first.
  std::vector<std::uint64_t> by_count;         ///< Item d is the number of these roots with d candidates.
};

/// A kernel that walks trees, and the sizes of its groups' memory (engines/cliques/device/clique_data.h).
struct WalkKernel {
  cuda::Function function;
  std::uint32_t frame_sets = 0;
  std::uint64_t words_of_number = 0;
};

/// A graph as roots on a device, and memory for the groups that walk their trees. Not thread-safe.
class DeviceTrees {
 public:
  /// Errors: Resource, also if a root has more candidates than a device walks; Runtime.
  static Result<std::unique_ptr<DeviceTrees>> make(Roots roots, const cuda::DeviceRef& device);

  const Roots& roots() const { return roots_; }
  /// All roots with a candidate. Their `by_count` also counts the roots without one.
  const DeviceRoots& all() const { return all_; }
  cuda::Stream& stream() const { return *stream_; }
  const cuda::Device& device() const { return stream_->device(); }

  /// Sends the roots of a share, those with the most candidates first. Errors: Resource; Runtime.
  Result<DeviceRoots> send(const std::vector<std::uint32_t>& vertices) const;

  /// A launch that walks the trees of the `roots` with at least `least` candidates, and enough for cliques of `size`
  /// vertices (0: all sizes). The caller sets the fields for the counts of leaves. `bytes`: the size of its output.
  /// Errors: Resource; Runtime.
  Result<matcha_program::CliqueLaunch> prepare(const WalkKernel& kernel, const DeviceRoots& roots, std::uint32_t size,
                                               std::uint64_t least, std::uint64_t bytes);
  /// The output of a launch: on the device, zeros before the launch; on the host, valid after `walk`.
  cuda::CuDevicePtr output() const;
  const std::byte* host_output() const;

  /// Walks the trees and copies the output, `bytes` bytes, to the host. False: a stop ended it. Errors: Runtime.
  Result<bool> walk(const WalkKernel& kernel, const matcha_program::CliqueLaunch& launch, std::uint64_t bytes,
                    const match::Stops& stops);
  /// Sets that the last walk branched.
  std::uint64_t nodes() const;

 private:
  DeviceTrees(Roots roots, cuda::Stream stream)
      : roots_(std::move(roots)), stream_(std::make_unique<cuda::Stream>(std::move(stream))) {}

  Status send_roots();
  Result<std::uint64_t> reserve_groups(const WalkKernel& kernel, std::uint64_t words);

  Roots roots_;
  std::unique_ptr<cuda::Stream> stream_;
  match::StopWord stop_word_;
  std::uint64_t launches_ = 0;
  DeviceRoots all_;
  cuda::DeviceBuffer<std::uint64_t> begin_;
  cuda::DeviceBuffer<std::uint32_t> near_;
  cuda::DeviceBuffer<matcha_program::CliqueTask> tasks_;
  cuda::DeviceMemory scratch_;
  cuda::DeviceMemory control_;  ///< The words that groups share, the number of nodes, and the output.
  cuda::PinnedMemory stage_;    ///< Its copy on the host.
};

}  // namespace matcha::runtime::cliques
