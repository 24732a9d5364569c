#include "ir/analysis/resolve.h"

#include <unordered_set>

#include "ir/match.h"

namespace matcha::ir {

namespace {

const Stmt* definition_of(const Facts& facts, const Expr* e) {
  const Var* var = as<Var>(e);
  return var != nullptr ? facts.definition(var) : nullptr;
}

/// `seen` has the lists examined so far: a value may be reached in many ways.
bool all_below(const Facts& facts, const Expr* list, const Expr* bound, std::unordered_set<const Expr*>& seen) {
  for (const Expr* value = list; value != nullptr; value = bound_value(facts, list)) list = value;
  if (!seen.insert(list).second) return false;
  const auto within = [&](std::size_t operand) { return all_below(facts, list->operands[operand], bound, seen); };
  switch (list->kind) {
    case Kind::Neighbors: return side_of(*list) == Side::Lower && list->operands[1] == bound;
    case Kind::Cut: return (is_below(*list) && list->operands[1] == bound) || within(0);
    case Kind::Diff: return within(0);
    case Kind::Intersect: return within(0) || within(1);
    case Kind::Span: break;
    default: return false;
  }
  if (within(0)) return true;
  const Expr* position = resolve(facts, list->operands[2]);
  const Stmt* definition = definition_of(facts, position);
  const For* loop = definition != nullptr ? as<For>(definition) : nullptr;
  if (loop == nullptr || loop->maybe_index != position || loop->lists.size() != 1 || loop->vars[0] != bound)
    return false;
  const Expr* walked = resolve(facts, loop->lists[0]);
  if (is_below(*walked)) walked = resolve(facts, walked->operands[0]);
  ListFacts order = facts.list(walked);
  return order.ascending && order.unique && walked == resolve(facts, list->operands[0]);
}

}  // namespace

const Expr* let_value(const Facts& facts, const Expr* e) {
  const Stmt* definition = definition_of(facts, e);
  const Let* let = definition != nullptr ? as<Let>(definition) : nullptr;
  return let != nullptr ? let->value : nullptr;
}

const Expr* bound_value(const Facts& facts, const Expr* e) {
  const Stmt* definition = definition_of(facts, e);
  const Store* store = definition != nullptr ? as<Store>(definition) : nullptr;
  return store != nullptr ? store->value : let_value(facts, e);
}

const Expr* resolve(const Facts& facts, const Expr* e) {
  for (const Expr* value = e; value != nullptr; value = let_value(facts, e)) e = value;
  return e;
}

const Expr* whole_list(const Facts& facts, const Expr* list) {
  list = resolve(facts, list);
  while (is_slice(list->kind)) list = resolve(facts, list->operands[0]);
  return list;
}

bool all_below(const Facts& facts, const Expr* list, const Expr* bound) {
  std::unordered_set<const Expr*> seen;
  return all_below(facts, list, bound, seen);
}

}  // namespace matcha::ir
