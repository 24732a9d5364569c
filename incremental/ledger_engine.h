#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "incremental/engine.h"
#include "incremental/ledger_forms.h"
#include "incremental/ledger_rows.h"
#include "session/ledger/ledger.h"

namespace matcha::session::stream {

/// A pattern with conditions on the columns of a table whose rows come and leave.
struct LedgerPattern {
  /// Reads the pattern of the request, which outlives it, and the tables of vertices. `bind`: the tables. Errors are
  /// reported: Usage, for options that are not for it.
  static Status read(const ProgramRequest& request, const BindOptions& bind, const runtime::IoOptions& io,
                     const Reporter& reporter, std::unique_ptr<LedgerPattern>& out);

  LedgerPattern(const PatternOptions& options, const Reporter& reporter) : source(options, reporter) {}

  PatternSource source;
  ledger::Question question;
  ledger::Wanted wanted;
  ledger::Table vertices;  ///< Their columns and labels, and no edges.
  LedgerRows::Wish wish;
};

/// Whether a pattern is kept by this engine. Its errors are for others to report.
bool asks_rows(const PatternOptions& pattern);

/// Answers one pattern with conditions. Batches have the rows that come and leave, which `rows` knows. `start`: a graph
/// without vertices, directed if the rows are arcs.
std::unique_ptr<Engine> make_ledger(std::unique_ptr<LedgerPattern> pattern, std::shared_ptr<LedgerRows> rows,
                                    const ResidentGraph::Shared& start);

}  // namespace matcha::session::stream
