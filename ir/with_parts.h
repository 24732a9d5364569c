#pragma once

#include <functional>

#include "ir/builder.h"

namespace matcha::ir {

/// `stmt` with its expressions and blocks replaced by what the functions give for them, whole; `stmt` itself if these
/// are the same.
const Stmt* with_parts(Builder& builder, const Stmt& stmt, const std::function<const Expr*(const Expr*)>& expr,
                       const std::function<const Block*(const Block*)>& block);

}  // namespace matcha::ir
