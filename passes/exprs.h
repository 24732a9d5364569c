#pragma once

#include <functional>
#include <unordered_map>

#include "ir/analysis/facts.h"
#include "ir/builder.h"

namespace matcha::passes {

/// True for what is computed from 128-bit values, which live at top level alone.
bool reads_wide(const ir::Expr& expr);

/// A look-up in `set`, an `intersect` or `diff`, as look-ups in its operands; `in` makes them, of what is not to be
/// there with `true`. The operand that may trap is asked first, since the other may not be asked; null if both may
/// trap.
const ir::Expr* looked_up_in_both(ir::Builder& builder, const ir::Facts& facts, const ir::Expr* set,
                                  const std::function<const ir::Expr*(const ir::Expr* operand, bool negated)>& in);

/// `expr` with each node that is a key of `to` replaced, outermost first.
const ir::Expr* replace(ir::Builder& builder, const ir::Expr* expr,
                        const std::unordered_map<const ir::Expr*, const ir::Expr*>& to);

/// `stmt` with `replace` applied to its own expressions (not those of nested blocks).
const ir::Stmt* replace_in(ir::Builder& builder, const ir::Stmt* stmt,
                           const std::unordered_map<const ir::Expr*, const ir::Expr*>& to);

}  // namespace matcha::passes
