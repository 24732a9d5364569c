#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/search/stops.h"
#include "incremental/runtime/batch_rows.h"
#include "incremental/runtime/device_copy.h"
#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/row_edits.h"
#include "incremental/runtime/row_walks.h"
#include "incremental/runtime/shared_search.h"
#include "incremental/runtime/term_data.h"
#include "runtime/common/delta_data.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/module.h"
#include "runtime/result.h"

namespace matcha::runtime::stream {

/// What the edges of a batch do, on devices that have a copy of the graph each: counts are those of SharedSearch. All
/// copies take all updates, and each device looks at a share of them; with partners, at a share of their share.
class DeviceSearch {
 public:
  /// A device, and the kernels of codegen/cuda/delta_kernels.h.
  struct Device {
    cuda::DeviceRef device;
    cuda::Module code;
  };
  /// The graph must outlive it. `devices`: at least one. Errors: Runtime, Resource.
  static Result<std::unique_ptr<DeviceSearch>> make(DynamicGraph& graph, std::vector<Device> devices);
  /// Asks what is under way to end.
  ~DeviceSearch();
  DeviceSearch(const DeviceSearch&) = delete;
  DeviceSearch& operator=(const DeviceSearch&) = delete;

  /// Why terms cannot be counted here; empty: they can.
  std::string problem_of(const SharedTerms& terms) const;
  /// All that it takes of the device, but for the code, and most of it for rows; 0: as much as there is. Rows for which
  /// there is no room are read in memory of the host. Requires: there is one device.
  void set_most_bytes(std::uint64_t bytes, std::uint64_t row_bytes);
  /// The bytes of a device that suffice for these terms and the graph as it is, where there is such a bound.
  Result<std::uint64_t> least_bytes(const SharedTerms& terms);

  using Outcome = DeviceOutcome;
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
  bool is_idle() const;
  /// Waits for it, and says what it found: slot by slot, and by term. Where it is refused, stopped or an error, `undo`
  /// is to be called.
  Result<Outcome> finish(const match::Stops& stops);
  /// Takes all updates out of the graph again that are not finished.
  void undo();
  /// Tries so many candidates before it looks whether others wait for work; for tests.
  void set_tried(std::uint64_t tried) {
    for (const auto& copy : copies_) copy->set_tried(tried);
  }
  /// What it takes of all devices.
  std::uint64_t bytes() const;
  /// What of the graph is in memory of the host.
  std::uint64_t host_bytes() const { return copies_.front()->mirror().host_bytes(); }

 private:
  explicit DeviceSearch(DynamicGraph& graph) : graph_(graph), rows_(graph), walks_(graph), edits_(graph) {}

  /// Only a bound has some rows kept, and then there is one device.
  KeptRows& kept() { return copies_.front()->mirror().kept(); }
  Status make_data(const SharedTerms& terms);
  Status prepare_terms(const SharedTerms& terms);
  bool grow_matches();
  Result<Outcome> run_some(const SharedSearch::Request& request, std::size_t updates);
  Result<Outcome> finish_copies(const match::Stops& stops);
  Result<Outcome> finish_with(const match::Stops& stops, Partners* maybe_partners);
  Result<Outcome> agreed(Outcome own, Partners& partners) const;
  void open_rows(BatchRows::Graph graph, const SharedTerms& terms);
  bool put(std::span<const BatchUpdate> updates, bool undone);
  void find_units(const SharedTerms& terms);
  Status show_and_launch(const SharedTerms& terms, std::uint32_t slots, const Partners* maybe_partners = nullptr);

  DynamicGraph& graph_;
  std::vector<std::unique_ptr<DeviceCopy>> copies_;
  BatchRows rows_;
  RowWalks walks_;
  std::span<const RowWalks::Read> reads_;  ///< Of the batch in `rows_`.
  double walk_ms_ = 0;                     ///< What it took to know.
  bool is_prepared_ = false;               ///< These are of what is added.
  bool fits_ = true;                       ///< And that fits the graph.
  std::uint64_t most_bytes_ = 0;
  std::optional<TermData> data_;
  std::uint64_t data_layout_ = 0;  ///< Of the graph, when `data_` was made.
  std::vector<BatchUpdate> added_, begun_;
  RowEdits edits_;
  std::vector<RowEdits::Edge> edges_;
  std::vector<matcha_program::DeltaUnit> units_;
  std::vector<std::uint64_t> firsts_;
};

}  // namespace matcha::runtime::stream
