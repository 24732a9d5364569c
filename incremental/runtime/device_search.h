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
#include "incremental/runtime/device/delta_data.h"
#include "incremental/runtime/device_copy.h"
#include "incremental/runtime/dynamic_graph.h"
#include "incremental/runtime/row_edits.h"
#include "incremental/runtime/row_walks.h"
#include "incremental/runtime/shared_search.h"
#include "incremental/runtime/term_data.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/module.h"
#include "runtime/result.h"

namespace matcha::runtime::stream {

/// Counts the deltas of a batch's edges on devices, each with a copy of the graph: results are those of SharedSearch.
/// All copies take all updates, and each device processes a share of the units; with partners, a share of their share.
class DeviceSearch {
 public:
  /// A device, and the kernels of incremental/runtime/device/delta_kernels.h.
  struct Device {
    cuda::DeviceRef device;
    cuda::Module code;
  };
  /// Requires: the graph outlives it, and at least one of `devices`. Errors: Runtime, Resource.
  static Result<std::unique_ptr<DeviceSearch>> make(DynamicGraph& graph, std::vector<Device> devices);
  /// Asks a running launch to end.
  ~DeviceSearch();
  DeviceSearch(const DeviceSearch&) = delete;
  DeviceSearch& operator=(const DeviceSearch&) = delete;

  /// Why terms cannot be counted here; empty: they can.
  std::string problem_of(const SharedTerms& terms) const;
  /// Bounds the device memory for everything but code, and the part of it for rows; 0: no bound. Rows that do not fit
  /// are read from host memory. Requires: there is one device.
  void set_most_bytes(std::uint64_t bytes, std::uint64_t row_bytes);
  /// The bytes of device memory that suffice for these terms and the present graph, if memory is bounded.
  Result<std::uint64_t> least_bytes(const SharedTerms& terms);

  using Outcome = DeviceOutcome;
  /// Applies a prefix of the updates and counts their effect. Requires: `problem_of` is empty; terms do not change
  /// while they are the same object. Errors: Resource when out of memory, and then nothing was done; Runtime when a
  /// kernel failed. Throws std::bad_alloc.
  Result<Outcome> run(const SharedSearch::Request& request);
  /// Call when the terms of the last run have changed.
  void forget_terms() { data_.reset(); }

  /// Applies updates to the graph; the next `begin` counts them together with others. False: one does not fit, and none
  /// is applied. Requires: all updates since the last `begin` are of different edges. Throws std::bad_alloc.
  bool add(std::span<const BatchUpdate> updates);
  std::size_t added() const { return added_.size(); }
  /// True if no more updates should be added with these terms and slots.
  bool is_full(const SharedTerms& terms, std::uint32_t slots) const;
  /// The most updates for `begin`.
  std::size_t most_added(const SharedTerms& terms);
  /// Does the work on the host for the added updates ahead of `begin`; a launch may be running.
  void prepare(const SharedTerms& terms);
  /// Launches the count of the added updates, each on its version of the graph, and returns without waiting: more
  /// updates may be added meanwhile. `slots`: above those of all updates. Requires: at least one added update, and no
  /// running launch. Errors: as for `run`; then call `undo`.
  Status begin(const SharedTerms& terms, std::uint32_t slots);
  bool is_under_way() const { return !begun_.empty(); }
  /// True if `finish` probably need not wait.
  bool is_idle() const;
  /// Waits for the launch and returns its result by slot and term. If it is refused, stopped or an error, call `undo`.
  Result<Outcome> finish(const match::Stops& stops);
  /// Removes all unfinished updates from the graph.
  void undo();
  /// Sets the number of candidates between two checks for idle groups; for tests.
  void set_tried(std::uint64_t tried) {
    for (const auto& copy : copies_) copy->set_tried(tried);
  }
  /// Bytes in use on all devices.
  std::uint64_t bytes() const;
  /// Bytes of the graph in pinned host memory.
  std::uint64_t host_bytes() const { return copies_.front()->mirror().host_bytes(); }

 private:
  explicit DeviceSearch(DynamicGraph& graph) : graph_(graph), rows_(graph), walks_(graph), edits_(graph) {}

  /// Rows are kept only with bounded memory, and then there is one device.
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
  std::span<const RowWalks::Read> reads_;  ///< The reads of the batch in `rows_`.
  double walk_ms_ = 0;                     ///< The time to estimate them.
  bool is_prepared_ = false;               ///< They are those of the added updates,
  bool fits_ = true;                       ///< which fit the graph.
  std::uint64_t most_bytes_ = 0;
  std::optional<TermData> data_;
  std::uint64_t data_layout_ = 0;  ///< The layout of the graph when `data_` was made.
  std::vector<BatchUpdate> added_, begun_;
  RowEdits edits_;
  std::vector<RowEdits::Edge> edges_;
  std::vector<matcha_program::DeltaUnit> units_;
  std::vector<std::uint64_t> firsts_;
};

}  // namespace matcha::runtime::stream
