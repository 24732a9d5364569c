#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engines/search/stops.h"
#include "incremental/delta_program.h"
#include "incremental/dynamic_present.h"
#include "incremental/engine.h"
#include "incremental/runtime/device_search.h"
#include "incremental/runtime/shared_search.h"
#include "runtime/result.h"
#include "session/engines/gpu_matcher.h"

namespace matcha::session::stream {

/// Statistics of the rows that a launch read, if some rows are remote.
GpuRows rows_of(const runtime::stream::DeviceSearch::Outcome& outcome);

/// Counts the deltas of a batch's edges for programs, on GPUs that each have a copy of the graph.
class GpuDeltas {
 public:
  /// Requires: the graph outlives it and its classes are set. Errors: Runtime if a GPU is unusable; Resource.
  static runtime::Result<std::unique_ptr<GpuDeltas>> open(DynamicPresent& present, const DeltaDevice& settings);
  /// The same with GPUs that are already open.
  static runtime::Result<std::unique_ptr<GpuDeltas>> make(DynamicPresent& present, const DeltaDevice& settings,
                                                          std::vector<GpuCode> codes);

  /// Call before the first batch, and whenever plans of programs change. Returns why it cannot count for them; empty:
  /// it can.
  std::string set_programs(std::vector<DeltaProgram*> programs);

  /// The result of inserting (+1) or deleting (-1) a prefix of some edges, applied to the graph and the programs.
  struct AppliedEdges {
    runtime::stream::DeltaSearch::Ending ending = runtime::stream::DeltaSearch::Ending::Complete;
    bool fits = true;         ///< False: an inserted edge exists, or a deleted one does not.
    bool is_refused = false;  ///< A number exceeds the range of the GPU, and nothing was done.
    std::size_t edges = 0;    ///< The length of the prefix.
    double ms = 0;            ///< The time it took.
    GpuRows rows;
  };
  /// Errors: Resource when out of memory, and then nothing was done; Runtime when the GPU failed.
  runtime::Result<AppliedEdges> take(std::span<const runtime::stream::EdgeUpdate> edges, int sign,
                                     const runtime::match::Stops& stops,
                                     runtime::stream::Partners* maybe_partners = nullptr);

  /// The same in two steps, for edges of several batches, as in incremental/runtime/device_search.h.
  bool add(std::span<const runtime::stream::BatchUpdate> updates) { return search_->add(updates); }
  std::size_t added() const { return search_->added(); }
  bool is_full(std::uint32_t slots) const { return search_->is_full(terms_, slots); }
  bool is_idle() const { return search_->is_idle(); }
  /// The most edges that may be added to none; and the most in addition to those already added.
  std::size_t most_edges() { return search_->most_added(terms_) / updates_of_edge(); }
  bool has_room(std::size_t edges) { return added() + edges * updates_of_edge() <= search_->most_added(terms_); }
  void prepare() { search_->prepare(terms_); }
  runtime::Status begin(std::uint32_t slots) { return search_->begin(terms_, slots); }
  runtime::Result<runtime::stream::DeviceSearch::Outcome> finish(const runtime::match::Stops& stops) {
    return search_->finish(stops);
  }
  void undo() { search_->undo(); }
  /// Passes the counts of a slot to the programs. `maps`: of all slots. False: overflow of 128 bits.
  bool take_counts(const std::vector<__int128>& maps, std::size_t slot, int sign) const;

  /// The bytes of GPU memory that suffice for the programs. Errors: Resource.
  runtime::Result<std::uint64_t> least_bytes() { return search_->least_bytes(terms_); }
  /// The memory in use on the GPUs, and of the graph on the host.
  std::uint64_t bytes() const { return search_->bytes(); }
  std::uint64_t host_bytes() const { return search_->host_bytes(); }

 private:
  GpuDeltas(const DynamicPresent& present, std::unique_ptr<runtime::stream::DeviceSearch> search)
      : present_(present), search_(std::move(search)) {}
  void take_matches(const runtime::stream::DeviceSearch::Outcome& outcome, int sign) const;
  /// At most two: an edge with a label changes its layer and that of all pairs.
  std::size_t updates_of_edge() const { return present_.graph().layers() == 1 ? 1 : 2; }

  const DynamicPresent& present_;
  std::unique_ptr<runtime::stream::DeviceSearch> search_;
  std::vector<DeltaProgram*> programs_;
  runtime::stream::SharedTerms terms_;
};

}  // namespace matcha::session::stream
