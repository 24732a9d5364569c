#pragma once

#include <optional>
#include <string>

#include "codegen/c_family/ahead_of_time.h"
#include "codegen/c_family/schedule.h"
#include "ir/nodes.h"
#include "ir/support/diagnostics.h"

namespace matcha::codegen::gpu {

/// The program as one self-contained file: `nvcc -arch=sm_90 q.cu -o q && ./q graph.mtg`. First comes the device text,
/// byte for byte that of `emit_device_text`, then a host with `main` that works as that of `--emit=cpp`. Gives nothing,
/// with a diagnostic, for a program of several graphs or one that cannot run on a device. Requires: a verified module
/// of stage kernel whose label words were lifted.
std::optional<std::string> emit_program(const ir::Module& module, const AheadOfTime& about, Diagnostics& diagnostics,
                                        Search search = Search::Plain);

}  // namespace matcha::codegen::gpu
