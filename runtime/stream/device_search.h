#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/common/delta_data.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/match/unit_kernels.h"
#include "runtime/result.h"
#include "runtime/stream/batch_rows.h"
#include "runtime/stream/dynamic_graph.h"
#include "runtime/stream/graph_mirror.h"
#include "runtime/stream/row_edits.h"
#include "runtime/stream/row_walks.h"
#include "runtime/stream/search_memory.h"
#include "runtime/stream/shared_search.h"
#include "runtime/stream/term_data.h"

namespace matcha::runtime::stream {

/// What the edges of a batch do, on a device that has a copy of the graph: counts are those of SharedSearch.
class DeviceSearch {
 public:
  /// The graph must outlive it. `code`: the kernels of codegen/cuda/delta_kernels.h. Errors: Runtime, Resource.
  static Result<std::unique_ptr<DeviceSearch>> make(DynamicGraph& graph, const cuda::DeviceRef& device,
                                                    cuda::Module code);

  /// Why terms cannot be counted here; empty: they can.
  std::string problem_of(const SharedTerms& terms) const;
  /// All that it takes of the device, but for the code, and most of it for rows; 0: as much as there is. Rows for which
  /// there is no room are read in memory of the host.
  void set_most_bytes(std::uint64_t bytes, std::uint64_t row_bytes) {
    most_bytes_ = bytes;
    most_row_bytes_ = row_bytes;
  }
  /// The bytes that suffice for these terms and the graph as it is, where there is such a bound.
  Result<std::uint64_t> least_bytes(const SharedTerms& terms);

  struct Outcome {
    SharedSearch::Result found;
    /// A number is so large that only SharedSearch can tell it; nothing is done.
    bool is_refused = false;
    /// Of terms that are listed: for each match its term, the places of its vertices, and no more up to `match_words`.
    std::vector<std::uint32_t> matches;
    std::uint64_t match_words = 0;
    /// Where some rows are in memory of the host: what became of those that were to be read, and how many reads of rows
    /// were of the device's own memory, and of the host's.
    RowPlaces::Chosen rows;
    std::uint64_t near_reads = 0, far_reads = 0;
    /// Of the host to choose them, and of the device to move them, and rows that the batch before changed.
    double choose_ms = 0, move_ms = 0;
  };
  /// Takes updates in, from the first, and says what they do. Requires: `problem_of` has none; the terms stay as they
  /// are while they are the same object. Errors: Resource where there is no memory, and then nothing is done; Runtime
  /// where a kernel failed. Throws std::bad_alloc.
  Result<Outcome> run(const SharedSearch::Request& request);
  /// The terms of the last run are others now.
  void forget_terms() { data_.reset(); }

  /// Takes updates into the graph, which are counted with others by the next `begin`. False: one does not fit, and none
  /// is taken. Requires: no two that were added since the last `begin` are of the same edge. Throws std::bad_alloc.
  bool add(std::span<const BatchUpdate> updates);
  std::size_t added() const { return added_.size(); }
  /// Whether no more are to be added with these terms and slots.
  bool is_full(const SharedTerms& terms, std::uint32_t slots) const;
  /// No more may be there for `begin`.
  std::size_t most_added(const SharedTerms& terms);
  /// Does for what was added what needs no device, so that `begin` has less to do; something may be under way.
  void prepare(const SharedTerms& terms);
  /// Lets the device count what was added does, as each update finds the graph, and comes back meanwhile: more may be
  /// added then. `slots`: above those of all of them. Requires: something was added, and nothing is under way. Errors:
  /// as for `run`; then `undo` is to be called.
  Status begin(const SharedTerms& terms, std::uint32_t slots);
  bool is_under_way() const { return !begun_.empty(); }
  /// Whether `finish` need not wait, as far as is known.
  bool is_idle() const {
    if (!is_under_way()) return true;
    const Result<bool> done = stream_->done();
    return !done || *done;
  }
  /// Waits for it, and says what it found: slot by slot, and by term. Where it is refused, stopped or an error, `undo`
  /// is to be called.
  Result<Outcome> finish(const match::Stops& stops);
  /// Takes all updates out of the graph again that are not finished.
  void undo();
  /// Tries so many candidates before it looks whether others wait for work; for tests.
  void set_tried(std::uint64_t tried) { tried_ = tried; }
  /// What the graph takes of the device, with what is sent with batches; and what it takes in all.
  std::uint64_t graph_bytes() const { return mirror_.bytes(); }
  std::uint64_t bytes() const;
  /// What of the graph is in memory of the host.
  std::uint64_t host_bytes() const { return mirror_.host_bytes(); }

