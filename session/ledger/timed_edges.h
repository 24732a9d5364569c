#pragma once

#include <cstdint>
#include <string>

#include "runtime/graph/io.h"
#include "session/bind.h"
#include "session/reporter.h"
#include "session/resident_graph.h"
#include "session/status.h"

namespace matcha::session::ledger {

/// The lines of a table that have a time, as lists for programs such as those of std.temporal.
struct TimedEdges {
  /// Without edges, and with two lists: `edges`, the ends of each line as ids from 0 on, and `times`, which are whole
  /// numbers of the unit of the column from 0 on.
  ResidentGraph::Shared graph;
  std::int64_t window = 0;  ///< In the unit of the times. Sums of it and a time fit into 64 bits.
  std::uint64_t vertices = 0, edges = 0;
  std::string table;  ///< How the table was read, in a line.
};

/// Reads the table of `bind.graph`. `within`: a duration such as `90m`, or a number in the unit of the column. Lines
/// without a time are dropped. Errors are reported.
Status read_timed_edges(const BindOptions& bind, const std::string& within, const runtime::IoOptions& io,
                        const Reporter& log, TimedEdges& out);

}  // namespace matcha::session::ledger
