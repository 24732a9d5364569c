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
#include "session/gpu_matcher.h"

namespace matcha::session::stream {

/// What a launch says of the rows that it read, where some are in memory of the host.
GpuRows rows_of(const runtime::stream::DeviceSearch::Outcome& outcome);

/// What the edges of a batch do to programs that count, on GPUs, each of which has a copy of the graph.
class GpuDeltas {
 public:
  /// The graph must outlive it, and have its classes laid out. Errors: Runtime where a GPU cannot be used; Resource.
  static runtime::Result<std::unique_ptr<GpuDeltas>> open(DynamicPresent& present, const DeltaDevice& settings);
  /// The same with those that are open.
  static runtime::Result<std::unique_ptr<GpuDeltas>> make(DynamicPresent& present, const DeltaDevice& settings,
                                                          std::vector<GpuCode> codes);

  /// Before the first batch, and whenever programs have other plans. Why it cannot count for them; empty: it can.
  std::string set_programs(std::vector<DeltaProgram*> programs);

  /// Edges come (+1) or go (-1), as many as are taken together, from the first; the graph and the programs take them.
  struct Took {
    runtime::stream::DeltaSearch::Ending ending = runtime::stream::DeltaSearch::Ending::Complete;
    bool fits = true;         ///< Else an edge that comes was there, or one that goes was not.
    bool is_refused = false;  ///< A number is too large for the GPU, and nothing is done.
    std::size_t edges = 0;    ///< So many.
    double ms = 0;            ///< What it took.
    GpuRows rows;
  };
  /// Errors: Resource where there is no memory, and then nothing is done; Runtime where the GPU failed.
  runtime::Result<Took> take(std::span<const runtime::stream::EdgeUpdate> edges, int sign,
                             const runtime::match::Stops& stops, runtime::stream::Partners* maybe_partners = nullptr);

  /// The same in two halves, for edges of several batches, as incremental/runtime/device_search.h has it.
  bool add(std::span<const runtime::stream::BatchUpdate> updates) { return search_->add(updates); }
  std::size_t added() const { return search_->added(); }
  bool is_full(std::uint32_t slots) const { return search_->is_full(terms_, slots); }
  bool is_idle() const { return search_->is_idle(); }
  /// So many edges may be added where there are none; and so many beside those that there are.
  std::size_t most_edges() { return search_->most_added(terms_) / updates_of_edge(); }
  bool has_room(std::size_t edges) { return added() + edges * updates_of_edge() <= search_->most_added(terms_); }
  void prepare() { search_->prepare(terms_); }
  runtime::Status begin(std::uint32_t slots) { return search_->begin(terms_, slots); }
  runtime::Result<runtime::stream::DeviceSearch::Outcome> finish(const runtime::match::Stops& stops) {
    return search_->finish(stops);
  }
  void undo() { search_->undo(); }
  /// Tells the programs what the edges of a slot did. `maps`: of all slots. False: it is beyond 128 bits.
  bool take_counts(const std::vector<__int128>& maps, std::size_t slot, int sign) const;

  /// The bytes of the GPU that suffice for the programs. Errors: Resource.
  runtime::Result<std::uint64_t> least_bytes() { return search_->least_bytes(terms_); }
  /// What is taken of the GPUs, and by the graph in memory of the host.
  std::uint64_t bytes() const { return search_->bytes(); }
  std::uint64_t host_bytes() const { return search_->host_bytes(); }

 private:
  GpuDeltas(const DynamicPresent& present, std::unique_ptr<runtime::stream::DeviceSearch> search)
      : present_(present), search_(std::move(search)) {}
  void take_matches(const runtime::stream::DeviceSearch::Outcome& outcome, int sign) const;
  /// At most: one with a label changes the layer of this, and that of all pairs.
  std::size_t updates_of_edge() const { return present_.graph().layers() == 1 ? 1 : 2; }

  const DynamicPresent& present_;
  std::unique_ptr<runtime::stream::DeviceSearch> search_;
  std::vector<DeltaProgram*> programs_;
  runtime::stream::SharedTerms terms_;
};

}  // namespace matcha::session::stream
