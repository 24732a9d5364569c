#pragma once

#include <functional>
#include <memory>

#include "session/verification.h"
#include "tools/console.h"
#include "tools/run_options.h"
#include "tools/run_steps.h"
#include "tools/session.h"

namespace matcha::tools {

/// Checks the results of a run before its answer is printed: on samples of the graph, and on all of it by another
/// program, back end or order. `make` makes a run with other options. A difference is the error Run; a stop has the
/// session's status. Ok: the answer may be printed, and the report lists the comparisons.
Status verify(RunSteps& run, const RunVerbOptions& options, const Console& console, Session& session,
              const std::function<std::unique_ptr<RunSteps>(const RunVerbOptions&, const PatternOptions&)>& make);

}  // namespace matcha::tools
