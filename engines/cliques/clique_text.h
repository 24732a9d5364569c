#pragma once

#include <string>

namespace matcha::codegen::gpu {

/// The text of the kernel that walks pivot trees (engines/cliques/device_counter.h), the same for all graphs; to be
/// compiled with `compile_options()`.
std::string clique_text();
/// The same of the kernel that counts at each vertex (engines/cliques/device_sums.h). `wide`: in numbers of 128 bits,
/// else 64.
std::string clique_sum_text(bool wide);

}  // namespace matcha::codegen::gpu
