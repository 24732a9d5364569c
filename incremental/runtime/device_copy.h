#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engines/search/stops.h"
#include "engines/search/unit_kernels.h"
#include "incremental/runtime/batch_rows.h"
#include "incremental/runtime/device/delta_data.h"
#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/graph_mirror.h"
#include "incremental/runtime/row_walks.h"
#include "incremental/runtime/search_memory.h"
#include "incremental/runtime/shared_search.h"
#include "incremental/runtime/term_data.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/result.h"

namespace matcha::runtime::stream {

/// The result of devices for a batch.
struct DeviceOutcome {
  SharedSearch::Result found;
  /// A number exceeds the device's range, so that only SharedSearch can count; nothing was done.
  bool is_refused = false;
  /// There was no room for all matches; the other fields are invalid.
  bool is_overfull = false;
  /// For each match of a listed term: the term, the places of the vertices, and padding up to `match_words`.
  std::vector<std::uint32_t> matches;
  std::uint64_t match_words = 0;
  /// If some rows are remote: where the rows were that were expected to be read, and the numbers of reads of resident
  /// and of remote rows.
  RowPlaces::Chosen rows;
  std::uint64_t resident_reads = 0, remote_reads = 0;
  /// Time of the host to choose them, and of the device to move them and the rows that the previous batch changed.
  double choose_ms = 0, move_ms = 0;

  /// Everything was counted, and all matches are there.
  bool is_complete() const { return !is_overfull && !is_refused && found.ending == DeltaSearch::Ending::Complete; }
  /// Adds the result of another device for the same batch and terms; neither has bounded memory.
  void add(const DeviceOutcome& other);
};

/// Every `step`-th unit, starting with one.
struct UnitShare {
  std::span<const matcha_program::DeltaUnit> all;
  std::size_t first = 0, step = 1;

  std::size_t size() const { return first < all.size() ? (all.size() - first - 1) / step + 1 : 0; }
};

/// A device that counts deltas: its copy of the graph, and its other buffers.
class DeviceCopy {
 public:
  /// Requires: the graph outlives it. `code`: the kernels of incremental/runtime/device/delta_kernels.h. Errors:
  /// Runtime, Resource.
  static Result<std::unique_ptr<DeviceCopy>> make(DynamicGraph& graph, const cuda::DeviceRef& device,
                                                  cuda::Module code);

  /// As in DeviceSearch.
  void set_most_bytes(std::uint64_t bytes, std::uint64_t row_bytes) {
    most_bytes_ = bytes;
    most_row_bytes_ = row_bytes;
  }
  std::uint64_t least_bytes(const TermData& terms) const;
  /// Prepares for terms; call `forget_terms` first if they differ from the last call. Errors: Resource if a bound is
  /// too small for them.
  Status prepare(const TermData& terms);
  void forget_terms() { memory_.reset(); }
  /// The most updates of a launch. Requires `prepare`.
  std::size_t most_updates(const TermData& terms) const;
  /// True if a launch has no room for `sums` sums.
  bool is_full(const TermData& terms, std::uint64_t sums) const;

  /// A batch with open rows.
  struct Batch {
    BatchRows& rows;
    std::span<const RowWalks::Read> reads;  ///< Expected reads, if memory is bounded,
    double walk_ms;                         ///< and the time to estimate them.
    const DynamicGraph::Changes& changes;   ///< Changes of the graph since the last batch.
    const TermData& terms;
    std::span<const BatchUpdate> updates;
    std::uint32_t slots;
    UnitShare units;  ///< The units of this device.
  };
  /// Copies a batch to the device, launches its share, and returns without waiting. Errors: Resource, Runtime; then
  /// nothing is running.
  Status begin(const Batch& batch);
  /// Skips a batch: the device no longer has the changes, so it gets the whole graph with the next one.
  void skip_batch() { mirror_.invalidate(); }
  /// True if `finish` probably need not wait.
  bool is_idle() const {
    const Result<bool> done = stream_->done();
    return !done || *done;
  }
  /// Waits for the launch and returns its result. Errors: Runtime if the kernel failed.
  Result<DeviceOutcome> finish(const match::Stops& stops);
  /// Asks the kernel to end and waits; there is no result.
  void cancel();
  /// Ends the batch: the graph now has it (`made`), or is in the state before it.
  void end(bool made) { mirror_.end(made); }
  /// Enlarges the room for matches, if possible.
  bool grow_matches();

  GraphMirror& mirror() { return mirror_; }
  const GraphMirror& mirror() const { return mirror_; }
  std::uint64_t bytes() const;
  /// Sets the number of candidates between two checks for idle groups; for tests.
  void set_tried(std::uint64_t tried) { tried_ = tried; }

 private:
  DeviceCopy(DynamicGraph& graph, cuda::Stream stream, cuda::Module code, cuda::Function count,
             GraphMirror::Kernels kernels, unsigned most_blocks);

  struct Layout;
  SearchNeeds needs(const TermData& terms, std::uint64_t longest) const;
  Status share_memory(const TermData& terms, std::uint64_t longest);
  std::uint64_t spare_control(const TermData& terms) const;
  static constexpr std::size_t kMostUpdates = std::size_t{1} << 16;  ///< If memory is bounded.
  Status reserve_tasks(std::uint64_t tasks);
  Status reserve_matches(const TermData& terms);
  Status reserve_scratch(const TermData& terms);
  Status show_and_launch(const Batch& batch);
  Status launch(const Batch& batch);
  Status send(const Layout& layout, const Batch& batch);
  Result<DeviceOutcome> read(const match::Stops& stops);

  DynamicGraph& graph_;
  std::unique_ptr<cuda::Stream> stream_;
  cuda::Module code_;
  cuda::Function count_;
  unsigned most_blocks_;
  GraphMirror mirror_;
  std::uint64_t most_bytes_ = 0, most_row_bytes_ = 0;
  std::optional<SearchMemory> memory_;  ///< If memory is bounded.
  cuda::DeviceMemory control_;
  cuda::PinnedMemory control_stage_;
  match::StopWord stop_word_;
  cuda::DeviceBuffer<matcha_program::DeltaTask> tasks_;
  cuda::DeviceBuffer<std::uint32_t> matches_;
  std::uint64_t match_room_ = std::uint64_t{1} << 16;  ///< The number of matches, without a bound.
  cuda::DeviceBuffer<std::uint32_t> scratch_;
  SearchRooms rooms_;         ///< The rooms in `scratch_`,
  std::uint64_t arrays_ = 0;  ///< and the number of arrays of a group.
  /// The running launch: sums, units, words of a match if any are listed, and the time to choose rows.
  struct Begun {
    std::uint64_t sums = 0, units = 0, match_words = 0;
    bool lists = false;
    double choose_ms = 0;
  };
  Begun begun_;
  std::uint64_t number_ = 0;
  std::uint64_t tried_ = 4;
};

}  // namespace matcha::runtime::stream
