#pragma once

#include "session/bind.h"
#include "session/compile.h"
#include "session/targets.h"

namespace matcha::session {

/// Properties of the inputs that the passes for a CPU or a GPU may assume. If the inputs are not read yet
/// (`maybe_bound` is null), these are the usual ones. For a GPU they include limits of degrees, which passes choose and
/// inputs may exceed.
ir::AssumptionKinds allowed_assumptions(bool for_gpu, const BoundInputs* maybe_bound);

/// True if the graphs among the inputs have the properties that the passes assumed. After `run_passes`.
bool is_as_assumed(const BoundInputs& bound, const Compilation& compilation);

/// Runs the passes of a target. For a GPU this includes the passes for short lists of neighbours, if the inputs have
/// such lists or are not read yet (`maybe_bound` is null): compiling for a GPU takes longer for a larger program. For a
/// loaded query, passes assume the properties that its program assumed, true or not: a run refuses inputs without them.
Status run_passes(const Target& target, Compilation& compilation, const passes::LabelWords& labels,
                  const BoundInputs* maybe_bound, const codegen::LoadedQuery& query = {});

}  // namespace matcha::session
