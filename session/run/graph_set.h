#pragma once

#include "session/run/host.h"
#include "session/run/request.h"

namespace matcha::session {

/// `--per graph`: counts a pattern in each graph of a set. Text has a line for each, `index count`, between tabs; JSON
/// is one object with `result`, the sum, and `graphs`. Errors: Usage where other options ask for rows, devices or parts
/// of a run; those of reading the pattern and the graph.
Status run_per_graph(const RunRequest& options, const PatternOptions& pattern, const RunReporter& console,
                     StopControl& session);

}  // namespace matcha::session
