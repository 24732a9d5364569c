#pragma once

#include <string>

namespace matcha::codegen::gpu {

/// The text of the kernels that find sums over triangles and wedges (engines/identities/device_counter.h), the same for
/// all; to be compiled with `compile_options()`.
std::string motif_text();

}  // namespace matcha::codegen::gpu
