#pragma once

#include <memory>
#include <vector>

#include "codegen/cuda/host_values.h"
#include "runtime/cuda/graph_upload.h"
#include "runtime/graph/device_copies.h"

namespace matcha::codegen::gpu {

/// The arrays of a graph in DeviceCopies. `number`: for HubRows, the smallest number of neighbours of a hub; for
/// PinnedRows and SpreadGraph, the parts of rows that the programs sharing them read.
enum class CopyKind : int {
  Offsets,
  Neighbors,
  Vertices,
  Sources,
  Halves,
  EdgeInfo,
  Labels,
  OriginalIds,
  HubRows,
  Tiles,
  Ids,
  PinnedRows,
  SpreadGraph
};

/// A graph that stays on a device from run to run.
struct KeptGraph {
  runtime::GraphView view{};    ///< With addresses of the device.
  const void* owner = nullptr;  ///< The offsets on the host, which name the graph.
  std::vector<std::shared_ptr<const runtime::cuda::GraphUpload>> arrays;
  std::uint64_t copied = 0;  ///< Bytes of the arrays that were copied now.
};

/// The graph with the arrays that are `wanted`. Copies missing arrays and waits for them. Throws Trap.
KeptGraph keep_graph(const runtime::cuda::DeviceRef& device, runtime::DeviceCopies& copies, host::Graph& graph,
                     const runtime::cuda::UploadOptions& wanted);

}  // namespace matcha::codegen::gpu
