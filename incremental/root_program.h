#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "incremental/answer.h"
#include "incremental/engine.h"
#include "incremental/root_ball.h"
#include "incremental/root_cost.h"
#include "incremental/root_module.h"
#include "incremental/root_total.h"
#include "ir/analysis/roots.h"
#include "session/prepared.h"

namespace matcha::session::stream {

/// A program of a stream that looks at one vertex after the other (ir/analysis/roots.h): where a batch changes what it
/// may see from a vertex, that is what it finds there anew, in place of what it found there before.
class RootProgram {
 public:
  /// Compiles it twice: for all vertices of a graph, and for some of them, of any. Nothing, and `why`, where its
  /// answers do not come from single vertices. Errors of the program are not told: whoever compiles it otherwise does.
  static std::unique_ptr<RootProgram> make(const ProgramRequest& request, const ProgramOptions& options,
                                           const ResidentGraph::Shared& graph, const Prepared::Reading& reading,
                                           std::shared_ptr<const Reporter> reporter, std::string& why);
  RootProgram(const RootProgram&) = delete;
  RootProgram& operator=(const RootProgram&) = delete;

  /// For a graph whose label words have other codes. The last total stays.
  Status compile_again(const ResidentGraph::Shared& graph);
  const Prepared& prepared() const { return *whole_.prepared; }

  /// Nobody knows what all roots yield: edges came and went that it was not told of. `also_last`: nor what was last
  /// answered.
  void forget(bool also_last = false) {
    knows_ = last_stays_ = false;
    old_rows_.reset();
    if (also_last) last_.reset();
  }
  bool knows() const { return knows_; }
  /// Finds what all roots yield, on the whole graph. Gives the rows of a list, where it tells them and labels are among
  /// them.
  Status run_whole(const ResidentGraph::Shared& graph, const ApplyOptions& options, RowSet* maybe_rows = nullptr);
  /// Before `compile_again`, on the graph as it is: keeps the rows of a list in which labels may be, so that it is told
  /// which ones are others.
  Status keep_rows(const ResidentGraph::Shared& graph);
  /// Those are kept: the next batch is to be run in whole.
  bool keeps_rows() const { return old_rows_.has_value(); }
  /// The same before a batch, where nobody knows it.
  Status refresh(const ResidentGraph::Shared& graph, const ApplyOptions& options);
  /// Rows that come and go are told, which only roots know.
  bool tells_rows() const { return has_rows_ && (options_.rows || options_.changes); }
  /// The layout of the graph that it got last took so long.
  void took_layout(double ms) { cost_.took_layout(ms); }

  /// What is at hand while a batch is taken.
  struct At {
    const DynamicPresent& present;
    const NetBatch& batch;
    const ApplyOptions& options;
    const std::shared_ptr<const runtime::LabelDictionary>& dictionary;
    RootBalls& balls;
  };
  /// Before the batch is in the graph: finds what the roots yield that it touches, if that is worth it. Requires:
  /// `knows`. Throws std::bad_alloc, as `after` does.
  Status before(const At& at);
  /// After it is: puts in what they yield now in place of that. Not `done`: the whole graph is to be run.
  Status after(const At& at, bool& done);

  /// Says what was found, since the last answer; where rows are wanted, of a start all there are.
  Status answer(How how, Answer& answer);

 private:
  /// What is compiled, and what that needs.
  struct Compiled {
    ir::Module module;  ///< Of the program; lives as long as `prepared`.
    ir::RootReads reads;
    std::vector<RootSink> sinks;
    RootParams params;
    bool computes_with_labels = false;
    std::string problem;
    std::unique_ptr<Prepared> prepared;
  };
  /// What a run gave.
  struct Found {
    std::vector<codegen::ResultValue> values;
    RowSet rows;
    std::shared_ptr<const runtime::Universe> universe;
  };

  RootProgram(ProgramRequest request, const ProgramOptions& options, Prepared::Reading reading,
              std::shared_ptr<const Reporter> reporter)
      : request_(std::move(request)), options_(options), reading_(std::move(reading)), reporter_(std::move(reporter)) {}

  Status compile(const ResidentGraph::Shared& graph, bool of_some, Compiled& out);
  /// Why it is no program of roots; empty: it is one.
  std::string problem() const;
  /// Runs it, with more arguments than those that it is bound to.
  codegen::RunOutcome run(const Compiled& compiled, codegen::RunOptions how, std::span<const codegen::Argument> more,
                          Found& found) const;
  /// `fits`: what was found is there; else it takes too long, does not fit or ends with an error.
  Status run_ball(const At& at, const std::vector<std::int64_t>& roots, Found& found, bool& fits);
  /// Adds what was found to the totals, or takes it out. False: a number does not fit.
  bool put(const Found& found, int sign);
  /// Of the totals. Throws codegen::host::Trap.
  std::vector<Number> results() const;
  /// Balls with more are not worth it.
  std::uint64_t most_arcs(const At& at) const;

  ProgramRequest request_;
  ProgramOptions options_;
  Prepared::Reading reading_;
  std::shared_ptr<const Reporter> reporter_;
  Compiled whole_, some_;
  bool has_rows_ = false;          ///< The result is a list.
  std::vector<RootTotal> totals_;  ///< By sink.
  bool knows_ = false;
  RootCost cost_;
  std::optional<std::vector<Number>> last_;  ///< The total of the last answer.
  bool last_stays_ = false;                  ///< Though labels have other numbers by now,
  std::optional<RowSet> old_rows_;           ///< and these were the rows.

  // Of the batch at hand:
  std::optional<std::vector<std::int64_t>> roots_;  ///< What these yielded is `was_`.
  Found was_;
  double ms_ = 0;  ///< That took so long.
  RowChanges changes_;
};

}  // namespace matcha::session::stream
