#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/gpu.h"
#include "tools/console.h"

namespace matcha::tools {

/// The options that say what the text for a GPU is like.
void add_gpu_text_options(CLI::App& verb, driver::GpuOptions& options);

/// The other options that say how a GPU runs a program.
void add_gpu_options(CLI::App& verb, driver::GpuOptions& options);

/// `--gpus N|all` alone; 0 is all, and nothing is given: it is not there.
CLI::Option* add_gpus(CLI::App& verb, std::optional<std::uint32_t>& gpus);

/// `--load-cuda FILE`; `read_query` reads the file, if there is one.
CLI::Option* add_load_cuda(CLI::App& verb, codegen::LoadedQuery& query);
Status read_query(codegen::LoadedQuery& query, const Console& console);

/// For a run on the CPU with these options for a GPU: GPUs that are asked for by number, and kernels, are not
/// replaced by it; schedules of a GPU have no meaning.
Status check_gpu_options(const std::vector<std::string>& given, bool asked_for_cpu, const Console& console);

}  // namespace matcha::tools
