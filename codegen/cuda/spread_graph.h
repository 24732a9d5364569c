#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "codegen/cuda/host_values.h"
#include "codegen/cuda/rows_read.h"
#include "runtime/cuda/graph_upload.h"
#include "runtime/cuda/memory.h"
#include "runtime/graph/buffer.h"
#include "runtime/graph/cuts.h"
#include "runtime/graph/device_copies.h"

namespace matcha::codegen::gpu {

/// The rows of a graph in host memory that devices read in place: whole, or one half of each.
struct PinnedRows {
  runtime::cuda::PinnedBuffer<std::uint32_t> items;
  runtime::Buffer<std::uint64_t> starts;  ///< The row of rank v is items[starts[v]] to items[starts[v + 1]].
  runtime::Buffer<std::uint64_t> halves;  ///< GraphView::halves of these rows, in which the other half is empty; empty
                                          ///< if rows are whole.

  /// Throws Trap if there is no memory. Requires: the halves of the graph, unless `rows` is All.
  static std::shared_ptr<PinnedRows> make(const runtime::cuda::DeviceRef& device, const runtime::Graph& graph,
                                          RowsRead rows);
};

/// A graph of which a device holds a limited number of bytes: first the data of each vertex, then rows. If rows are
/// named (`place`), offsets that only give row lengths come last. Everything else is in host memory, which the device
/// reads through the bus: exact, and much slower.
class SpreadGraph {
 public:
  /// `most`: bytes of the device. Throws Trap if a call fails. Requires: a graph with offsets; `graph` and `rows` stay
  /// valid.
  SpreadGraph(const runtime::cuda::DeviceRef& device, host::Graph& graph, std::shared_ptr<const PinnedRows> rows,
              const runtime::cuda::UploadOptions& wanted, std::uint64_t most, bool names_rows);

  /// Makes the rows of these ranks resident, as far as they fit; rows that are resident already are not moved. Without
  /// ranks: those read most often for their size, which are rows of vertices with many neighbours. Throws Trap if a
  /// call fails. Requires: no kernel reads the graph; ranges ascend.
  void place(const runtime::cuda::Stream& stream, std::span<const runtime::PositionRange> ranks);
  /// The graph with addresses of the device.
  const runtime::GraphView& view() const { return view_; }
  /// The offsets on the host, which name the graph.
  const void* owner() const { return degrees_; }
  /// Bytes sent to the device since the last call.
  std::uint64_t take_copied() { return std::exchange(copied_, 0); }

 private:
  /// Rows of the ranks of some groups of 2^kMovedBits, stored from item `at` of the room on.
  struct Resident {
    std::uint64_t first, last;  ///< Groups.
    std::uint64_t at;
  };

  template <typename T>
  void put(const T*& field, const T* items, std::uint64_t count, std::uint64_t budget);
  std::uint64_t items_before(std::uint64_t group) const;
  std::uint64_t items_of(const Resident& rows) const { return items_before(rows.last) - items_before(rows.first); }
  /// Finds space for rows between the resident ones; false: there is none.
  bool find_room(Resident& rows) const;
  void send(const runtime::cuda::Stream& stream, const Resident& rows);
  /// Makes the device read the rows there. Requires: they were sent.
  void move(const Resident& rows);
  void drop(const Resident& rows);
  /// Uploads the missing rows; false if the free space is too fragmented.
  bool add(const runtime::cuda::Stream& stream, std::span<Resident> wanted);
  void place_named(const runtime::cuda::Stream& stream, std::span<const runtime::PositionRange> ranks);
  std::vector<bool> hottest_groups() const;
  void place_hottest(const runtime::cuda::Stream& stream);
  void send_moves(const runtime::cuda::Stream& stream);

  const runtime::cuda::DeviceRef device_;
  const std::shared_ptr<const PinnedRows> rows_;
  const std::uint64_t* const degrees_;  ///< The offsets of the whole graph.
  runtime::GraphView view_;
  std::uint64_t groups_;
  std::uint64_t left_;  ///< Bytes of the device that are still available.
  std::uint64_t copied_ = 0;
  std::vector<runtime::cuda::DeviceMemory> arrays_;
  std::vector<runtime::cuda::PinnedMemory> remote_arrays_;
  runtime::cuda::DeviceBuffer<std::uint32_t> room_;  ///< For rows.
  runtime::cuda::DeviceBuffer<std::int64_t> moved_;  ///< Empty: the device reads `moves_` in place.
  runtime::cuda::PinnedBuffer<std::int64_t> moves_;  ///< GraphView::moved.
  std::vector<Resident> residents_;                  ///< Ordered by their places in the room.
  bool has_hottest_ = false;
};

}  // namespace matcha::codegen::gpu
