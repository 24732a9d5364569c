#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engines/cliques/edge_trees.h"
#include "incremental/batch_program.h"

namespace matcha::session::stream {

/// Cliques of a stream, of one size or all: those that a batch takes away are below its deleted edges in the graph
/// before it, those that come are below its inserted edges in the graph after it, each at the first of its edges in the
/// batch (engines/cliques/edge_trees.h). Where trees take longer than a run on the whole graph, that is run.
class CliqueProgram final : public BatchProgram {
 public:
  /// Cliques of `size` vertices, 0: of all sizes, which the request names, of a graph without labels of edges. Errors
  /// go to the reporter.
  static Status make(const ProgramRequest& request, const ProgramOptions& options, std::uint32_t size,
                     const ResidentGraph::Shared& graph, const Prepared::Reading& reading,
                     std::shared_ptr<const Reporter> reporter, std::unique_ptr<BatchProgram>& out);

  MaintenanceMethod method() const override { return MaintenanceMethod::Trees; }
  const Prepared& prepared() const override { return *prepared_; }
  Status recompile(const ResidentGraph::Shared& graph) override;
  void invalidate(bool also_last) override;
  bool is_valid() const override { return is_valid_; }
  Status run_whole(const ResidentGraph::Shared& graph, const ApplyOptions& options, double layout_ms) override;
  Status refresh(const ResidentGraph::Shared& graph, const ApplyOptions& options) override;
  Status before(const BatchContext& at) override;
  bool wants_rest() const override { return wants_rest_; }
  Status run_rest(const ResidentGraph::Shared& graph, const ApplyOptions& options) override;
  Status after(const BatchContext& at, bool& done) override;
  Status answer(MaintenanceMethod how, Answer& answer) override;

 private:
  /// The count of the one size; or by size from 1 on.
  using Counts = std::vector<runtime::WideInt>;

  CliqueProgram(ProgramRequest request, const ProgramOptions& options, std::uint32_t size, Prepared::Reading reading,
                std::shared_ptr<const Reporter> reporter);

  Status count_all(const ResidentGraph::Shared& graph, const ApplyOptions& options, Counts& found);
  /// Counts the cliques that belong to the edges in the present graph; `found` is empty if a run on the whole graph is
  /// expected to be faster.
  Status count_at(const std::vector<EdgeChange>& edges, const BatchContext& at, std::optional<Counts>& found);
  std::optional<std::chrono::steady_clock::time_point> time_limit(const BatchContext& at) const;
  /// True if the sum of the total and a number of at most `bits` bits has at most 256 bits.
  bool fits(std::uint32_t bits) const;
  std::vector<Number> numbers(const Counts& counts) const;

  ProgramRequest request_;
  const ProgramOptions options_;
  const std::uint32_t size_;
  const Prepared::Reading reading_;
  const std::shared_ptr<const Reporter> reporter_;
  std::unique_ptr<Prepared> prepared_;
  std::optional<runtime::cliques::EdgeCounter> counter_;
  unsigned counter_threads_ = 0;

  Counts counts_;  ///< The counts of the present graph.
  bool is_valid_ = false;
  std::optional<Counts> last_;  ///< The counts of the last answer.
  std::optional<Counts>
      rest_;  ///< The counts of the graph with the edges that are there both before and after the batch.
  bool wants_rest_ = false;
  std::uint32_t bits_ = 0;  ///< No count of the last edges has more.

  std::optional<double> whole_ms_;               ///< The last run on a whole graph, with its layout,
  std::uint64_t whole_edges_ = 0;                ///< and its edges.
  unsigned failures_ = 0, batches_to_skip_ = 0;  ///< Trees that were cut, and batches that do without them.
};

}  // namespace matcha::session::stream
