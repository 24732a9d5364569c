#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/common/delta_data.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"
#include "runtime/result.h"
#include "runtime/stream/batch_rows.h"
#include "runtime/stream/dynamic_graph.h"

namespace matcha::runtime::stream {

/// The rows of a dynamic graph in the memory of a device. They go there once; afterwards only those that changed do,
/// behind the others. When the memory for them is full, it is laid out anew, with as much to spare.
class GraphMirror {
 public:
  /// Both must outlive it. `patch`: the kernel that writes records.
  GraphMirror(DynamicGraph& graph, const cuda::Stream& stream, cuda::Function patch)
      : graph_(graph), stream_(stream), patch_(std::move(patch)) {}

  /// Gives the device the graph, and the rows of a batch as its updates find them; the graph may have the batch or not.
  /// Errors: Resource where there is no memory: then nothing is there, until the next call.
  Status show(const BatchRows& batch);
  /// The batch that was shown is over: the graph has it now, or is as before it.
  void end(const BatchRows& batch, bool made);

  /// For kernels that are launched behind `show`.
  const matcha_program::DeltaRow* rows(bool backwards) const {
    return records_.data() + (backwards && graph_.directed() ? graph_.rows(false).size() : 0);
  }
  /// The longest row that is shown.
  std::uint32_t longest() const { return longest_; }
  /// Of the device.
  std::uint64_t bytes() const { return records_.bytes() + arena_.bytes() + patches_there_.bytes(); }

 private:
  std::uint64_t slot(bool backwards, std::uint32_t place) const {
    return place + (backwards && graph_.directed() ? graph_.rows(false).size() : 0);
  }
  matcha_program::DeltaRow row_at(std::uint64_t word, std::uint32_t size, std::uint32_t stamps) {
    longest_ = longest_ < size ? size : longest_;
    return {arena_.data() + word, size, stamps};
  }
  void put(std::uint64_t slot, const matcha_program::DeltaRow& row);
  Status lay_out(std::uint64_t spare);
  Status take_room(std::uint64_t live, std::uint64_t spare);
  template <typename T, typename Next>
  Status send(const cuda::DeviceBuffer<T>& to, std::uint64_t count, const Next& next);
  Status send_words(const BatchRows& batch, std::uint64_t words);
  Status send_patches();

  DynamicGraph& graph_;
  const cuda::Stream& stream_;
  cuda::Function patch_;
  cuda::DeviceBuffer<matcha_program::DeltaRow> records_;
  cuda::DeviceBuffer<std::uint32_t> arena_;
  cuda::DeviceBuffer<matcha_program::DeltaPatch> patches_there_;
  cuda::PinnedBuffer<std::uint32_t> stage_;
  cuda::PinnedBuffer<matcha_program::DeltaPatch> patch_stage_;
  std::uint64_t used_ = 0;        ///< Of the arena.
  std::uint64_t batch_word_ = 0;  ///< Where the words of the batch are.
  bool whole_ = true;             ///< All has to go there.
  std::uint32_t longest_ = 0;
  std::vector<std::uint32_t> stale_;                 ///< Places that show a batch which was not made.
  std::vector<matcha_program::DeltaPatch> kept_;     ///< Rows that the last batch left.
  std::vector<matcha_program::DeltaPatch> patches_;  ///< Of one call.
  std::vector<std::uint32_t> patch_of_;              ///< By slot, its patch and 1; 0: none.
};

}  // namespace matcha::runtime::stream
