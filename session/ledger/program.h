#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/inputs.h"
#include "session/ledger/plan.h"

namespace matcha::session::ledger {

/// A program that finds the matches of a plan, and its inputs.
struct Program {
  std::string text;
  std::vector<std::pair<std::string, runtime::InputList>> lists;  ///< By parameter.
  std::string ids;  ///< The parameter with the ids of edges; empty: it has none.
};

/// Columns of rows: vertices, and edges by their numbers or ids.
using Columns = std::vector<pattern::Subject>;

/// Writes the program: it counts, or gives rows of these columns. Nothing after an error: an int that may leave 64
/// bits, with its place.
std::optional<Program> program_of(const Plan& plan, const Meaning& meaning, const Table& table,
                                  const std::optional<Columns>& maybe_rows, Diagnostics& diagnostics);

}  // namespace matcha::session::ledger
