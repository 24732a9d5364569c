#pragma once

#include <string>

namespace matcha::codegen::gpu {

/// The text of the kernels that match labelled patterns (engines/search/device_matcher.h), the same for all; to be
/// compiled with `compile_options()`.
std::string match_text();

}  // namespace matcha::codegen::gpu
