#include "passes/exprs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/match.h"

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
  const auto all = [&](std::span<const Expr* const> items) {
    std::vector<const Expr*> result;
    for (const Expr* item : items) result.push_back(replace(b, item, to));
    return result;
  };
  const auto maybe = [&](const Expr* e) { return e != nullptr ? replace(b, e, to) : nullptr; };
  b.set_loc(stmt->loc);
  return match(
      *stmt, [&](const Let& s) -> const Stmt* { return b.let(s.var, replace(b, s.value, to)); },
      [&](const Store& s) -> const Stmt* { return b.store(s.var, s.buffer, replace(b, s.value, to)); },
      [&](const For& s) -> const Stmt* { return b.loop(s.vars, all(s.lists), s.maybe_index, s.body); },
      [&](const If& s) -> const Stmt* { return b.branch(replace(b, s.cond, to), s.then_body, s.maybe_else); },
      [&](const Yield& s) -> const Stmt* { return b.yield(s.sink, all(s.values), s.batched); },
      [&](const BuildGraph& s) -> const Stmt* {
        return b.build_graph(s.var, replace(b, s.edges, to), maybe(s.maybe_labels), maybe(s.maybe_info), s.index,
                             s.order);
      },
      [&](const Repeat& s) -> const Stmt* { return b.repeat(s.vars, all(s.starts), replace(b, s.times, to)); },
      [&](const Again& s) -> const Stmt* { return b.again(s.vars, all(s.values), s.until_equal); },
      [&](const Return& s) -> const Stmt* { return b.ret(all(s.values)); },
      [&](const OneOf<Block, Collect, Region> auto& s) -> const Stmt* { return &s; });
}

}  // namespace matcha::passes
