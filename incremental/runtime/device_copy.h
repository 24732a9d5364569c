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
#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/graph_mirror.h"
#include "incremental/runtime/row_walks.h"
#include "incremental/runtime/search_memory.h"
#include "incremental/runtime/shared_search.h"
#include "incremental/runtime/term_data.h"
#include "runtime/common/delta_data.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/result.h"

namespace matcha::runtime::stream {

/// What devices found of a batch.
struct DeviceOutcome {
  SharedSearch::Result found;
  /// A number is so large that only SharedSearch can tell it; nothing is done.
  bool is_refused = false;
  /// There was no room for all matches; nothing else is told.
  bool is_overfull = false;
  /// Of terms that are listed: for each match its term, the places of its vertices, and no more up to `match_words`.
  std::vector<std::uint32_t> matches;
  std::uint64_t match_words = 0;
  /// Where some rows are in memory of the host: what became of those that were to be read, and how many reads of rows
  /// were of the device's own memory, and of the host's.
  RowPlaces::Chosen rows;
  std::uint64_t near_reads = 0, far_reads = 0;
  /// Of the host to choose them, and of the device to move them, and rows that the batch before changed.
  double choose_ms = 0, move_ms = 0;

  /// All was counted, and all matches are there.
  bool is_complete() const { return !is_overfull && !is_refused && found.ending == DeltaSearch::Ending::Complete; }
  /// Adds what another device found of the same batch with the same terms; without a bound on the memory of either.
  void add(const DeviceOutcome& other);
};

/// Every `step`-th of some units, from one on.
struct UnitShare {
  std::span<const matcha_program::DeltaUnit> all;
  std::size_t first = 0, step = 1;

  std::size_t size() const { return first < all.size() ? (all.size() - first - 1) / step + 1 : 0; }
};

/// A device that counts what updates do: its copy of the graph, and all it needs besides.
class DeviceCopy {
 public:
  /// The graph must outlive it. `code`: the kernels of codegen/cuda/delta_kernels.h. Errors: Runtime, Resource.
  static Result<std::unique_ptr<DeviceCopy>> make(DynamicGraph& graph, const cuda::DeviceRef& device,
                                                  cuda::Module code);

  /// As DeviceSearch has it.
  void set_most_bytes(std::uint64_t bytes, std::uint64_t row_bytes) {
    most_bytes_ = bytes;
    most_row_bytes_ = row_bytes;
  }
  std::uint64_t least_bytes(const TermData& terms) const;
  /// Makes ready for terms; where they are others than in the call before, `forget_terms` comes first. Errors: Resource
  /// where a bound is too small for them.
  Status prepare(const TermData& terms);
  void forget_terms() { memory_.reset(); }
  /// No more updates may be in a launch; requires `prepare`.
  std::size_t most_updates(const TermData& terms) const;
  /// Whether a launch has no room for so many sums.
  bool is_full(const TermData& terms, std::uint64_t sums) const;

  /// A batch whose rows are open.
  struct Batch {
    BatchRows& rows;
    std::span<const RowWalks::Read> reads;  ///< That it is going to make, where there is a bound,
    double walk_ms;                         ///< and what it took to know.
    const DynamicGraph::Changes& changes;   ///< Of the graph, since the last batch.
    const TermData& terms;
    std::span<const BatchUpdate> updates;
    std::uint32_t slots;
    UnitShare units;  ///< Those that are looked at here.
  };
  /// Shows the device a batch, launches its share of it, and comes back meanwhile. Errors: Resource, Runtime; then
  /// nothing is under way.
  Status begin(const Batch& batch);
  /// A batch is not for it: what changed before is not known to it, so it gets the graph anew with the next one.
  void miss() { mirror_.forget(); }
  /// Whether `finish` need not wait, as far as is known.
  bool is_idle() const {
    const Result<bool> done = stream_->done();
    return !done || *done;
  }
  /// Waits for what was begun, and says what it found. Errors: Runtime where the kernel failed.
  Result<DeviceOutcome> finish(const match::Stops& stops);
  /// Asks the kernel to end, and waits for that; nothing is told.
  void cancel();
  /// The batch that was begun is over: the graph has it now, or is as before it.
  void end(bool made) { mirror_.end(made); }
  /// More room for matches, if that may be.
  bool grow_matches();

  GraphMirror& mirror() { return mirror_; }
  const GraphMirror& mirror() const { return mirror_; }
  std::uint64_t bytes() const;
  /// Tries so many candidates before it looks whether others wait for work; for tests.
  void set_tried(std::uint64_t tried) { tried_ = tried; }

 private:
  DeviceCopy(DynamicGraph& graph, cuda::Stream stream, cuda::Module code, cuda::Function count,
             GraphMirror::Kernels kernels, unsigned most_blocks);

  struct Layout;
  SearchNeeds needs(const TermData& terms, std::uint64_t longest) const;
  Status share_memory(const TermData& terms, std::uint64_t longest);
  std::uint64_t spare_control(const TermData& terms) const;
  static constexpr std::size_t kMostUpdates = std::size_t{1} << 16;  ///< Where there is a bound.
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
  std::optional<SearchMemory> memory_;  ///< Where there is a bound.
  cuda::DeviceMemory control_;
  cuda::PinnedMemory control_stage_;
  match::KernelWish wish_;
  cuda::DeviceBuffer<matcha_program::DeltaTask> tasks_;
  cuda::DeviceBuffer<std::uint32_t> matches_;
  std::uint64_t match_room_ = std::uint64_t{1} << 16;  ///< Without a bound, so many.
  cuda::DeviceBuffer<std::uint32_t> scratch_;
  SearchRooms rooms_;         ///< In `scratch_`,
  std::uint64_t arrays_ = 0;  ///< for groups of so many arrays.
  /// What is under way: sums, units, words of a match where there are any, and what it took to choose rows.
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
