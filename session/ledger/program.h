#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/ledger/plan.h"
#include "session/ledger/terms.h"

namespace matcha::session::ledger {

/// A program that finds the matches of a plan, or of any plan of the same form, and the lists that it reads.
struct Program {
  std::string text;
  std::vector<ListKey> lists;  ///< The content of its parameters, whose names are those of `Lists::name_of`.
  std::string ids;             ///< The parameter with the ids of edges; empty: there is none.
};

/// Columns of rows: vertices, and edges by their numbers or ids.
using Columns = std::vector<pattern::Subject>;

/// Writes the program: it counts matches, or returns rows of these columns. Nothing after an error: an int may overflow
/// 64 bits. `maybe_first`: the edge at which the search begins; with it, the text does not depend on numbers of rows.
std::optional<Program> program_of(const Plan& plan, const Meaning& meaning, const Table& table,
                                  const std::optional<Columns>& maybe_rows, Diagnostics& diagnostics,
                                  std::optional<std::size_t> maybe_first = std::nullopt);

}  // namespace matcha::session::ledger
