#pragma once

#include <string>

namespace matcha::codegen::gpu {

/// The text of the kernel that walks pivot trees (engines/cliques/device_counter.h), the same for all graphs; to be
/// compiled with `compile_options()`.
std::string clique_text();

}  // namespace matcha::codegen::gpu
