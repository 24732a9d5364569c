#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/analysis/facts.h"
#include "ir/nodes.h"
#include "runtime/abi.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"

namespace matcha::codegen::gpu {

/// The name of the kernel that makes the rows, in the text of every region that looks into them.
inline constexpr const char* kHubRowsKernel = "make_hub_rows";

/// The Graph parameters in whose lists of all neighbours a region looks for items: rows of bits of their vertices with
/// many neighbours save it searches (runtime/common/hub_rows.h). Halves of lists are left out: they are short where
/// they are walked often.
std::vector<const ir::Var*> searched_graphs(const ir::Facts& facts, const ir::Region& region);

/// Whether vertices with at least `least` neighbours have so many of the graph's arcs that rows of theirs are worth the
/// code for them, which takes registers. Never for a hash index.
bool worth_hub_rows(const runtime::GraphView& graph, std::uint64_t least);

/// Which vertices get rows.
struct HubPlan {
  std::uint64_t least = 0;  ///< Those with so many neighbours or more;
  std::uint64_t hubs = 0;   ///< their number;
  std::uint64_t words = 0;  ///< 64-bit words of a row.
};

/// A plan for vertices with at least `least` neighbours, or more of them, so that the rows take at most `budget` bytes;
/// nothing when no vertex has so many, or for a hash index.
std::optional<HubPlan> plan_hub_rows(const runtime::GraphView& graph, std::uint64_t least, std::uint64_t budget);

/// The rows of a graph on one device.
class DeviceHubRows {
 public:
  /// Makes them with the kernel and waits until they are there. `host`, `device`: the graph here and there. Nothing
  /// when no vertex gets one, which those with fewer than `least` neighbours do not. Throws Trap when a call fails.
  static std::optional<DeviceHubRows> make(const runtime::cuda::Stream& stream, const runtime::cuda::Function& kernel,
                                           const runtime::GraphView& host, const runtime::GraphView& device,
                                           std::uint64_t least);

  /// For `GraphView::hubs`; an address of the device.
  const runtime::HubRows* address() const { return reinterpret_cast<const runtime::HubRows*>(description_.address()); }

 private:
  runtime::cuda::DeviceMemory numbers_;
  runtime::cuda::DeviceMemory rows_;
  runtime::cuda::DeviceMemory description_;
};

}  // namespace matcha::codegen::gpu
