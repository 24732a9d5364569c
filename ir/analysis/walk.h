#pragma once

#include <functional>

#include "ir/nodes.h"

namespace matcha::ir {

/// Calls `visit` on every statement below `block`, a statement before its parts.
void for_each_stmt(const Block& block, const std::function<void(const Stmt&)>& visit);

/// Calls `visit` on `stmt` and every statement below it, a statement before its parts.
void for_each_stmt_of(const Stmt& stmt, const std::function<void(const Stmt&)>& visit);

/// Calls `visit` on the expressions that `stmt` itself holds (not those of nested blocks), whole, in order.
void for_each_expr(const Stmt& stmt, const std::function<void(const Expr&)>& visit);

/// Calls `visit` on `expr` and everything below it, operands first; a shared node is visited once for each use.
void for_each_node(const Expr& expr, const std::function<void(const Expr&)>& visit);

/// Calls `visit` on every value that `stmt` itself binds (not those of nested blocks).
void for_each_binding(const Stmt& stmt, const std::function<void(const Var&)>& visit);

/// The deepest nesting of loops below `block` for which `counts` is true.
int nested_loops(const Block& block, const std::function<bool(const For&)>& counts);

}  // namespace matcha::ir
