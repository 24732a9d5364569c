#pragma once

#include "driver/bind.h"
#include "driver/compile.h"

namespace matcha::driver {

/// What passes may assume of the graphs among the inputs.
ir::AssumptionKinds allowed_assumptions(const BoundInputs& bound);

/// Whether the graphs among the inputs are what the passes took for granted. After `run_passes`.
bool is_as_assumed(const BoundInputs& bound, const Compilation& compilation);

/// Runs the passes for a CPU. Inputs that are not read yet (`maybe_bound` is null) are taken for undirected and simple.
Status run_cpu_passes(Compilation& compilation, const passes::LabelWords& labels, const BoundInputs* maybe_bound);

/// Runs the passes for a GPU, whose compiler's time depends on how much there is to compile: without what only long
/// lists of neighbours need if the inputs have none, or are not read yet (`maybe_bound` is null).
Status run_gpu_passes(Compilation& compilation, const passes::LabelWords& labels, const BoundInputs* maybe_bound);

}  // namespace matcha::driver
