#pragma once

#include <string>
#include <vector>

#include "session/gpu.h"
#include "tools/console.h"

namespace matcha::tools {

/// Reads the file of `--load-cuda`, if there is one.
Status read_query(codegen::LoadedQuery& query, const Console& console);

/// Checks a run on the CPU that has options for a GPU. Errors: a number of GPUs, or a kernel to load; Usage if the CPU
/// was requested, else Run. Warns that other options have no effect.
Status check_gpu_options(const std::vector<std::string>& given, bool asked_for_cpu, const Console& console);

}  // namespace matcha::tools
