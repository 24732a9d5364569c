#pragma once

#include <string>

#include "ir/nodes.h"

namespace matcha::ir {

/// The text of a module; `parse` reads it back and `print(parse(print(m))) == print(m)`. Deterministic: values are
/// named by their hint, with `.N` added to the N-th value of the same hint in the order of definition.
std::string print(const Module& module);
/// One expression, for messages.
std::string print(const Expr& expr);

}  // namespace matcha::ir
