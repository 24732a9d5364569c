#pragma once

#include <functional>

#include "ir/nodes.h"

namespace matcha::ir {

/// Calls `visit` on the blocks that `stmt` itself holds, in order; the collect of a region is no block.
void for_each_block(const Stmt& stmt, const std::function<void(const Block&)>& visit);

}  // namespace matcha::ir
