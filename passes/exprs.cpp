#include "passes/exprs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/check.h"
#include "ir/with_parts.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

bool reads_wide(const Expr& expr) {
  return expr.type->is_scalar(ScalarKind::I128) ||
         std::any_of(expr.operands.begin(), expr.operands.end(), [](const Expr* e) { return reads_wide(*e); });
}

const Expr* looked_up_in_both(Builder& builder, const Facts& facts, const Expr* set,
                              const std::function<const Expr*(const Expr* operand, bool negated)>& in) {
  bool second_traps = facts.may_trap(set->operands[1]);
  if (second_traps && facts.may_trap(set->operands[0])) return nullptr;
  const auto both = [&](bool negated) {
    const Expr* first = in(set->operands[0], false);
    const Expr* second = in(set->operands[1], negated);
    if (second_traps) std::swap(first, second);
    return builder.make(Kind::And, {first, second});
  };
  switch (set_op(set->kind)) {
    case SetOp::Intersect: return both(false);
    case SetOp::Diff: return both(true);
  }
  MATCHA_UNREACHABLE("a set operation");
}

const Expr* replace(Builder& builder, const Expr* expr, const std::unordered_map<const Expr*, const Expr*>& to) {
  if (const auto found = to.find(expr); found != to.end()) return found->second;
  if (expr->operands.empty()) return expr;
  std::vector<const Expr*> operands;
  for (const Expr* operand : expr->operands) operands.push_back(replace(builder, operand, to));
  return builder.with_operands(expr, operands);
}

const Stmt* replace_in(Builder& b, const Stmt* stmt, const std::unordered_map<const Expr*, const Expr*>& to) {
  if (stmt->kind == Kind::Region) return stmt;
  b.set_loc(stmt->loc);
  return with_parts(
      b, *stmt, [&](const Expr* e) { return replace(b, e, to); }, [](const Block* block) { return block; });
}

}  // namespace matcha::passes
