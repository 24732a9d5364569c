#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "incremental/inputs.h"
#include "incremental/ledger_engine.h"
#include "incremental/stream/run.h"
#include "session/resident_graph.h"

namespace matcha::session::stream {

/// Makes the parts of a stream from a request: the inputs of its programs, its state, the graph at the start, the
/// engine.
class Opening {
 public:
  /// The request must outlive it, and `maybe_cancel`, which ends reading. `run`: threads, tier and stops of batches.
  /// `reading`: as in Prepared. It must outlive the stream.
  Opening(const StreamRequest& request, std::shared_ptr<const Reporter> reporter, Verdict verdict,
          const std::atomic<bool>* maybe_cancel, codegen::RunOptions run, Prepared::Reading reading = read_here);

  /// All steps, each unless `verdict` asks for a stop, whose status is the result then, unreported. Else Ok, or the
  /// first failure, reported.
  Status all();
  /// Requires: `all` gave Ok. Once.
  StreamParts take() { return std::move(parts_); }

 private:
  /// Which columns of timed lines are wanted; `named`: after the name of their file. `--src` and `--dst` are those of
  /// the graph at the start, if there is one, and those of the updates as far as their heading has these names.
  ColumnRequest column_request(const std::vector<runtime::ColumnRef>& named) const;
  /// Which programs read labels of edges.
  Status find_inputs();
  /// The options that must be equal on all ranks, so that they form the same batches.
  std::string words_of_ranks() const;
  /// The settings of a state. A restart must have the same ones, since the log depends on them.
  nlohmann::json settings() const;
  Status open_state();
  /// About how many edges a file of updates changes; 0: there is none.
  std::uint64_t expected_edges() const;
  Status read_graph();
  /// Programs cannot compute with ids that are text.
  Status check_text_ids() const;
  /// Where ids are text, programs see numbers of vertices, as those that come have some too.
  Status find_names(ResidentGraph::Shared& graph);
  /// The graph at the start. Requires: there is one, and `find_inputs` is done.
  runtime::GraphSpec graph_spec() const;
  /// Reads the patterns about rows, and their tables of vertices.
  Status read_ledgers();
  /// Finds the needs of the programs that read a graph. `maybe_ids`: the ids of that graph.
  Status look_at_programs(const runtime::Universe* maybe_ids, ProgramNeeds& needs) const;
  /// The window, the lateness and the slide.
  void take_lengths();
  runtime::Result<ResidentGraph::Shared> start_graph();
  Status add_programs();
  Status agree();

  const StreamRequest& request_;
  const std::shared_ptr<const Reporter> reporter_;
  const Verdict verdict_;
  const std::atomic<bool>* const cancel_;
  const Prepared::Reading reading_;
  std::vector<runtime::ColumnRef> update_columns_;       ///< After the name of the file of updates.
  std::shared_ptr<VertexNames> maybe_names_;             ///< Null unless ids are text from the start.
  std::shared_ptr<LedgerRows> maybe_rows_;               ///< The rows of a table, if a program reads rows.
  std::vector<std::unique_ptr<LedgerPattern>> ledgers_;  ///< One for each program; null unless it reads rows.
  std::vector<bool> of_rows_;                            ///< For each program: true if it reads rows.
  bool edge_labels_ = false;
  StreamParts parts_;
};

}  // namespace matcha::session::stream
