#pragma once

#include <unordered_map>

#include "ir/builder.h"

namespace matcha::passes {

/// True for what is computed from 128-bit values, which live at top level alone.
bool reads_wide(const ir::Expr& expr);

/// `expr` with each node that is a key of `to` replaced, outermost first.
const ir::Expr* replace(ir::Builder& builder, const ir::Expr* expr,
                        const std::unordered_map<const ir::Expr*, const ir::Expr*>& to);

/// `stmt` with `replace` applied to its own expressions (not those of nested blocks).
const ir::Stmt* replace_in(ir::Builder& builder, const ir::Stmt* stmt,
                           const std::unordered_map<const ir::Expr*, const ir::Expr*>& to);

}  // namespace matcha::passes
