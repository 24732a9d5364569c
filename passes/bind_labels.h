#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// bind-labels: label words become the codes that the bound graph has for them, and where `labelled` may be assumed of
/// a graph, its labels cannot fail.
///
/// Why. Programs name labels; graphs hold codes. Without a graph the words of the program count from -1 down in sorted
/// order, so that a program can be looked at.
///
/// Before:  if (label(%G, %v) == label_name("protein")) { … }
/// After:   if (label(%G, %v) == -3) { … }
///
/// Requires: stage loop. Ensures: no `label_name` is left. Gives up on: words that the graph does not have
/// (`unknown-label`), with an error that names the near ones.
ir::Module bind_labels(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
