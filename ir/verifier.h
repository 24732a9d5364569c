#pragma once

#include "ir/nodes.h"
#include "ir/support/diagnostics.h"

namespace matcha::ir {

/// Checks every rule of README.md ("What the verifier promises") and reports each breach (`ir-invalid`) with the path
/// of the statement, such as `body[2].for.body[0].let`. Never aborts. True if there was none.
bool verify(const Module& module, Diagnostics& diagnostics);

}  // namespace matcha::ir
