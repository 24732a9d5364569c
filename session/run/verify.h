#pragma once

#include <functional>
#include <memory>

#include "session/run/host.h"
#include "session/run/request.h"
#include "session/run/steps.h"
#include "session/verification.h"

namespace matcha::session {

/// Checks the results of a run before its answer is printed: on samples of the graph, and on all of it by another
/// program, back end or order. `make` makes a run with other options. A difference is the error Run; a stop has the
/// session's status. Ok: the answer may be printed, and the report lists the comparisons.
Status verify(RunSteps& run, const RunRequest& options, const RunReporter& console, StopControl& session,
              const std::function<std::unique_ptr<RunSteps>(const RunRequest&, const PatternOptions&)>& make);

}  // namespace matcha::session
