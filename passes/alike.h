#pragma once

#include "ir/builder.h"

namespace matcha::passes {

/// True if the two collects compute the same, whatever their values are called. What both read from outside must be the
/// same value. Statements that stand in regions only, at top level only, or yield elsewhere are never alike.
bool alike(ir::Builder& builder, const ir::Collect& a, const ir::Collect& b);

}  // namespace matcha::passes
