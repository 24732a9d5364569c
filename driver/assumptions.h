#pragma once

#include "driver/bind.h"
#include "driver/compile.h"
#include "driver/targets.h"

namespace matcha::driver {

/// Whether the graphs among the inputs are what the passes assumed. After `run_passes`.
bool is_as_assumed(const BoundInputs& bound, const Compilation& compilation);

/// Runs the passes of a target. On a GPU also those that are for inputs with short lists of neighbours only, where the
/// inputs have such or are not read yet (`maybe_bound` is null): its compiler's time depends on how much there is to
/// compile.
Status run_passes(const Target& target, Compilation& compilation, const passes::LabelWords& labels,
                  const BoundInputs* maybe_bound);

}  // namespace matcha::driver
