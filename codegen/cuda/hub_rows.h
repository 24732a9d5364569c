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

/// Name of the kernel that makes the rows; it is in the text of every region that reads them.
inline constexpr const char* kHubRowsKernel = "make_hub_rows";

/// The Graph parameters whose full lists of neighbours a region searches: rows of bits of their vertices with many
/// neighbours replace these searches (runtime/common/hub_rows.h). Halves of lists are excluded: they are short in the
/// loops that walk them often.
std::vector<const ir::Var*> searched_graphs(const ir::Facts& facts, const ir::Region& region);

/// True if vertices with at least `least` neighbours have a large enough share of the arcs to be worth the code for
/// rows, which takes registers. False for a hash index.
bool worth_hub_rows(const runtime::GraphView& graph, std::uint64_t least);

/// The vertices that get rows.
struct HubPlan {
  std::uint64_t least = 0;  ///< Their smallest number of neighbours.
  std::uint64_t hubs = 0;   ///< Their number.
  std::uint64_t words = 0;  ///< 64-bit words of a row.
};

/// A plan for vertices with at least `least` neighbours, or with more if the rows would take more than `budget` bytes.
/// Empty if no vertex has that many, or for a hash index.
std::optional<HubPlan> plan_hub_rows(const runtime::GraphView& graph, std::uint64_t least, std::uint64_t budget);

/// The rows of a graph on one device.
class DeviceHubRows {
 public:
  /// Makes the rows with the kernel and waits for it. `host`, `device`: the graph on each side. Empty if no vertex gets
  /// a row, as those with fewer than `least` neighbours do not. Throws Trap if a call fails.
  static std::optional<DeviceHubRows> make(const runtime::cuda::Stream& stream, const runtime::cuda::Function& kernel,
                                           const runtime::GraphView& host, const runtime::GraphView& device,
                                           std::uint64_t least);

  /// The device address for `GraphView::hubs`.
  const runtime::HubRows* address() const { return reinterpret_cast<const runtime::HubRows*>(description_.address()); }

 private:
  runtime::cuda::DeviceMemory numbers_;
  runtime::cuda::DeviceMemory rows_;
  runtime::cuda::DeviceMemory description_;
};

}  // namespace matcha::codegen::gpu
