#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"

namespace matcha::ir {

using Stmts = std::vector<const Stmt*>;

/// Walks a module and rebuilds what changed; what did not change is the same pointer. A pass derives from it and
/// overrides the two hooks.
class Rewriter {
 public:
  explicit Rewriter(Context& context) : builder_(context) {}
  virtual ~Rewriter() = default;

  Module run(const Module& module);

  /// `expr` with substitutions applied and `on_expr` called on every node, operands first.
  const Expr* expr(const Expr* expr);
  const Block* block(const Block* block);
  /// Every later use of `var` becomes `value`.
  void substitute(const Var* var, const Expr* value);

 protected:
  /// `expr` has its operands rewritten already. Gives `expr` itself or its replacement. The builder has its place.
  virtual const Expr* on_expr(const Expr* expr) { return expr; }
  /// Appends the replacement of `stmt` (none, one or several) to `out`. `stmt` is as in the input; the default rewrites
  /// its parts with `rebuild`.
  virtual void on_stmt(const Stmt* stmt, Stmts& out) { out.push_back(rebuild(stmt)); }

  /// `stmt` with its expressions and blocks rewritten.
  const Stmt* rebuild(const Stmt* stmt);

  Builder& builder() { return builder_; }

 private:
  const Stmt* rebuild_parts(const Stmt& stmt);

  Builder builder_;
  std::unordered_map<const Expr*, const Expr*> memo_;
  std::unordered_map<const Var*, const Expr*> substitutions_;
};

/// A copy of `block` in which every value it binds is new and `from[i]` is replaced by `to[i]`. What a pass needs to
/// put one body in two places. Requires: no graph is built and no region stands in `block`. Buffers stay the same, so
/// what is stored in them must not be in the module twice.
const Block* copy_with_new_vars(Context& context, const Block& block, std::span<const Var* const> from,
                                std::span<const Expr* const> to);

}  // namespace matcha::ir
