#pragma once

#include "codegen/backend.h"
#include "session/bind.h"
#include "session/compile.h"
#include "session/reporter.h"
#include "session/row_encoder.h"
#include "session/run/host.h"
#include "session/run/request.h"
#include "session/targets.h"

namespace matcha::session {

/// Checks that the options about the answer fit together, and fit the program or the pattern; reports if not. `format`
/// becomes that of `--matches`.
Status check_answer_options(const RunRequest& options, const PatternOptions& pattern, const RunReporter& console,
                            RowFormat& format);

/// Whether a program gives the list that the options ask for; reports if not.
Status check_result_type(const RunRequest& options, const Signature& program, const RunReporter& console);

/// A text from its first character on that is no blank.
std::string without_blanks_before(const std::string& text);

/// Chooses where to run; `may_choose`: this is left open until the graph is read. Reports options that do not fit.
Status choose_target(const RunRequest& options, const RunReporter& console, const Target*& target, bool& may_choose);

/// The reason for a stopped run; Ok: it was not stopped. One that was stopped by another process of its job is
/// terminated.
Status verdict_of(codegen::Ending ending, const StopControl& session);

/// Says why a run failed, with its place in the program if it has one, in `sources`.
Status report_failure(const codegen::RunError& failed, const BindOptions& bind, const SourceManager& sources,
                      const Reporter& reporter);

}  // namespace matcha::session
