#pragma once

#include "tools/bind.h"
#include "tools/compile.h"

namespace matcha::tools {

/// Whether no vertex of a graph among the inputs has more neighbours than the passes took for granted.
bool has_short_lists(const BoundInputs& bound, const NeighborLimits& limits);

/// Runs the passes for a GPU, whose compiler's time depends on how much there is to compile: without what only long
/// lists of neighbours need if the inputs have none, or are not read yet (`maybe_bound` is null).
ExitCode run_gpu_passes(Compilation& compilation, const passes::LabelWords& labels, const BoundInputs* maybe_bound);

}  // namespace matcha::tools
