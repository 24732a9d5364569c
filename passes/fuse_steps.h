#pragma once

#include "passes/pass.h"

/// The steps of `fuse`, each a rewrite of the whole module.
namespace matcha::passes {

/// `flatten(l)` becomes a loop in a loop, or a collect of its own.
ir::Module fuse_flatten(const ir::Module& module, PassContext& context);

/// Collects move into the one loop or yield that reads what they make.
ir::Module fuse_producers(const ir::Module& module, PassContext& context);

/// Loops that add a constant become a product, copies of lists the lists, collects of one yield a `let`.
ir::Module fuse_loops(const ir::Module& module, PassContext& context);

/// Collects over the same list in one block become one.
ir::Module fuse_siblings(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
