#pragma once

#include "ir/builder.h"

namespace matcha::passes {

/// True if the two collects compute the same, up to the names of their variables; values from outside must be
/// identical. Statements that only occur in regions or at top level, or that yield to outer sinks, are never alike.
bool alike(ir::Builder& builder, const ir::Collect& a, const ir::Collect& b);

}  // namespace matcha::passes
