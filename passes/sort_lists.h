#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// The first step of plan-memory. Each named list that is searched (as the second operand of `intersect` and `diff`, or
/// by `contains`) and does not ascend gets a sorted copy at its binding, so that it is sorted once and not at each
/// search.
ir::Module sort_lists(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
