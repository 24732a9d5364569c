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
#include "incremental/runtime/pair_set.h"
#include "session/reporter.h"

namespace matcha::session::stream {

/// Batches of edges that are in the graph while their answers are pending: a GPU counts many of them together, each
/// update on its version of the graph, and meanwhile more batches are added. If the GPU fails, the graph is restored,
/// and the batches are applied one by one.
class DelayedBatches {
 public:
  /// References to its environment, which must outlive it.
  struct Environment {
    DynamicPresent& present;
    GpuUse& gpu;
    const Reporter& reporter;
    std::function<std::vector<DeltaProgram*>()> programs;  ///< All programs.
    /// Applies a batch by itself.
    std::function<Status(const NetBatch&, const ApplyOptions&, std::vector<Answer>&)> apply;
  };
  explicit DelayedBatches(Environment means) : environment_(std::move(means)) {}

  /// The most edges of a batch that is counted together with others.
  static constexpr std::size_t kMostEdges = std::size_t{1} << 15;
  /// Adds a batch. Requires: the GPU is ready for the programs, whose totals are known if requested; no vertex changes.
  Status add(const NetBatch& batch, const ApplyOptions& options);
  /// True if no batch is pending.
  bool empty() const { return waiting_.empty() && begun_.empty(); }
  /// Waits until all batches have their answers.
  Status finish();
  /// The available answers, each once.
  std::vector<Engine::DelayedAnswers> take() { return std::exchange(done_, {}); }

 private:
  using Clock = std::chrono::steady_clock;
  struct PendingBatch {
    NetBatch batch;
    double apply_ms = 0;
  };

  bool pair_of(const EdgeChange& edge, std::uint64_t& pair) const;
  bool find_pairs(const NetBatch& batch);
  bool find_updates(const NetBatch& batch, std::uint32_t slot);
  bool take_in(const NetBatch& batch, std::uint32_t slot);
  Status begin();
  Status land();
  std::vector<PendingBatch> take_back();
  Status one_by_one(const std::vector<PendingBatch>& batches);
  Status answer(const std::vector<__int128>& maps);
  Status fail(const runtime::Error& error);

  Environment environment_;
  GpuDeltas* maybe_gpu_ = nullptr;                     ///< The GPU of the pending batches.
  ApplyOptions options_;                               ///< The options of the last batch.
  std::vector<PendingBatch> waiting_;                  ///< In the graph, not submitted;
  std::vector<PendingBatch> begun_;                    ///< submitted to the GPU.
  runtime::stream::PairSet pairs_;                     ///< The pairs of `waiting_`,
  std::vector<std::uint64_t> found_;                   ///< and of the current batch,
  std::vector<runtime::stream::BatchUpdate> updates_;  ///< The updates of the current batch.
  std::vector<runtime::stream::EdgeUpdate> changes_;   ///< The same, of the current deletions or insertions.
  Clock::time_point since_{};                          ///< When the first of them arrived.
  double spent_ms_ = 0;                                ///< Time spent on the submitted batches.
  GpuRows rows_;                                       ///< Rows that these read.
  std::vector<Engine::DelayedAnswers> done_;
};

}  // namespace matcha::session::stream
