#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"

namespace matcha::ir {

using Stmts = std::vector<const Stmt*>;

/// Walks a module and rebuilds its changed parts; unchanged parts keep their pointers. A pass derives from it and
/// overrides the two hooks.
class Rewriter {
 public:
  explicit Rewriter(Context& context) : builder_(context) {}
  virtual ~Rewriter() = default;

  Module run(const Module& module);

  /// `expr` with substitutions applied and `on_expr` called on every node, operands first.
  const Expr* expr(const Expr* expr);
  const Block* block(const Block* block);
  /// Replaces every later use of `var` by `value`.
  void substitute(const Var* var, const Expr* value);

 protected:
  /// `expr` has rewritten operands already. Returns `expr` itself or its replacement. The builder is set to its place.
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

/// A copy of `block` in which every bound variable is new and `from[i]` is replaced by `to[i]`. For passes that put one
/// body in two places. Requires: `block` contains no `build_graph` and no region. Buffers are shared, so stored sets
/// must not end up in the module twice.
const Block* copy_with_new_vars(Context& context, const Block& block, std::span<const Var* const> from,
                                std::span<const Expr* const> to);

}  // namespace matcha::ir
