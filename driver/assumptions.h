#pragma once

#include "driver/bind.h"
#include "driver/compile.h"

namespace matcha::driver {

/// What passes for a CPU or a GPU may assume of the inputs: what is true of them, or of the usual ones while they are
/// not read (`maybe_bound` is null); for a GPU also limits of degrees, which passes choose and inputs may then break.
ir::AssumptionKinds allowed_assumptions(bool for_gpu, const BoundInputs* maybe_bound);

/// Whether the graphs among the inputs are what the passes assumed. After `run_passes`.
bool is_as_assumed(const BoundInputs& bound, const Compilation& compilation);

/// Runs the passes for a CPU.
Status run_cpu_passes(Compilation& compilation, const passes::LabelWords& labels, const BoundInputs* maybe_bound);

/// Runs the passes for a GPU, whose compiler's time depends on how much there is to compile: without what only long
/// lists of neighbours need if the inputs have none, or are not read yet.
Status run_gpu_passes(Compilation& compilation, const passes::LabelWords& labels, const BoundInputs* maybe_bound);

}  // namespace matcha::driver
