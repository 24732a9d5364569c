#pragma once

#include "driver/bind.h"
#include "driver/compile.h"

namespace matcha::driver {

/// Whether the graphs among the inputs are what the passes assumed. After `run_passes`.
bool is_as_assumed(const BoundInputs& bound, const Compilation& compilation);

/// Runs the passes for a CPU. They may assume what is true of the inputs; inputs that are not read yet (`maybe_bound`
/// is null) are taken for undirected and simple.
Status run_cpu_passes(Compilation& compilation, const passes::LabelWords& labels, const BoundInputs* maybe_bound);

/// Runs the passes for a GPU, whose compiler's time depends on how much there is to compile: they may also bound the
/// degrees of the inputs, and leave out what only longer lists of neighbours need. Inputs that are not read yet are
/// taken for such.
Status run_gpu_passes(Compilation& compilation, const passes::LabelWords& labels, const BoundInputs* maybe_bound);

}  // namespace matcha::driver
