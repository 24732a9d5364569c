#include "passes/slices.h"

#include <algorithm>

#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// Longest chain of loops examined to order two values.
constexpr int kMaxChain = 16;

}  // namespace

Order::Order(const Module& module, const Facts& facts) {
  for_each_stmt(*module.body, [&](const Stmt& stmt) {
    const For* loop = as<For>(&stmt);
    if (loop == nullptr || loop->lists.size() != 1 || loop->vars.size() != 1) return;
    if (loop->maybe_index != nullptr) loop_of_index_[loop->maybe_index] = loop;
    collect(loop->lists[0], facts, bounds_[loop->vars[0]], 0);
  });
}

void Order::collect(const Expr* list, const Facts& facts, Bounds& bounds, int depth) const {
  if (depth > kMaxChain) return;
  const auto both = [](const Expr* bound, Kind kind, std::vector<const Expr*>& out) {
    out.push_back(bound);
    if (bound->kind == kind) out.insert(out.end(), bound->operands.begin(), bound->operands.end());
  };
  switch (list->kind) {
    case Kind::Cut:
      if (is_below(*list)) {
        both(list->operands[1], Kind::Min, bounds.above);
      } else {
        both(list->operands[1], Kind::Max, bounds.below);
      }
      break;
    case Kind::Span: {
      // The items before a loop's current item are less than it.
      const Var* end = as<Var>(list->operands[2]);
      const auto found = end != nullptr ? loop_of_index_.find(end) : loop_of_index_.end();
      if (found == loop_of_index_.end()) break;
      ListFacts walked = facts.list(list->operands[0]);
      const Expr* source = found->second->lists[0];
      bool prefix = source == list->operands[0] || (is_below(*source) && source->operands[0] == list->operands[0]);
      if (prefix && walked.ascending && walked.unique) bounds.above.push_back(found->second->vars[0]);
      break;
    }
    case Kind::Intersect: collect(list->operands[1], facts, bounds, depth + 1); break;
    case Kind::Diff: break;
    case Kind::Var: {
      if (const Expr* value = let_value(facts, list)) collect(value, facts, bounds, depth + 1);
      return;
    }
    default: return;
  }
  collect(list->operands[0], facts, bounds, depth + 1);
}

bool Order::less(const Expr* a, const Expr* b, int depth) const {
  if (a == b || depth > kMaxChain) return false;
  const auto reaches = [&](const std::vector<const Expr*>& bounds, const auto& holds) {
    return std::any_of(bounds.begin(), bounds.end(), holds);
  };
  if (const Var* var = as<Var>(a)) {
    const auto found = bounds_.find(var);
    if (found != bounds_.end() &&
        reaches(found->second.above, [&](const Expr* bound) { return bound == b || less(bound, b, depth + 1); })) {
      return true;
    }
  }
  if (const Var* var = as<Var>(b)) {
    const auto found = bounds_.find(var);
    if (found != bounds_.end() &&
        reaches(found->second.below, [&](const Expr* bound) { return bound == a || less(a, bound, depth + 1); })) {
      return true;
    }
  }
  return false;
}

const Expr* slice(Builder& b, const Facts& facts, const Order& order, Side side, const Expr* set, const Expr* bound) {
  const auto deeper = [&](const Expr* inner) { return slice(b, facts, order, side, inner, bound); };
  switch (set->kind) {
    case Kind::Intersect:
    case Kind::Diff: {
      const Expr* second = set->operands[1];
      if (facts.list(second).ascending && second->kind != Kind::Literal) second = deeper(second);
      return b.make(set->kind, {deeper(set->operands[0]), second});
    }
    case Kind::Cut: {
      const Expr* other = set->operands[1];
      if (side_of(*set) != side) {
        // `above` stays outermost, so that equal slices are the same expression.
        if (side == Side::Upper) break;
        return b.make({Kind::Cut, Side::Upper}, {deeper(set->operands[0]), other});
      }
      bool first_is_less = order.less(other, bound);
      bool second_is_less = order.less(bound, other);
      const Expr* meet = nullptr;
      if (other == bound || first_is_less) {
        meet = side == Side::Lower ? other : bound;
      } else if (second_is_less) {
        meet = side == Side::Lower ? bound : other;
      } else {
        meet = b.make(side == Side::Lower ? Kind::Min : Kind::Max, {other, bound});
      }
      return b.make({Kind::Cut, side}, {set->operands[0], meet});
    }
    default: break;
  }
  return b.make({Kind::Cut, side}, {set, bound});
}

}  // namespace matcha::passes
