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

/// The part of a run that is about a pattern with conditions on columns: the pattern becomes a program.
class LedgerRun {
 public:
  /// Whether the pattern of the run, which was read, has conditions on columns.
  static bool answers(const QuestionRun& run);
  /// Reads the table, writes the program, and has the run read that in place of the pattern. `shares`: with other runs.
  /// Errors: Usage where an option is not for such patterns, and those of the table and of the pattern.
  Status read(const RunRequest& options, bool shares, const RunReporter& console, StopControl& session,
              QuestionRun& run, RunReport& report);
  bool is_there() const { return ledger_.has_value(); }
  void bind(const Signature& program, BoundInputs& out) { ledger::bind_ledger(*ledger_, program, out); }
  /// Of the columns of rows.
  const std::vector<std::string>& names() const { return ledger_->names; }
  const std::vector<bool>& text_columns() const { return ledger_->are_texts; }

 private:
  std::optional<ledger::Ledger> ledger_;
  PatternOptions options_;
  std::optional<PatternSource> pattern_;  ///< Errors have their places in it.
};

}  // namespace matcha::session
