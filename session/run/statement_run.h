#pragma once

#include <string>
#include <vector>

#include "ir/support/source.h"
#include "question/query/statement.h"
#include "session/run/host.h"
#include "session/run/request.h"
#include "session/status.h"

namespace matcha::session {

/// Answers a statement of Cypher with the tables of a run, and prints the answer. `sources` has the statement; its
/// errors have their places there. Options that are for patterns alone are refused by name (Usage).
Status answer_statement(const query::Statement& statement, const SourceManager& sources, const RunRequest& options,
                        const RunReporter& console, StopControl& session);

}  // namespace matcha::session
