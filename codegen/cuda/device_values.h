#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/cuda/frame_layout.h"
#include "codegen/cuda/graph_build.h"
#include "codegen/cuda/host_values.h"
#include "codegen/cuda/hub_rows.h"
#include "codegen/cuda/kept_graph.h"
#include "codegen/cuda/spread_graph.h"
#include "codegen/cuda/tiles.h"
#include "runtime/cuda/graph_upload.h"
#include "runtime/cuda/memory.h"

namespace matcha::codegen::gpu {

/// The top-level values of a run on one device: the values read by regions, each copied once. Graphs kept in memory are
/// copied once for all runs.
class DeviceValues {
 public:
  /// Copies go through `stream`, before the kernels that are launched in it.
  explicit DeviceValues(const runtime::cuda::Stream& stream) : stream_(stream) {}

  /// Starts the copy of a graph, unless the device has kept it.
  void upload(const ir::Var* var, host::Graph& graph, const runtime::cuda::UploadOptions& wanted);
  /// Keeps at most `bytes` bytes of a graph resident on the device: the rows of `near`, or, if that is empty, the rows
  /// read most often (SpreadGraph). `rows`: the part of each row that is read, if arcs are wanted.
  void spread(const ir::Var* var, host::Graph& graph, const runtime::cuda::UploadOptions& wanted, RowsRead rows,
              std::uint64_t most, std::span<const runtime::PositionRange> near);
  /// Takes a graph that was built on the device.
  void adopt(const ir::Var* var, DeviceGraph graph);
  /// Bytes copied to the device so far.
  std::uint64_t uploaded() const { return uploaded_; }
  /// Copies bytes to the device and keeps them as long as this object.
  const void* keep(const void* bytes, std::uint64_t count) { return upload_bytes(bytes, count); }
  /// The graph on the device, once its copy is there; null: it was not uploaded.
  const runtime::GraphView* graph(const ir::Var* var);
  /// Makes the rows of hubs of an uploaded graph for vertices with at least that many neighbours; later frames point to
  /// them. Does nothing if it was tried before.
  void make_hub_rows(const ir::Var* var, const host::Graph& graph, const runtime::cuda::Function& kernel,
                     std::uint64_t least);
  /// The starts of the tiles of a graph on the device.
  DeviceTiles& tiles(const ir::Var* var);
  /// Ids of ranks on the device; they are copied at the first call.
  const std::int64_t* ids(const runtime::Universe& universe);
  /// The frame of a region that reads `wanted`; other members are 0.
  std::vector<std::uint8_t> frame(const FrameLayout& layout, const std::unordered_set<const ir::Var*>& wanted,
                                  const HostValues& values);

 private:
  using DeviceMemory = runtime::cuda::DeviceMemory;

  runtime::DeviceCopies::Key key(const void* arrays, CopyKind what, std::uint64_t number = 0) const;
  const void* upload_bytes(const void* bytes, std::uint64_t count);
  const std::vector<const void*>& columns(const ir::Var* var, const host::List& list);

  const runtime::cuda::Stream& stream_;
  std::unordered_map<const ir::Var*, runtime::cuda::GraphUpload> graphs_;
  std::unordered_map<const ir::Var*, KeptGraph> kept_;
  std::unordered_map<const ir::Var*, runtime::DeviceCopies*> copies_;  ///< For graphs that are kept from run to run.
  std::unordered_map<const ir::Var*, std::shared_ptr<SpreadGraph>> spread_;
  std::unordered_map<const ir::Var*, DeviceGraph> built_;
  std::unordered_map<const ir::Var*, std::shared_ptr<std::optional<DeviceHubRows>>> hubs_;
  std::unordered_map<const ir::Var*, std::shared_ptr<DeviceTiles>> tiles_;
  std::unordered_map<const ir::Var*, std::vector<const void*>> columns_;
  std::vector<runtime::cuda::DeviceMemory> arrays_;
  std::uint64_t uploaded_ = 0;
  const std::int64_t* ids_ = nullptr;
  std::shared_ptr<DeviceMemory> kept_ids_;
  runtime::DeviceCopies* universe_copies_ = nullptr;  ///< The copies of the graph that keeps the universe of the run.
};

}  // namespace matcha::codegen::gpu
