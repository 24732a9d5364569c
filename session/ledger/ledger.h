#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/inputs.h"
#include "session/bind.h"
#include "session/ledger/plan.h"
#include "session/ledger/program.h"
#include "session/pattern_source.h"
#include "session/reporter.h"

/// From a pattern with conditions and a table to a program and its inputs.
namespace matcha::session::ledger {

/// A program in the place of a pattern, with everything that a run of it needs.
struct Ledger {
  std::string program;
  std::vector<std::pair<std::string, runtime::InputList>> lists;  ///< By parameter; ends of edges are ranks.
  std::shared_ptr<const runtime::Universe> universe;
  std::shared_ptr<const runtime::LabelDictionary> dictionary;  ///< The ids of edges that are text.
  std::string ids_list;            ///< The parameter with the ids of edges; empty: there is none.
  std::vector<std::string> names;  ///< The names of the columns of rows.
  std::vector<bool> are_texts;     ///< For each of these columns, true if its cells are codes of the dictionary.
  std::string meaning;             ///< The maps that are counted, in a line.
  std::string table;               ///< How the table was read, in a line.
  std::vector<std::string> notes;  ///< For each condition, how it is evaluated.
};

/// Whether the pattern is answered with the columns of a table.
bool asks_columns(const PatternSource& pattern, const PatternOptions& options);

/// A pattern with conditions, before its table is read.
struct Question {
  pattern::PatternSet set;
  Meaning meaning;
};
/// Errors: Usage, with the place of the pattern, for options that are not for it.
Status take_question(const PatternSource& pattern, const PatternOptions& options, const BindOptions& bind,
                     const Reporter& log, Question& question);
/// The columns of rows, with their names: the vertices, and the edges that have names; for a query, those that it
/// returns.
Columns columns_of_rows(const PatternSource& pattern, const Plan& plan, bool of_query, std::vector<std::string>& names);
/// The maps that are counted, in a line.
std::string text_of(const Meaning& meaning);

/// Reads the table and writes the program. `rows`: it lists matches. Errors are reported, those of the pattern with
/// their places.
Status read_ledger(const PatternSource& pattern, const PatternOptions& options, const BindOptions& bind, bool rows,
                   const runtime::IoOptions& io, const Reporter& log, Ledger& ledger);

/// Puts the lists into the inputs of the program.
void bind_ledger(Ledger& ledger, const Signature& program, BoundInputs& out);

}  // namespace matcha::session::ledger
