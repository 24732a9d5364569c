#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// The first step of plan-memory: each named list that does not ascend and in which something is looked up (as the
/// second operand of `intersect` and `diff`, or by `contains`) gets a sorted copy where it is bound, so that it is
/// sorted once and not at each look-up.
ir::Module sort_lists(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
