#pragma once

#include "passes/pass.h"
#include "passes/slices.h"

/// The steps of `restrict`, each a rewrite of the whole module.
namespace matcha::passes {

/// Conditions become slices, and slices move into set operations.
ir::Module restrict_bounds(const ir::Module& module, PassContext& context);

/// Turns counts and lists of the items that pass a condition into set operations.
ir::Module restrict_members(const ir::Module& module, PassContext& context);

/// Subtracts excluded items, `diff(s, list(x))`, last if only a number is used.
ir::Module restrict_literals(const ir::Module& module, PassContext& context);

/// Shrinks stored sets to the slice that is read.
ir::Module restrict_stores(const ir::Module& module, PassContext& context);

/// Turns slices at a loop's own variable into spans.
ir::Module restrict_spans(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
