#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/backend.h"
#include "incremental/answer.h"
#include "session/ledger/bounds.h"
#include "session/ledger/ledger.h"
#include "session/prepared.h"
#include "session/question_run.h"

namespace matcha::session::stream {

/// Programs over rows of a table, each compiled once.
class RowPrograms {
 public:
  /// `request`: the device and the tier. The reporter outlives it. `reading`: as in Prepared.
  RowPrograms(const ProgramRequest& request, const Reporter& reporter, Prepared::Reading reading)
      : request_(request), reporter_(reporter), reading_(std::move(reading)) {}

  /// Compiles a text, unless that is done. Errors are those of compiling.
  Status take(const std::string& text, codegen::Executable*& out);
  const SourceManager& sources(const std::string& text) const { return programs_.at(text)->compilation->sources(); }

 private:
  const ProgramRequest& request_;
  const Reporter& reporter_;
  const Prepared::Reading reading_;
  std::map<std::string, std::unique_ptr<QuestionRun>> programs_;
};

/// One side of a batch: the rows after it, or those before it, as far as they can be in a match that changes.
struct LedgerSide {
  struct Rows {
    std::uint64_t begin = 0, end = 0;
    bool has(std::uint64_t row) const { return row >= begin && row < end; }
  };
  ledger::Table table;
  Rows own;    ///< The rows of this side.
  Rows other;  ///< The rows of the other side. Rows of `own` that are not in `other` are inserted, or deleted.
};

/// A pattern with conditions for columns of certain types: a program for each edge that may be the image of an inserted
/// or a deleted row. In its matches the edges before this edge have unchanged rows, and those after it any rows, so
/// each match is counted once.
class LedgerForm {
 public:
  /// `rows`: matches are listed. The question and the pattern outlive it.
  LedgerForm(const ledger::Question& question, const PatternSource& pattern, bool rows)
      : question_(question), pattern_(pattern), rows_(rows) {}

  /// Errors go to `diagnostics`.
  bool make(const ledger::Table& table, Diagnostics& diagnostics);

  /// The most time by which a row of a match may be before the first inserted row, or after the last deleted one;
  /// nothing: any time.
  std::optional<__int128> reach(bool is_insert) const { return is_insert ? reach_back_ : reach_on_; }
  const std::vector<std::string>& row_names() const { return names_; }

  /// Counts the matches with an inserted row (`comes`) or a deleted row of the side; with `all`, all matches.
  /// `maybe_found` gets their rows.
  Status count(const LedgerSide& side, bool is_insert, bool all, RowPrograms& programs, codegen::RunOptions options,
               const Reporter& reporter, RowSet* maybe_found, __int128& count);

 private:
  /// The rows that an edge may have.
  enum Part : std::uint8_t { kAll, kOld, kNew, kParts };
  struct Term {
    std::size_t first = 0;               ///< The edge that has the new rows.
    std::vector<std::size_t> classes{};  ///< The class and part of each edge.
    ledger::Program program{};
  };

  void find_terms(bool is_insert);
  std::size_t class_of(std::size_t edge, Part part) const { return kParts * form().class_of[edge] + part; }
  const ledger::Plan& form() const { return maker_->form(); }
  /// Writes the programs for columns with at least the ranges of these.
  bool write(const ledger::Table& table, Diagnostics& diagnostics);
  bool write_for(const ledger::Table& table, Diagnostics& diagnostics);
  bool fits(const ledger::Table& table) const;
  /// The parts of a class, `kParts` from `parts` on.
  void split(ledger::EdgeClass all, const ledger::Plan& plan, const LedgerSide& side, ledger::EdgeClass* parts) const;

  const ledger::Question& question_;
  const PatternSource& pattern_;
  const bool rows_;
  std::unique_ptr<ledger::PlanMaker> maker_;
  ledger::Bounds bounds_;
  std::vector<std::string> names_;
  ledger::Columns columns_;
  std::vector<Term> terms_[2];  ///< For deleted rows, and for inserted ones.
  Term whole_;
  std::optional<__int128> reach_back_, reach_on_;
  /// By column of edges, then of vertices: the least and the largest value that the programs are for.
  std::map<std::pair<bool, std::string>, std::pair<std::int64_t, std::int64_t>> ranges_;
};

}  // namespace matcha::session::stream
