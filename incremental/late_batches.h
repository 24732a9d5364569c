#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "engines/search/stops.h"
#include "incremental/delta_program.h"
#include "incremental/dynamic_present.h"
#include "incremental/engine.h"
#include "incremental/gpu_use.h"
#include "session/reporter.h"

namespace matcha::session::stream {

/// Pairs of 32 bits, of which it is asked whether they were there before.
class PairSet {
 public:
  bool has(std::uint64_t pair) const;
  void add(std::uint64_t pair);
  void clear();

 private:
  std::size_t slot_of(std::uint64_t pair) const;

  std::vector<std::uint64_t> slots_;  ///< A pair and 1; 0: empty. A power of two, half of them at most in use.
  std::size_t used_ = 0;
};

/// Batches of edges that the graph has, and that owe their answers: a GPU counts many of them together, each update as
/// it finds the graph, and meanwhile more are taken in. Where it cannot, the graph goes back, and they are taken one by
/// one.
class LateBatches {
 public:
  /// What it works with, all of which must outlive it.
  struct Means {
    DynamicPresent& present;
    GpuUse& gpu;
    const Reporter& reporter;
    std::function<std::vector<DeltaProgram*>()> programs;  ///< All that there are.
    /// Takes a batch in by itself.
    std::function<Status(const NetBatch&, const ApplyOptions&, std::vector<Answer>&)> apply;
  };
  explicit LateBatches(Means means) : means_(std::move(means)) {}

  /// So many edges of a batch are counted together as it is.
  static constexpr std::size_t kMostEdges = std::size_t{1} << 15;
  /// Takes a batch in. Requires: the GPU is ready for the programs, whose totals are known where they are wanted; no
  /// vertices are changed.
  Status add(const NetBatch& batch, const ApplyOptions& options);
  /// Batches that are neither answered nor given up.
  bool empty() const { return waiting_.empty() && begun_.empty(); }
  /// Until all batches have their answers.
  Status finish();
  /// The answers that are there, each once.
  std::vector<Engine::Late> take() { return std::exchange(done_, {}); }

 private:
  using Clock = std::chrono::steady_clock;
  struct One {
    NetBatch batch;
    double apply_ms = 0;
  };

  bool pair_of(const EdgeChange& edge, std::uint64_t& pair) const;
  bool find_pairs(const NetBatch& batch);
  bool find_updates(const NetBatch& batch, std::uint32_t slot);
  bool take_in(const NetBatch& batch, std::uint32_t slot);
  Status begin();
  Status land();
  std::vector<One> take_back();
  Status one_by_one(const std::vector<One>& batches);
  Status answer(const std::vector<__int128>& maps);
  Status fail(const runtime::Error& error);

  Means means_;
  GpuDeltas* maybe_gpu_ = nullptr;                     ///< That of the batches which are not answered.
  ApplyOptions options_;                               ///< Of the batch that came last.
  std::vector<One> waiting_;                           ///< Are in the graph,
  std::vector<One> begun_;                             ///< and are being counted.
  PairSet pairs_;                                      ///< Of `waiting_`,
  std::vector<std::uint64_t> found_;                   ///< and of the batch at hand,
  std::vector<runtime::stream::BatchUpdate> updates_;  ///< which are these.
  std::vector<runtime::stream::EdgeUpdate> changes_;   ///< The same, of what goes or of what comes.
  Clock::time_point since_{};                          ///< The first of them came.
  double spent_ms_ = 0;                                ///< On those that are being counted.
  GpuRows rows_;                                       ///< That these read.
  std::vector<Engine::Late> done_;
};

}  // namespace matcha::session::stream
