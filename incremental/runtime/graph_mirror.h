#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "incremental/runtime/batch_rows.h"
#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/kept_rows.h"
#include "incremental/runtime/row_places.h"
#include "incremental/runtime/row_walks.h"
#include "runtime/common/delta_data.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/result.h"

namespace matcha::runtime::stream {

/// The rows of a dynamic graph where a device reads them. They go there once; afterwards only what changes of them
/// does, and the device makes the new rows. Where it may not have so much, a part of the rows is near, in its own
/// memory, and the others are far: it reads those of the host in place, whose memory is pinned for that. Rows that a
/// batch is going to read come near, in place of those of less use, and stay from batch to batch; the device moves
/// them.
class GraphMirror {
 public:
  struct Kernels {
    cuda::Function patch, move;
  };
  /// Both must outlive it.
  GraphMirror(DynamicGraph& graph, const cuda::Stream& stream, Kernels kernels)
      : graph_(graph), stream_(stream), kernels_(std::move(kernels)) {}

  /// Most bytes of the device, for records and rows, and for each of the two buffers of what is sent with a batch; 0:
  /// as many as there are.
  struct Bound {
    std::uint64_t rows = 0, batch = 0;
  };
  /// Another one than before lays the rows out anew. It is an error (Resource) of `show` if not even the records fit.
  void set_bound(const Bound& bound);
  /// What the records of the graph take.
  std::uint64_t record_bytes() const;
  /// The updates of which a batch may have as many in a buffer of so many bytes; at least one from kLeastBatch on.
  static std::size_t most_updates(std::uint64_t batch_bytes);
  static constexpr std::uint64_t kLeastBatch = 1024;

  /// Gives the device the graph before all updates of a batch, and what they change. `reads`: rows that the batch is
  /// going to read; looked at where some are far. `changes`: what the graph noted since the last call; of several
  /// mirrors of a graph each is told the same. Errors: Resource where there is no memory: then nothing is there, until
  /// the next call. Throws std::bad_alloc.
  Status show(BatchRows& batch, std::span<const RowWalks::Read> reads, const DynamicGraph::Changes& changes);
  /// It was not told of some changes: the device gets the graph anew with the next call of `show`.
  void forget() { whole_ = true; }
  /// The batch that was shown is over: the graph has it now, or is as before it.
  void end(bool made);
  /// Who changes rows between two calls of `show` lets it keep those that it wants, as the device may be reading them.
  KeptRows& kept() { return kept_; }

  /// For kernels that are launched behind `show`.
  const matcha_program::DeltaRow* rows(bool backwards) const {
    return records_.data() + (backwards && graph_.directed() ? row_count() : 0);
  }
  /// The changes of rows are in these words.
  const std::uint32_t* words() const { return reinterpret_cast<const std::uint32_t*>(batch_[current_].address()); }
  const std::uint32_t* near() const { return near_.data(); }
  const std::uint32_t* near_end() const { return near_.data() + near_.size(); }
  bool has_far() const { return row_places_.has_far(); }
  /// Not below any row that is shown, with all that comes.
  std::uint32_t longest() const { return longest_; }
  /// What the graph takes of the device, with what is sent with batches.
  std::uint64_t bytes() const { return records_.bytes() + near_.bytes() + batch_[0].bytes() + batch_[1].bytes(); }
  /// Of the host, which the device reads in place.
  std::uint64_t host_bytes() const { return has_far() ? graph_.array_bytes() : 0; }
  /// What the last batch did to the rows that it was going to read.
  const RowPlaces::Chosen& chosen() const { return chosen_; }
  /// What the host took to plan the moves before it, and, once the stream is done, the device to do them; of batches
  /// for which all was laid out, and without far rows, 0.
  double plan_ms() const { return plan_ms_; }
  double move_ms() const;

 private:
  /// A row of the batch that is shown: the word of its changes, and the items that it has more after them.
  struct Shown {
    std::uint64_t slot = 0;
    std::uint32_t word = 0;
    std::int32_t more = 0;
  };
  /// A row that a move gets from elsewhere than from its home.
  struct Source {
    std::size_t move = 0;
    std::uint64_t first = 0;    ///< In `sent_rows_`, where it has no changes.
    std::uint32_t changes = 0;  ///< The word of its changes, in the last batch.
  };
  struct Layout;

  /// Of a direction.
  std::uint64_t row_count() const { return graph_.rows(false).size(); }
  std::uint64_t slot(bool backwards, std::uint32_t row) const {
    return row + (backwards && graph_.directed() ? row_count() : 0);
  }
  bool is_of_sources(std::uint64_t slot) const { return slot >= row_count(); }
  std::optional<std::span<const std::uint32_t>> find_far(const BatchRows& batch, std::uint64_t slot) const;
  std::span<const std::uint32_t> far_row(BatchRows& batch, std::uint64_t slot);
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
  std::vector<bool> choose_near(BatchRows& batch, std::span<const RowWalks::Read> reads);
  Status lay_out(BatchRows& batch, std::span<const RowWalks::Read> reads);
  bool place_rows(BatchRows& batch, const std::vector<bool>& wanted);
  Status send_near(BatchRows& batch);
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
  cuda::DeviceBuffer<std::uint32_t> near_;
  RowPlaces row_places_;
  KeptRows kept_{graph_, row_places_};
  RowPlaces::Chosen chosen_;
  double plan_ms_ = 0;
  std::optional<cuda::Event> marks_[2];  ///< Before and after the moves.
  bool is_marked_ = false;
  bool whole_ = true;  ///< All has to go there.
  std::uint32_t longest_ = 0;

  /// What is sent with a batch: words of changes, rows that the host made, moves, patches. There are two, as rows that
  /// a batch changed are made with the next one.
  cuda::DeviceMemory batch_[2];
  unsigned current_ = 0;  ///< That of the last batch.
  cuda::PinnedMemory stage_;
  std::vector<std::uint32_t> sent_rows_;
  std::vector<Source> sources_;
  std::vector<RowPlaces::Read> reads_;
  std::vector<matcha_program::DeltaMove> moves_;  ///< Those of the plan, in parts,
  std::vector<std::size_t> rounds_;               ///< and where each round of them ends.
  std::vector<matcha_program::DeltaPatch> patches_;
  std::vector<std::uint32_t> patch_of_;  ///< By slot, its patch and 1; 0: none.
  std::vector<Shown> shown_;             ///< Of the last batch,
  bool was_made_ = false;                ///< which the graph has now.
  std::vector<std::uint32_t> stale_;     ///< Numbers of rows that changed outside of batches.
};

}  // namespace matcha::runtime::stream
