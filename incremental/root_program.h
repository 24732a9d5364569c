#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "incremental/batch_program.h"
#include "incremental/root_cost.h"
#include "incremental/root_module.h"
#include "incremental/root_total.h"
#include "ir/analysis/roots.h"
#include "session/prepared.h"

namespace matcha::session::stream {

/// A program of a stream that processes one vertex after the other (ir/analysis/roots.h). If a batch changes a part of
/// the graph that is read from a vertex, the yields at that vertex are recomputed and replaced.
class RootProgram final : public BatchProgram {
 public:
  /// Compiles it twice: for all vertices of a graph, and for some of them, of any graph. Null, with `why`, if its
  /// answers do not come from single vertices. Errors of the program are not reported: its other compilation reports
  /// them.
  static std::unique_ptr<RootProgram> make(const ProgramRequest& request, const ProgramOptions& options,
                                           const ResidentGraph::Shared& graph, const Prepared::Reading& reading,
                                           std::shared_ptr<const Reporter> reporter, std::string& why);

  MaintenanceMethod method() const override { return MaintenanceMethod::Roots; }
  Status recompile(const ResidentGraph::Shared& graph) override;
  const Prepared& prepared() const override { return *whole_.prepared; }

  void invalidate(bool also_last) override {
    is_valid_ = last_stays_ = false;
    old_rows_.reset();
    if (also_last) last_.reset();
  }
  bool is_valid() const override { return is_valid_; }
  Status run_whole(const ResidentGraph::Shared& graph, const ApplyOptions& options, double layout_ms) override {
    cost_.add_layout_time(layout_ms);
    return run_roots(graph, options);
  }
  Status keep_rows(const ResidentGraph::Shared& graph) override;
  bool keeps_rows() const override { return old_rows_.has_value(); }
  Status refresh(const ResidentGraph::Shared& graph, const ApplyOptions& options) override;
  bool reports_rows() const override { return has_rows_ && (options_.rows || options_.changes); }
  /// Computes the yields of the roots that the batch touches, if that pays.
  Status before(const BatchContext& at) override;
  /// Replaces these yields by the new ones.
  Status after(const BatchContext& at, bool& done) override;
  Status answer(MaintenanceMethod how, Answer& answer) override;

 private:
  /// A compiled program and its resources.
  struct Compiled {
    ir::Module module;  ///< Owned by `prepared`.
    ir::RootReads reads;
    std::vector<RootSink> sinks;
    RootParams params;
    bool computes_with_labels = false;
    std::string problem;
    std::unique_ptr<Prepared> prepared;
  };
  /// The result of a run.
  struct Found {
    std::vector<codegen::ResultValue> values;
    RowSet rows;
    std::shared_ptr<const runtime::Universe> universe;
  };

  RootProgram(ProgramRequest request, const ProgramOptions& options, Prepared::Reading reading,
              std::shared_ptr<const Reporter> reporter)
      : request_(std::move(request)), options_(options), reading_(std::move(reading)), reporter_(std::move(reporter)) {}

  Status compile(const ResidentGraph::Shared& graph, bool of_some, Compiled& out);
  /// Computes the yields of all roots, on the whole graph. Returns the rows of a list, if it reports them and they
  /// contain labels.
  Status run_roots(const ResidentGraph::Shared& graph, const ApplyOptions& options, RowSet* maybe_rows = nullptr);
  /// Why it is not a program of roots; empty: it is one.
  std::string problem() const;
  /// Runs it, with additional arguments.
  codegen::RunOutcome run(const Compiled& compiled, codegen::RunOptions how, std::span<const codegen::Argument> more,
                          Found& found) const;
  /// `fits`: the result is valid; false: it took too long, overflowed or ended with an error.
  Status run_ball(const BatchContext& at, const std::vector<std::int64_t>& roots, Found& found, bool& fits);
  /// Adds a result to the totals, or subtracts it. False: overflow.
  bool put(const Found& found, int sign);
  /// The results from the totals. Throws codegen::host::Trap.
  std::vector<Number> results() const;
  /// The most arcs of a ball that costs less than the whole graph.
  std::uint64_t most_arcs(const BatchContext& at) const;

  ProgramRequest request_;
  ProgramOptions options_;
  Prepared::Reading reading_;
  std::shared_ptr<const Reporter> reporter_;
  Compiled whole_, some_;
  bool has_rows_ = false;          ///< The result is a list.
  std::vector<RootTotal> totals_;  ///< By sink.
  bool is_valid_ = false;
  RootCost cost_;
  std::optional<std::vector<Number>> last_;  ///< The total of the last answer.
  bool last_stays_ = false;                  ///< It stays valid although labels have new codes,
  std::optional<RowSet> old_rows_;           ///< and these were the rows.

  // Members for the current batch:
  std::optional<std::vector<std::int64_t>> roots_;  ///< The recomputed roots; `was_` has their yields before the batch.
  Found was_;
  double ms_ = 0;  ///< The time of the batch so far.
  RowChanges changes_;
};

}  // namespace matcha::session::stream
