#pragma once

#include <functional>
#include <unordered_map>

#include "ir/analysis/facts.h"
#include "ir/builder.h"

namespace matcha::passes {

/// True for an expression computed from 128-bit values, which exist only at top level.
bool reads_wide(const ir::Expr& expr);

/// A look-up in `set`, an `intersect` or `diff`, as look-ups in its operands. `in` makes each of them, with `true` for
/// an operand that must not contain the item. An operand that may trap comes first, since the second look-up may be
/// skipped; null if both may trap.
const ir::Expr* looked_up_in_both(ir::Builder& builder, const ir::Facts& facts, const ir::Expr* set,
                                  const std::function<const ir::Expr*(const ir::Expr* operand, bool negated)>& in);

/// `expr` with each node that is a key of `to` replaced, outermost first.
const ir::Expr* replace(ir::Builder& builder, const ir::Expr* expr,
                        const std::unordered_map<const ir::Expr*, const ir::Expr*>& to);

/// `stmt` with `replace` applied to its own expressions (not those of nested blocks).
const ir::Stmt* replace_in(ir::Builder& builder, const ir::Stmt* stmt,
                           const std::unordered_map<const ir::Expr*, const ir::Expr*>& to);

}  // namespace matcha::passes
