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

/// Roots whose trees are walked, on a device.
struct DeviceRoots {
  cuda::DeviceBuffer<std::uint32_t> vertices;  ///< Those with the most candidates first.
  std::vector<std::uint64_t> by_count;         ///< How many of them have so many candidates.
};

/// A kernel that walks trees, and what its groups need (engines/cliques/device/clique_data.h).
struct WalkKernel {
  cuda::Function function;
  std::uint32_t frame_sets = 0;
  std::uint64_t words_of_number = 0;
};

/// A graph as roots on a device, and what groups need that walk their trees. Of one thread at a time.
class DeviceTrees {
 public:
  /// Errors: Resource, also if a root has more candidates than a device walks; Runtime.
  static Result<std::unique_ptr<DeviceTrees>> make(Roots roots, const cuda::DeviceRef& device);

  const Roots& roots() const { return roots_; }
  /// All with a candidate; `by_count` has those without one too.
  const DeviceRoots& all() const { return all_; }
  cuda::Stream& stream() const { return *stream_; }
  const cuda::Device& device() const { return stream_->device(); }

  /// Sends the roots of a share, those with the most candidates first. Errors: Resource; Runtime.
  Result<DeviceRoots> send(const std::vector<std::uint32_t>& vertices) const;

  /// A launch that walks the trees of `roots` with at least `least` candidates and enough for cliques of a size, 0: of
  /// all sizes. It has everything but where leaves are counted. `bytes`: of its output. Errors: Resource; Runtime.
  Result<matcha_program::CliqueLaunch> prepare(const WalkKernel& kernel, const DeviceRoots& roots, std::uint32_t size,
                                               std::uint64_t least, std::uint64_t bytes);
  /// The output of a launch on the device, which is zeros at the start, and after it on the host.
  cuda::CuDevicePtr output() const;
  const std::byte* host_output() const;

  /// Walks the trees, and brings the output to the host. False: it was stopped. Errors: Runtime.
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
  match::KernelWish wish_;
  std::uint64_t launches_ = 0;
  DeviceRoots all_;
  cuda::DeviceBuffer<std::uint64_t> begin_;
  cuda::DeviceBuffer<std::uint32_t> near_;
  cuda::DeviceBuffer<matcha_program::CliqueTask> tasks_;
  cuda::DeviceMemory scratch_;
  cuda::DeviceMemory control_;  ///< The words shared by groups, nodes, and the output;
  cuda::PinnedMemory stage_;    ///< the same on the host.
};

}  // namespace matcha::runtime::cliques
