#pragma once

#include <string>

#include "session/bind.h"
#include "session/engines.h"
#include "session/pattern_source.h"
#include "tools/run_load.h"
#include "tools/run_options.h"
#include "tools/shared_inputs.h"

namespace matcha::tools {

/// What a run asks for, as engines read it: of the program, or of a pattern that was read. `device`: as `--device`,
/// where the options leave a choice. `rows`: matches are listed.
planner::Question question_of_run(const RunVerbOptions& options, const PatternSource* maybe_pattern,
                                  const PatternOptions& pattern, bool rows, const std::string& device);

/// The context of engines, once the inputs are read. All outlives the arguments.
EngineContext context_of_run(const RunVerbOptions& options, const BoundInputs& bound, const PartsChoice& parts,
                             SharedInputs* maybe_shared);

/// Adds a pattern of several to those that identities may count together, if they can count it; whether they can.
/// `maybe_ns`: what its program is expected to take on one thread; nothing: it was not planned.
bool count_together(const RunVerbOptions& options, const planner::Question& question, const EngineContext& context,
                    std::optional<double> maybe_ns);

}  // namespace matcha::tools
