#pragma once

#include <string>

namespace matcha::codegen::jit {

/// What the linker calls the program or library that this is in: another one for every build that differs. Empty when
/// it was linked without `--build-id`.
std::string build_id();

}  // namespace matcha::codegen::jit
