#pragma once

#include <string>

namespace matcha::codegen::jit {

/// The build id that the linker gave to the program or library of this code; it differs for every different build.
/// Empty if it was linked without `--build-id`.
std::string build_id();

}  // namespace matcha::codegen::jit
