#pragma once

#include "passes/pass.h"
#include "passes/slices.h"

/// The steps of `restrict`, each a rewrite of the whole module.
namespace matcha::passes {

/// Conditions become slices, and slices move into set operations.
ir::Module restrict_bounds(const ir::Module& module, PassContext& context);

/// Counts and lists of what a loop lets through become set operations.
ir::Module restrict_members(const ir::Module& module, PassContext& context);

/// Items that are taken off a set, `diff(s, list(x))`, are taken off last, where only a number is wanted.
ir::Module restrict_literals(const ir::Module& module, PassContext& context);

/// Stored sets shrink to the slice that is read.
ir::Module restrict_stores(const ir::Module& module, PassContext& context);

/// Slices at a loop's own variable become spans.
ir::Module restrict_spans(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
