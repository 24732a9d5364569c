#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/cpu/set_kernels.h"
#include "session/gpu.h"
#include "session/reporter.h"

namespace matcha::session {

/// Reads the file of `--load-cuda`, if there is one.
Status read_query(codegen::LoadedQuery& query, const Reporter& console);

/// Checks a run on the CPU that has options for a GPU. Errors: a number of GPUs, or a kernel to load; Usage if the CPU
/// was requested, else Run. Warns that other options have no effect.
Status check_gpu_options(const std::vector<std::string>& given, bool asked_for_cpu, const Reporter& console);

/// The SIMD tier that `--simd` names; none if it is empty. An error if there is none of that name, or not here.
Status choose_tier(const std::string& name, const Reporter& console, std::optional<runtime::Tier>& tier);

}  // namespace matcha::session
