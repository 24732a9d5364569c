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
/// behind the others. When the memory for them is full, it is laid out anew, with as much to spare. Where the device
/// may not have so much, it has the rows that are read most often for their size, by walks from what a batch changes,
/// and reads the others in memory of the host.
class GraphMirror {
 public:
  /// Both must outlive it. `patch`: the kernel that writes records.
  GraphMirror(DynamicGraph& graph, const cuda::Stream& stream, cuda::Function patch)
      : graph_(graph), stream_(stream), patch_(std::move(patch)) {}

  /// The device gives no more than so many bytes for the graph; 0: as many as there are. From the next layout on, which
  /// is an error (Resource) where not even the places of rows fit.
  void set_most_bytes(std::uint64_t bytes) { most_bytes_ = bytes; }

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
  /// What the graph takes of the device.
  std::uint64_t bytes() const { return records_.bytes() + arena_.bytes(); }
  /// Of the host, which the device reads in place.
  std::uint64_t host_bytes() const { return host_.size() * sizeof(std::uint32_t); }

 private:
  std::uint64_t slot(bool backwards, std::uint32_t place) const {
    return place + (backwards && graph_.directed() ? graph_.rows(false).size() : 0);
  }
  matcha_program::DeltaRow row_at(std::uint64_t word, std::uint32_t size, std::uint32_t stamps) {
    longest_ = longest_ < size ? size : longest_;
    const std::uint32_t* const base = (word & kHost) != 0 ? host_.device_data() : arena_.data();
    return {base + (word & ~kHost), size, stamps};
  }
  bool is_inside(std::uint64_t slot) const { return inside_.empty() || inside_[slot]; }
  /// Calls `take(slot, row)` for all rows, in order.
  template <typename Take>
  void each_row(const Take& take) const;
  bool has_room(std::uint64_t words) const {
    return used_[0] + words <= arena_.size() || used_[1] + words <= host_.size();
  }
  void put(std::uint64_t slot, const matcha_program::DeltaRow& row);
  Status lay_out(const BatchRows& batch);
  void choose(const BatchRows& batch);
  Status send_items();
  Status take_room(std::uint64_t live, std::uint64_t spare);
  Status share_room(std::uint64_t words, std::uint64_t host_words);
  Error too_few(std::uint64_t least) const;
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
  cuda::PinnedBuffer<std::uint32_t> host_;  ///< Rows that the device has no room for.
  cuda::PinnedBuffer<std::uint32_t> stage_;
  cuda::PinnedBuffer<matcha_program::DeltaPatch> patch_stage_;
  /// Of a word of `host_`.
  static constexpr std::uint64_t kHost = std::uint64_t{1} << 63;
  std::uint64_t most_bytes_ = 0;
  std::uint64_t used_[2] = {0, 0};  ///< Of the arena, and of `host_`.
  std::vector<bool> inside_;        ///< By slot, whether the row is in the arena; empty: all are.
  std::uint64_t batch_word_ = 0;    ///< Where the words of the batch are.
  bool whole_ = true;               ///< All has to go there.
  std::uint32_t longest_ = 0;
  std::vector<std::uint32_t> stale_;                 ///< Places that show a batch which was not made.
  std::vector<matcha_program::DeltaPatch> kept_;     ///< Rows that the last batch left.
  std::vector<matcha_program::DeltaPatch> patches_;  ///< Of one call.
  std::vector<std::uint32_t> patch_of_;              ///< By slot, its patch and 1; 0: none.
};

}  // namespace matcha::runtime::stream
