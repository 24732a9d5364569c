#pragma once

#include <cstdint>
#include <optional>

#include "ir/context.h"
#include "ir/support/diagnostics.h"

namespace matcha::ir {

/// Reads the text that `print` writes (`.mtir`; `#` starts a comment). Syntax and types are checked here and reported
/// with their place (`ir-syntax`); nothing is returned after an error. The result still needs `verify`.
std::optional<Module> parse(Context& context, std::uint32_t file, Diagnostics& diagnostics);

}  // namespace matcha::ir
