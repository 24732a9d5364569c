#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "incremental/runtime/batch_rows.h"
#include "incremental/runtime/device/delta_data.h"
#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/kept_rows.h"
#include "incremental/runtime/row_places.h"
#include "incremental/runtime/row_walks.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/result.h"

namespace matcha::runtime::stream {

/// The rows of a dynamic graph in the memory of a device. They are copied once; afterwards only changes are copied, and
/// the device builds the new rows. With bounded memory, some rows are resident in device memory; the others are remote:
/// the device reads them in place from pinned host memory. Rows that a batch is expected to read are fetched, replacing
/// those of less use, and stay from batch to batch; the device moves them.
class GraphMirror {
 public:
  struct Kernels {
    cuda::Function patch, move;
  };
  /// Requires: both arguments outlive it.
  GraphMirror(DynamicGraph& graph, const cuda::Stream& stream, Kernels kernels)
      : graph_(graph), stream_(stream), kernels_(std::move(kernels)) {}

  /// The most bytes of device memory for records and rows, and for each of the two buffers of data sent with a batch;
  /// 0: no bound.
  struct Bound {
    std::uint64_t rows = 0, batch = 0;
  };
  /// A different bound rebuilds the layout. If not even the records fit, `show` returns an error (Resource).
  void set_bound(const Bound& bound);
  /// Bytes of the records of the graph.
  std::uint64_t record_bytes() const;
  /// The most updates of a batch whose data fits a buffer of `batch_bytes` bytes; at least one from kLeastBatch on.
  static std::size_t most_updates(std::uint64_t batch_bytes);
  static constexpr std::uint64_t kLeastBatch = 1024;

  /// Gives the device the graph before all updates of a batch, and their changes. `reads`: rows that the batch is
  /// expected to read; used if some rows are remote. `changes`: recorded by the graph since the last call; several
  /// mirrors of one graph get the same. Errors: Resource when out of memory: then the device has no graph until the
  /// next call. Throws std::bad_alloc.
  Status show(BatchRows& batch, std::span<const RowWalks::Read> reads, const DynamicGraph::Changes& changes);
  /// Call after changes that it did not get: the next `show` copies the whole graph.
  void invalidate() { whole_ = true; }
  /// Ends the batch: the graph now has it (`made`), or is in the state before it.
  void end(bool made);
  /// Code that changes rows between two calls of `show` must let it keep the rows that it wants, as the device may be
  /// reading them.
  KeptRows& kept() { return kept_; }

  /// For kernels that are launched after `show`.
  const matcha_program::DeltaRow* rows(bool backwards) const {
    return records_.data() + (backwards && graph_.directed() ? row_count() : 0);
  }
  /// The words with the changes of rows.
  const std::uint32_t* words() const { return reinterpret_cast<const std::uint32_t*>(batch_[current_].address()); }
  const std::uint32_t* resident() const { return resident_.data(); }
  const std::uint32_t* resident_end() const { return resident_.data() + resident_.size(); }
  bool has_remote() const { return row_places_.has_remote(); }
  /// An upper bound of the length of rows, including insertions.
  std::uint32_t longest() const { return longest_; }
  /// Bytes of device memory for the graph, including data sent with batches.
  std::uint64_t bytes() const { return records_.bytes() + resident_.bytes() + batch_[0].bytes() + batch_[1].bytes(); }
  /// Bytes of host memory that the device reads in place.
  std::uint64_t host_bytes() const { return has_remote() ? graph_.array_bytes() : 0; }
  /// How many rows that the last batch was expected to read were resident, fetched, or left remote.
  const RowPlaces::Chosen& chosen() const { return chosen_; }
  /// The time of the host to plan the moves before it, and, once the stream is done, of the device to do them; 0 for
  /// batches that rebuilt the layout, and without remote rows.
  double plan_ms() const { return plan_ms_; }
  double move_ms() const;

