#pragma once

#include "passes/pass.h"

/// The steps of `fuse`, each a rewrite of the whole module.
namespace matcha::passes {

/// `flatten(l)` becomes a loop in a loop, or a separate collect.
ir::Module fuse_flatten(const ir::Module& module, PassContext& context);

/// Moves collects into the only loop or yield that reads their values.
ir::Module fuse_producers(const ir::Module& module, PassContext& context);

/// Turns loops that add a constant into a product, copies of lists into the lists, and collects of one yield into a
/// `let`.
ir::Module fuse_loops(const ir::Module& module, PassContext& context);

/// Collects over the same list in one block become one.
ir::Module fuse_siblings(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
