#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "incremental/device_choice.h"
#include "incremental/engine.h"
#include "incremental/gpu_deltas.h"
#include "incremental/gpu_opening.h"
#include "session/reporter.h"

namespace matcha::session::stream {

/// The use of GPUs by a stream that requires or allows some: when they count, how many edges they take at a time, and
/// which work the CPU does.
class GpuUse {
 public:
  explicit GpuUse(DeltaDevice device) : device_(std::move(device)) {}

  /// The memory in use is bounded.
  bool is_bounded() const { return device_.bytes != 0; }
  bool is_wanted() const { return device_.kind == DeltaDevice::Kind::Gpu; }
  /// Opens the GPU if it is required. Errors: Resource if a bound on its memory is too small for the graph and the
  /// programs with deltas. Requires: the classes of the graph are set, and `present` outlives this.
  Status prepare(DynamicPresent& present, const std::vector<DeltaProgram*>& programs, const Reporter& reporter);
  /// True if the GPU should count the next edges. If a GPU is allowed and the CPU has worked for a while, begins to
  /// open it in the background; `present` as for `prepare`.
  bool counts(DynamicPresent& present);
  /// The same for the remaining edges of a batch, given the CPU's time for the edges done.
  bool counts_rest(DynamicPresent& present, std::size_t done, double cpu_ms, std::size_t left);
  /// True if a GPU may take edges from the CPU within a batch.
  bool may_join() const { return device_.kind == DeltaDevice::Kind::Auto && !is_off_; }
  /// Adds a measurement: all edges of a batch were counted on this device in `ms`.
  void add(bool on_gpu, std::size_t edges, double ms, const Reporter& reporter);
  /// Plans of programs have changed.
  void replan() { is_planned_ = false; }

  /// The GPU, if it can count for these programs, those with deltas; null: the CPU must count.
  GpuDeltas* maybe_ready(const std::vector<DeltaProgram*>& programs, const Reporter& reporter);
  /// The CPU counts from now on.
  void give_up(const Reporter& reporter, const std::string& why);
  /// The time for an edge, if known.
  std::optional<double> each_ms() const { return each_ms_; }
  void set_each_ms(double ms) { each_ms_ = ms; }

  /// The number of remaining edges that the GPU should take, in steps of at most `step_ms`; 0: none. `programs` are
  /// those with deltas.
  std::size_t wanted(std::size_t left, double step_ms, const std::vector<DeltaProgram*>& programs,
                     const Reporter& reporter);
  /// Requires: `wanted` returned more than 0. No edges taken and no error: the CPU must count. Reports errors. With
  /// partners, which could not fall back together, lack of memory is an error.
  Status take(std::span<const runtime::stream::EdgeUpdate> edges, int sign, const runtime::match::Stops& stops,
              runtime::stream::Partners* maybe_partners, const Reporter& reporter, GpuDeltas::AppliedEdges& applied);

 private:
  bool is_open(DynamicPresent& present, double cpu_ms);
  double expected_ms() const;

  DeltaDevice device_;
  DeviceChoice choice_;
  std::shared_ptr<GpuOpening> opening_;  ///< Null: not begun, or done.
  std::unique_ptr<GpuDeltas> gpu_;
  std::uint64_t edges_ = 0;  ///< Edges counted so far.
  bool is_planned_ = false;
  bool has_reported_ = false;      ///< It was reported that a part of the graph is in host memory.
  bool is_off_ = false;            ///< The CPU counts from now on.
  std::optional<double> each_ms_;  ///< The time for an edge.
  /// The CPU's time for an edge of the current batch, which may return to the CPU; 0: it may not.
  double rest_cpu_ms_ = 0;
  unsigned trials_ = 0;  ///< Parts of batches taken from the CPU to measure the GPU.
};

}  // namespace matcha::session::stream