 private:
  /// A row of the current batch: the index of its changes, and the number of items that it gains.
  struct Shown {
    std::uint64_t slot = 0;
    std::uint32_t word = 0;
    std::int32_t more = 0;
  };
  /// The source of a moved row that is not read from its home.
  struct Source {
    std::size_t move = 0;
    std::uint64_t first = 0;    ///< Index in `sent_rows_`, if it has no changes.
    std::uint32_t changes = 0;  ///< The index of its changes in the last batch.
  };
  struct Layout;

  /// For one direction.
  std::uint64_t row_count() const { return graph_.rows(false).size(); }
  std::uint64_t slot(bool backwards, std::uint32_t row) const {
    return row + (backwards && graph_.directed() ? row_count() : 0);
  }
  bool is_of_sources(std::uint64_t slot) const { return slot >= row_count(); }
  std::optional<std::span<const std::uint32_t>> find_remote(const BatchRows& batch, std::uint64_t slot) const;
  std::span<const std::uint32_t> remote_row(BatchRows& batch, std::uint64_t slot);
  matcha_program::DeltaRow row_at(BatchRows& batch, std::uint64_t slot, const RowPlaces::Home& home,
                                  std::uint32_t changes);
  template <typename Take>
  void each_row(BatchRows& batch, const Take& take);
  void find_stale(const DynamicGraph::Changes& changes);
  bool plan(BatchRows& batch, std::span<const RowWalks::Read> reads);
  bool change(std::uint64_t slot, std::uint32_t size, const Source& source);
  void plan_patches(BatchRows& batch);
  void find_patched(BatchRows& batch);
  Status take_room(std::uint64_t live, std::uint64_t spare, std::uint64_t longest);
  Status share_room(std::uint64_t words);
  std::vector<bool> choose_resident(BatchRows& batch, std::span<const RowWalks::Read> reads);
  Status lay_out(BatchRows& batch, std::span<const RowWalks::Read> reads);
  bool place_rows(BatchRows& batch, const std::vector<bool>& wanted);
  Status send_resident(BatchRows& batch);
  Status reserve_batch(std::uint64_t bytes);
  Status send(BatchRows& batch);
  void find_moves(BatchRows& batch, std::uint32_t longest_part);
  Status launch(const Layout& layout);
  Status mark(std::size_t event);
  Error too_few(std::uint64_t least) const;

  DynamicGraph& graph_;
  const cuda::Stream& stream_;
  Kernels kernels_;
  Bound bound_;
  cuda::DeviceBuffer<matcha_program::DeltaRow> records_;
  cuda::DeviceBuffer<std::uint32_t> resident_;
  RowPlaces row_places_;
  KeptRows kept_{graph_, row_places_};
  RowPlaces::Chosen chosen_;
  double plan_ms_ = 0;
  std::optional<cuda::Event> marks_[2];  ///< Before and after the moves.
  bool is_marked_ = false;
  bool whole_ = true;  ///< The whole graph must be copied.
  std::uint32_t longest_ = 0;

  /// Data sent with a batch: words of changes, rows built by the host, moves, patches. There are two buffers, as rows
  /// that a batch changed are built with the next one.
  cuda::DeviceMemory batch_[2];
  unsigned current_ = 0;  ///< The buffer of the last batch.
  cuda::PinnedMemory stage_;
  std::vector<std::uint32_t> sent_rows_;
  std::vector<Source> sources_;
  std::vector<RowPlaces::Read> reads_;
  std::vector<matcha_program::DeltaMove> moves_;  ///< The moves of the plan, in parts,
  std::vector<std::size_t> rounds_;               ///< and the end of each round.
  std::vector<matcha_program::DeltaPatch> patches_;
  std::vector<std::uint32_t> patch_of_;  ///< By slot: its patch plus 1; 0: none.
  std::vector<Shown> shown_;             ///< Of the last batch,
  bool was_made_ = false;                ///< which the graph now has.
  std::vector<std::uint32_t> stale_;     ///< Numbers of rows that changed outside of batches.
};

}  // namespace matcha::runtime::stream
