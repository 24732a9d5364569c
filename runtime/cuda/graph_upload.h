#pragma once

#include <cstdint>
#include <memory>

#include "runtime/abi.h"
#include "runtime/cuda/device.h"
#include "runtime/result.h"

namespace matcha::runtime::cuda {

/// How a graph is copied to a device.
struct UploadOptions {
  /// The size of the pinned chunks that several threads fill, so that reading a mapped file overlaps the transfer.
  std::uint64_t chunk_bytes = std::uint64_t{16} << 20;
  /// Arrays that the program does not read can be omitted; their pointers are then null on the device.
  bool arcs = true;  ///< The neighbours and, with `offsets`, their positions.
  bool vertices = true;
  bool sources = true;
  bool halves = true;
  bool edge_info = true;
  bool labels = true;
  bool original_ids = true;
  bool offsets = true;  ///< Or hash slots.
};

/// A copy of a graph on a device, made in the background: kernels can be compiled during the copy.
class GraphUpload {
 public:
  /// Checks that the graph fits, allocates the memory and starts the copy. The arrays of `graph` must live until `wait`
  /// has returned. Errors: Resource, with the sizes, when it does not fit.
  static Result<GraphUpload> start(const DeviceRef& device, const GraphView& graph, const UploadOptions& options = {});
  /// Stops a copy in progress.
  ~GraphUpload();
  GraphUpload(GraphUpload&&) noexcept;
  GraphUpload& operator=(GraphUpload&&) noexcept;

  /// The graph with device addresses, to be passed to kernels; valid while this object lives, and filled once `wait`
  /// has succeeded.
  const GraphView& view() const;
  /// Its size on the device in bytes.
  std::uint64_t bytes() const;
  /// Waits until the copy is complete. Errors: those of the copy; the same at every call.
  Status wait();

 private:
  struct State;
  explicit GraphUpload(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace matcha::runtime::cuda
