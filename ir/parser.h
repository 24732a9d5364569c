#pragma once

#include <cstdint>
#include <optional>

#include "ir/context.h"
#include "ir/support/diagnostics.h"

namespace matcha::ir {

/// Reads the text of `print` (`.mtir`; `#` starts a comment). Errors of syntax and types are reported with their place
/// (`ir-syntax`); nothing is returned after an error. The result still needs `verify`.
std::optional<Module> parse(Context& context, std::uint32_t file, Diagnostics& diagnostics);

}  // namespace matcha::ir
