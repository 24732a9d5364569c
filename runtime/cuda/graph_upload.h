#pragma once

#include <cstdint>
#include <memory>

#include "runtime/abi.h"
#include "runtime/cuda/device.h"
#include "runtime/result.h"

namespace matcha::runtime::cuda {

/// How a graph gets onto a device.
struct UploadOptions {
  /// Through pinned chunks that several threads fill, so that a mapped file is read while the last chunk travels.
  /// False: the driver copies from the graph's own memory.
  bool staged = true;
  std::uint64_t chunk_bytes = std::uint64_t{16} << 20;
  /// Memory of the device that must stay free for the stacks, queues and results of the run.
  std::uint64_t reserve_bytes = 0;
  /// Arrays that the program does not read can stay behind; their pointers are then null on the device.
  bool arcs = true;  ///< The neighbours themselves; with `offsets`, where they lie.
  bool vertices = true;
  bool sources = true;
  bool halves = true;
  bool edge_info = true;
  bool labels = true;
  bool original_ids = true;
  bool offsets = true;  ///< Or hash slots.
};

/// A copy of a graph on a device, made in the background: kernels can be compiled meanwhile.
class GraphUpload {
 public:
  /// Checks that the graph fits, takes the memory and starts the copy. The arrays of `graph` must stay until `wait` has
  /// returned. Errors: Resource, with the sizes, when it does not fit.
  static Result<GraphUpload> start(const DeviceRef& device, const GraphView& graph, const UploadOptions& options = {});
  /// Stops a copy that is still going on.
  ~GraphUpload();
  GraphUpload(GraphUpload&&) noexcept;
  GraphUpload& operator=(GraphUpload&&) noexcept;

  /// The graph with addresses of the device, to be handed to kernels; valid while this object lives, and filled once
  /// `wait` has succeeded.
  const GraphView& view() const;
  /// What it takes on the device.
  std::uint64_t bytes() const;
  /// Waits until the copy is complete. Errors: what went wrong in it; the same at every call.
  Status wait();

 private:
  struct State;
  explicit GraphUpload(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace matcha::runtime::cuda
