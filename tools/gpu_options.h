#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "driver/gpu.h"

namespace matcha::tools {

/// The options that say what the text for a GPU is like.
void add_gpu_text_options(CLI::App& verb, driver::GpuOptions& options);

/// The other options that say how a GPU runs a program.
void add_gpu_options(CLI::App& verb, driver::GpuOptions& options);

}  // namespace matcha::tools
