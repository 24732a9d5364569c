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

/// The GPUs of a stream that asks for some, or may use one: when it counts, how many edges it takes at a time, and what
/// is left to the CPU.
class GpuUse {
 public:
  explicit GpuUse(DeltaDevice device) : device_(std::move(device)) {}

  /// There is a bound on what is taken of it.
  bool is_bounded() const { return device_.bytes != 0; }
  bool is_wanted() const { return device_.kind == DeltaDevice::Kind::Gpu; }
  /// Opens it where it is asked for. It is an error (Resource) if a bound on its memory is too small for the graph and
  /// these programs, which have deltas. Requires: the classes of the graph are laid out, and `present` outlives this.
  Status prepare(DynamicPresent& present, const std::vector<DeltaProgram*>& programs, const Reporter& reporter);
  /// Whether the GPU is to count the next edges. Where one may be used, and the CPU has worked for a while, it is
  /// opened meanwhile; `present` as for `prepare`.
  bool counts(DynamicPresent& present);
  /// The same for the edges of a batch that are left, where the CPU took so long for so many of them.
  bool counts_rest(DynamicPresent& present, std::size_t done, double cpu_ms, std::size_t left);
  /// Whether a GPU may take edges from the CPU, in the midst of a batch.
  bool may_join() const { return device_.kind == DeltaDevice::Kind::Auto && !is_off_; }
  /// All edges of a batch were counted there, and took so long.
  void add(bool on_gpu, std::size_t edges, double ms, const Reporter& reporter);
  /// Programs have other plans.
  void replan() { is_planned_ = false; }

  /// The GPU, where it can count for these programs, which are those that have deltas; null: the CPU has to.
  GpuDeltas* maybe_ready(const std::vector<DeltaProgram*>& programs, const Reporter& reporter);
  /// The CPU counts from now on.
  void give_up(const Reporter& reporter, const std::string& why);
  /// What an edge takes, as far as it is known.
  std::optional<double> each_ms() const { return each_ms_; }
  void set_each_ms(double ms) { each_ms_ = ms; }

  /// How many of the edges that are left it is to take, with steps of so many milliseconds at most; 0: none.
  /// `programs` are those that have deltas.
  std::size_t wanted(std::size_t left, double step_ms, const std::vector<DeltaProgram*>& programs,
                     const Reporter& reporter);
  /// Requires: `wanted` said so. Nothing taken and no error: the CPU has to. Reports errors.
  /// With partners, who could not tell, no memory is an error.
  Status take(std::span<const runtime::stream::EdgeUpdate> edges, int sign, const runtime::match::Stops& stops,
              runtime::stream::Partners* maybe_partners, const Reporter& reporter, GpuDeltas::Took& took);

 private:
  bool is_open(DynamicPresent& present, double cpu_ms);
  double expected_ms() const;

  DeltaDevice device_;
  DeviceChoice choice_;
  std::shared_ptr<GpuOpening> opening_;  ///< Null: not yet, or it is over.
  std::unique_ptr<GpuDeltas> gpu_;
  std::uint64_t edges_ = 0;  ///< Counted so far.
  bool is_planned_ = false;
  bool has_told_ = false;          ///< That a part of the graph is in memory of the host.
  bool is_off_ = false;            ///< The CPU counts from now on.
  std::optional<double> each_ms_;  ///< What an edge takes.
  double rest_cpu_ms_ = 0;  ///< What an edge of the batch at hand takes the CPU, which may have the rest; 0: not.
  unsigned trials_ = 0;     ///< Parts of batches that it took from the CPU to see what they take.
};

}  // namespace matcha::session::stream
