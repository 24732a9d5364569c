#pragma once

#include <map>
#include <span>
#include <vector>

#include "engines/search/device/match_data.h"
#include "engines/search/match_index.h"
#include "engines/search/query.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/memory.h"
#include "runtime/result.h"

namespace matcha::runtime::match {

/// The neighbours of a side in the form of kernels, with host addresses.
matcha_program::MatchSide side_on_host(const Neighbors& neighbors);

/// The neighbours of each vertex along sides, cached on a device.
class DeviceSides {
 public:
  /// Copies the sides that are not on the device, in order with the stream's work. `graph`: that of the index, on the
  /// device. Errors: Resource, Runtime.
  Result<std::vector<matcha_program::MatchSide>> of(std::span<const Side> sides, MatchIndex& index,
                                                    const GraphView& graph, const cuda::Stream& stream);

 private:
  struct Kept {
    const void* from = nullptr;  ///< The items on the host.
    matcha_program::MatchSide side{};
    cuda::DeviceMemory memory;
  };
  static Result<Kept> copied(const Neighbors& neighbors, std::uint64_t universe, const cuda::Stream& stream);

  std::map<Side, Kept> kept_;
};

}  // namespace matcha::runtime::match
