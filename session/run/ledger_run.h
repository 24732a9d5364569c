#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/ledger/ledger.h"
#include "session/question_run.h"
#include "session/run/host.h"
#include "session/run/request.h"

namespace matcha::session {

struct RunReport;

/// The part of a run for a pattern with conditions on columns, which is replaced by a program.
class LedgerRun {
 public:
  /// True if the pattern of the run has conditions on columns. Requires: the pattern was read.
  static bool answers(const QuestionRun& run);
  /// Reads the table, writes the program, and makes the run read it in place of the pattern. `shares`: the run shares
  /// its inputs with others. Errors: Usage for an option that such patterns do not support, and those of the table and
  /// of the pattern.
  Status read(const RunRequest& options, bool shares, const RunReporter& console, StopControl& session,
              QuestionRun& run, RunReport& report);
  bool is_there() const { return ledger_.has_value(); }
  void bind(const Signature& program, BoundInputs& out) { ledger::bind_ledger(*ledger_, program, out); }
  /// The names of the columns of rows.
  const std::vector<std::string>& names() const { return ledger_->names; }
  const std::vector<bool>& text_columns() const { return ledger_->are_texts; }

 private:
  std::optional<ledger::Ledger> ledger_;
  PatternOptions options_;
  std::optional<PatternSource> pattern_;  ///< Errors have their locations in it.
};

}  // namespace matcha::session
