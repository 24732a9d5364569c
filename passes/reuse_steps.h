#pragma once

#include "passes/pass.h"

/// The steps of `reuse`, each a rewrite of the whole module.
namespace matcha::passes {

/// Sets are computed from stored sets that have all of their items, and outermost what depends on the outermost loops.
ir::Module reuse_supersets(const ir::Module& module, PassContext& context);
/// An intersection whose size a loop reads, and in whose two lists it looks items of its own up, gets a name in front
/// of the loop: then it is found once, and one look-up in it is enough.
ir::Module reuse_counted(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
