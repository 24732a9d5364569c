#pragma once

#include "session/bind.h"
#include "session/compile.h"
#include "session/targets.h"

namespace matcha::session {

/// What passes for a CPU or a GPU may assume of the inputs: what is true of them, or of the usual ones while they are
/// not read (`maybe_bound` is null); for a GPU also limits of degrees, which passes choose and inputs may then break.
ir::AssumptionKinds allowed_assumptions(bool for_gpu, const BoundInputs* maybe_bound);

/// True if the graphs among the inputs are as the passes assumed. After `run_passes`.
bool is_as_assumed(const BoundInputs& bound, const Compilation& compilation);

/// Runs the passes of a target. On a GPU also those that are for inputs with short lists of neighbours only, where the
/// inputs have such or are not read yet (`maybe_bound` is null): its compiler's time depends on how much there is to
/// compile. With a query that was loaded, passes assume what its program did, be that true or not: a run refuses inputs
/// that are not so.
Status run_passes(const Target& target, Compilation& compilation, const passes::LabelWords& labels,
                  const BoundInputs* maybe_bound, const codegen::LoadedQuery& query = {});

}  // namespace matcha::session
