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

  struct Outcome {
    SharedSearch::Result found;
    /// A number is so large that only SharedSearch can tell it; nothing is done.
    bool is_refused = false;
  };
  /// Takes updates in, from the first, and says what they do. Requires: `problem_of` has none; the terms stay as they
  /// are while they are the same object. Errors: Resource where there is no memory, and then nothing is done; Runtime
  /// where a kernel failed. Throws std::bad_alloc.
  Result<Outcome> run(const SharedSearch::Request& request);
  /// The terms of the last run are others now.
  void forget_terms() { data_.reset(); }

  /// Takes an update into the graph, which is counted with others by the next `begin`. False: it does not fit, and is
  /// not taken. Requires: no other one that was added since the last `begin` is of the same edge. Throws
  /// std::bad_alloc.
  bool add(const BatchUpdate& update);
  std::size_t added() const { return added_.size(); }
  /// Whether no more are to be added with these terms and slots.
  bool is_full(const SharedTerms& terms, std::uint32_t slots) const;
  /// Lets the device count what was added does, as each update finds the graph, and comes back meanwhile: more may be
  /// added then. `slots`: above those of all of them. Requires: something was added, and nothing is under way. Errors:
  /// as for `run`; then `undo` is to be called.
  Status begin(const SharedTerms& terms, std::uint32_t slots);
  bool is_under_way() const { return !begun_.empty(); }
  /// Waits for it, and says what it found: slot by slot, and by term. Where it is refused, stopped or an error, `undo`
  /// is to be called.
  Result<Outcome> finish(const match::Stops& stops);
  /// Takes all updates out of the graph again that are not finished.
  void undo();
  /// Tries so many candidates before it looks whether others wait for work; for tests.
  void set_tried(std::uint64_t tried) { tried_ = tried; }
  /// What the graph takes of the device, and at most so many bytes of it from the next layout on (0: no bound).
  std::uint64_t graph_bytes() const { return mirror_.bytes(); }
  /// What of it is in memory of the host.
  std::uint64_t host_bytes() const { return mirror_.host_bytes(); }
  void set_most_graph_bytes(std::uint64_t bytes) { mirror_.set_most_bytes(bytes); }

 private:
  DeviceSearch(DynamicGraph& graph, cuda::Stream stream, cuda::Module code, cuda::Function count, cuda::Function patch,
               unsigned most_blocks);

  struct Layout;
  bool put(const BatchUpdate& update, bool comes);
  void find_units(const SharedTerms& terms);
  Status reserve_scratch(std::uint64_t blocks, std::uint64_t& groups);
  Status launch(const SharedTerms& terms, std::uint32_t slots);
  Status show_and_launch(const SharedTerms& terms, std::uint32_t slots);
  Status send(const Layout& layout);
  Result<Outcome> read(const match::Stops& stops) const;

  DynamicGraph& graph_;
  std::unique_ptr<cuda::Stream> stream_;
  cuda::Module code_;
  cuda::Function count_;
  unsigned most_blocks_;
  BatchRows rows_;
  GraphMirror mirror_;
  std::optional<TermData> data_;
  std::uint64_t data_layout_ = 0;  ///< Of the graph, when `data_` was made.
  std::vector<BatchUpdate> added_, begun_;
  std::uint32_t slots_ = 0;  ///< Of those that are under way.
  std::vector<matcha_program::DeltaUnit> units_;
  std::vector<std::uint64_t> firsts_;
  cuda::DeviceMemory control_;
  cuda::PinnedMemory control_stage_;
  match::KernelWish wish_;
  cuda::DeviceBuffer<matcha_program::DeltaTask> tasks_;
  cuda::DeviceBuffer<std::uint32_t> scratch_;
  std::uint64_t room_words_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t tried_ = 4;
};

}  // namespace matcha::runtime::stream
