#pragma once

#include "driver/bind.h"
#include "driver/compile.h"

namespace matcha::driver {

/// Whether all graphs among the inputs are undirected and simple.
bool is_symmetric(const BoundInputs& bound);

/// Whether the graphs among the inputs are what the passes took for granted.
bool is_as_assumed(const BoundInputs& bound, const NeighborLimits& limits);

/// Runs the passes for a CPU. Inputs that are not read yet (`maybe_bound` is null) are taken for symmetric.
Status run_cpu_passes(Compilation& compilation, const passes::LabelWords& labels, const BoundInputs* maybe_bound);

/// Runs the passes for a GPU, whose compiler's time depends on how much there is to compile: without what only long
/// lists of neighbours need if the inputs have none, or are not read yet (`maybe_bound` is null).
Status run_gpu_passes(Compilation& compilation, const passes::LabelWords& labels, const BoundInputs* maybe_bound);

}  // namespace matcha::driver
