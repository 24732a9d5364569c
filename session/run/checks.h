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

/// Checks that the options about the answer fit together, and fit the program or the pattern. Reports an error if not.
/// Sets `format` to that of `--matches`.
Status check_answer_options(const RunRequest& options, const PatternOptions& pattern, const RunReporter& console,
                            RowFormat& format);

/// Checks that a program returns a list, if the options need one. Reports an error if not.
Status check_result_type(const RunRequest& options, const Signature& program, const RunReporter& console);

/// The text without its leading blanks.
std::string without_blanks_before(const std::string& text);

/// Chooses the target. Sets `may_choose` if the device is chosen only after the graph is read. Reports options that do
/// not fit.
Status choose_target(const RunRequest& options, const RunReporter& console, const Target*& target, bool& may_choose);

/// The reason for which a run was stopped; Ok: it was not. Terminated, if another process of its job stopped it.
Status verdict_of(codegen::Ending ending, const StopControl& session);

/// Reports the reason why a run failed, with the location in the program (in `sources`) if there is one.
Status report_failure(const codegen::RunError& failed, const BindOptions& bind, const SourceManager& sources,
                      const Reporter& reporter);

}  // namespace matcha::session
