#pragma once

#include "passes/pass.h"

/// The steps of `reuse`, each a rewrite of the whole module.
namespace matcha::passes {

/// Computes sets from stored supersets, and parts that depend only on outer loops in those.
ir::Module reuse_supersets(const ir::Module& module, PassContext& context);
/// Names an intersection in front of a loop that reads its size and looks up its own items in both lists: it is then
/// computed once, and one look-up in it is enough.
ir::Module reuse_counted(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
