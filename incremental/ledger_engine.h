#pragma once

#include <memory>
#include <vector>

#include "incremental/engine.h"
#include "incremental/ledger_program.h"
#include "incremental/ledger_rows.h"

namespace matcha::session::stream {

/// Whether a pattern is about the rows of a table. `beside`: another one of the same stream is; then patterns with
/// labels or ids of vertices are, too, which no graph of these rows has. Errors of the pattern are for others to
/// report.
bool asks_rows(const PatternOptions& pattern, bool beside);

/// Answers patterns about the rows of a table, and by another engine other programs, whose graph has the pairs of
/// vertices that the rows join. Batches have the rows that come and leave, which `rows` knows, and these pairs.
/// `patterns`: those of the programs to come, null for others. `reading`: as in Prepared.
std::unique_ptr<Engine> with_ledgers(std::unique_ptr<Engine> others,
                                     std::vector<std::unique_ptr<LedgerPattern>> patterns,
                                     std::shared_ptr<LedgerRows> rows, const Prepared::Reading& reading = read_here);

}  // namespace matcha::session::stream
