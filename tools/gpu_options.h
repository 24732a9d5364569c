#pragma once

#include <string>
#include <vector>

#include "session/gpu.h"
#include "tools/console.h"

namespace matcha::tools {

/// Reads the file of `--load-cuda`, if there is one.
Status read_query(codegen::LoadedQuery& query, const Console& console);

/// For a run on the CPU with these options for a GPU: GPUs that are asked for by number, and kernels, are not
/// replaced by it; schedules of a GPU have no meaning.
Status check_gpu_options(const std::vector<std::string>& given, bool asked_for_cpu, const Console& console);

}  // namespace matcha::tools
