#pragma once

#include <vector>

#include "ir/nodes.h"
#include "passes/pass.h"
#include "passes/slices.h"

/// The steps of `restrict`, each a rewrite of the whole module.
namespace matcha::passes {

/// A loop whose body is lets and one `if` without `else`.
struct Guarded {
  std::vector<const ir::Stmt*> lets;
  const ir::If* branch = nullptr;
};
/// Fills `guarded`; false for another loop.
bool is_guarded(const ir::For& loop, Guarded& guarded);

/// Conditions become slices, and slices move into set operations.
ir::Module restrict_bounds(const ir::Module& module, PassContext& context);

/// Turns counts and lists of the items that pass a condition into set operations.
ir::Module restrict_members(const ir::Module& module, PassContext& context);

/// Subtracts excluded items, `diff(s, list(x))`, last if only a number is used.
ir::Module restrict_literals(const ir::Module& module, PassContext& context);

/// Conditions on the times of edges become spans of the edges by time.
ir::Module restrict_times(const ir::Module& module, PassContext& context);

/// Shrinks stored sets to the slice that is read.
ir::Module restrict_stores(const ir::Module& module, PassContext& context);

/// Turns slices at a loop's own variable into spans.
ir::Module restrict_spans(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