 private:
  DeviceSearch(DynamicGraph& graph, cuda::Stream stream, cuda::Module code, cuda::Function count,
               GraphMirror::Kernels kernels, unsigned most_blocks);

  struct Layout;
  Status make_data(const SharedTerms& terms);
  SearchNeeds needs(std::uint64_t longest) const;
  Status share_memory(std::uint64_t longest);
  Status prepare_terms(const SharedTerms& terms);
  std::uint64_t spare_control() const;
  Status reserve_tasks(std::uint64_t tasks);
  Status reserve_matches();
  bool grow_matches();
  Result<Outcome> run_some(const SharedSearch::Request& request, std::size_t updates);
  void open_rows(BatchRows::Graph graph, const SharedTerms& terms);
  bool put(std::span<const BatchUpdate> updates, bool undone);
  void find_units(const SharedTerms& terms);
  Status reserve_scratch();
  Status launch(const SharedTerms& terms, std::uint32_t slots);
  Status show_and_launch(const SharedTerms& terms, std::uint32_t slots);
  Status send(const Layout& layout);
  Result<Outcome> read(const match::Stops& stops);

  DynamicGraph& graph_;
  std::unique_ptr<cuda::Stream> stream_;
  cuda::Module code_;
  cuda::Function count_;
  unsigned most_blocks_;
  BatchRows rows_;
  RowWalks walks_;
  std::span<const RowWalks::Read> reads_;  ///< Of the batch in `rows_`.
  double walk_ms_ = 0;                     ///< What it took to know.
  bool is_prepared_ = false;               ///< These are of what is added.
  bool fits_ = true;                       ///< And that fits the graph.
  GraphMirror mirror_;
  std::uint64_t most_bytes_ = 0, most_row_bytes_ = 0;
  std::optional<SearchMemory> memory_;  ///< Where there is a bound.
  std::optional<TermData> data_;
  std::uint64_t data_layout_ = 0;  ///< Of the graph, when `data_` was made.
  std::vector<BatchUpdate> added_, begun_;
  RowEdits edits_;
  std::vector<RowEdits::Edge> edges_;
  std::uint32_t slots_ = 0;  ///< Of those that are under way.
  double choose_ms_ = 0;     ///< Likewise.
  std::vector<matcha_program::DeltaUnit> units_;
  std::vector<std::uint64_t> firsts_;
  cuda::DeviceMemory control_;
  cuda::PinnedMemory control_stage_;
  match::KernelWish wish_;
  cuda::DeviceBuffer<matcha_program::DeltaTask> tasks_;
  cuda::DeviceBuffer<std::uint32_t> matches_;
  std::uint64_t match_room_ = std::uint64_t{1} << 16;  ///< Without a bound, so many.
  bool is_overfull_ = false;                           ///< There were more in the last launch.
  cuda::DeviceBuffer<std::uint32_t> scratch_;
  SearchRooms rooms_;         ///< In `scratch_`,
  std::uint64_t arrays_ = 0;  ///< for groups of so many arrays.
  std::uint64_t number_ = 0;
  std::uint64_t tried_ = 4;
};

}  // namespace matcha::runtime::stream
