#pragma once

#include "passes/pass.h"

namespace matcha::passes {

/// bind-labels: replaces label words by their codes in the bound graph. If `labelled` may be assumed of a graph,
/// reading its labels cannot fail.
///
/// Why. Programs name labels by words; graphs store codes. Without a graph, the words of the program get the codes -1,
/// -2, … in sorted order, so that the module can still be printed.
///
/// Before:  if (label(%G, %v) == label_name("protein")) { … }
/// After:   if (label(%G, %v) == -3) { … }
///
/// Requires: stage loop. Ensures: no `label_name` is left. Gives up on: words that the graph does not have
/// (`unknown-label`), with an error that names similar ones.
ir::Module bind_labels(const ir::Module& module, PassContext& context);

}  // namespace matcha::passes
