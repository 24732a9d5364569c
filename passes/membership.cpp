#include "passes/membership.h"

#include <algorithm>
#include <vector>

#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// Deepest nest of set operations that is examined.
constexpr int kMaxNest = 10;

}  // namespace

const Expr* Membership::expanded(const Expr* e) {
  if (const auto found = expanded_.find(e); found != expanded_.end()) return found->second;
  const Expr* result = e;
  if (const Expr* value = let_value(facts_, e)) {
    result = expanded(value);
  } else if (!e->operands.empty()) {
    std::vector<const Expr*> operands;
    for (const Expr* operand : e->operands) operands.push_back(expanded(operand));
    if (!std::ranges::equal(operands, e->operands)) result = builder_.with_operands(e, operands);
  }
  expanded_[e] = result;
  return result;
}

std::optional<bool> Membership::member(const Expr* set, const Expr* item, int depth) {
  if (depth > kMaxNest) return std::nullopt;
  const auto in = [&](const Expr* other) { return member(other, item, depth + 1); };
  const auto cut = [&](std::optional<bool> there, bool inside, bool outside) -> std::optional<bool> {
    if (outside || there == false) return false;
    return there == true && inside ? there : std::nullopt;
  };
  std::optional<bool> known;
  switch (set->kind) {
    case Kind::Literal: {
      const auto same = [&](const Expr* other) { return other == item; };
      const auto different = [&](const Expr* other) { return differ(other, item); };
      if (std::ranges::any_of(set->operands, same)) return true;
      if (std::ranges::all_of(set->operands, different)) return false;
      break;
    }
    case Kind::Intersect: {
      std::optional<bool> first = in(set->operands[0]);
      std::optional<bool> second = in(set->operands[1]);
      if (first == false || second == false) return false;
      if (first == true) known = second;
      break;
    }
    case Kind::Diff: {
      std::optional<bool> first = in(set->operands[0]);
      std::optional<bool> second = in(set->operands[1]);
      if (first == false || second == true) return false;
      if (second == false) known = first;
      break;
    }
    case Kind::Cut: {
      const Expr* bound = set->operands[1];
      const Expr* less = is_below(*set) ? item : bound;
      const Expr* greater = is_below(*set) ? bound : item;
      known = cut(in(set->operands[0]), order_.less(less, greater), item == bound || order_.less(greater, less));
      break;
    }
    case Kind::Span:
      if (in(set->operands[0]) == false) return false;
      break;
    case Kind::Sorted: return in(set->operands[0]);
    case Kind::Neighbors:
      if (is_all_neighbors(*set) && set->operands[1] == item && facts_.loop_free(set->operands[0])) return false;
      break;
    default: break;
  }
  return known.has_value() ? known : walked_member(set, item, depth);
}

const Var* Membership::item_at(const Expr* index, const Expr* list) {
  const Var* var = as<Var>(index);
  const Stmt* stmt = var != nullptr ? facts_.definition(var) : nullptr;
  const For* loop = stmt != nullptr ? as<For>(stmt) : nullptr;
  if (loop == nullptr || loop->maybe_index != var || loop->lists.size() != 1) return nullptr;
  const Expr* whole = expanded(list);
  const Expr* walked_list = expanded(loop->lists[0]);
  while (walked_list != whole && is_below(*walked_list)) walked_list = walked_list->operands[0];
  return walked_list == whole ? loop->vars[0] : nullptr;
}

/// The list of a loop over it alone that binds `item`, expanded; null if there is none.
const Expr* Membership::walked(const Expr* item) {
  const Var* var = as<Var>(item);
  const Stmt* stmt = var != nullptr ? facts_.definition(var) : nullptr;
  const For* loop = stmt != nullptr ? as<For>(stmt) : nullptr;
  bool alone = loop != nullptr && loop->lists.size() == 1 && loop->vars.size() == 1 && loop->vars[0] == var;
  return alone ? expanded(loop->lists[0]) : nullptr;
}

std::optional<bool> Membership::walked_member(const Expr* set, const Expr* item, int depth) {
  const Expr* list = walked(item);
  if (list == nullptr) return std::nullopt;
  if (is_subset(list, set, depth)) return true;
  return is_disjoint(list, set, depth) ? std::optional<bool>(false) : std::nullopt;
}

/// True for an item of neighbours of `vertex` in a graph without loops.
bool Membership::is_neighbor(const Expr* item, const Expr* vertex) {
  const Expr* list = walked(item);
  bool found = false;
  if (list == nullptr) return false;
  for_each_node(*list, [&](const Expr& node) {
    found = found || (is_all_neighbors(node) && node.operands[1] == vertex && facts_.loop_free(node.operands[0]) &&
                      is_subset(list, &node, 0));
  });
  return found;
}

bool Membership::is_subset(const Expr* list, const Expr* set, int depth) {
  if (list == set) return true;
  if (depth > kMaxNest || list->operands.empty()) return false;
  if (set->kind == Kind::Intersect) {
    return is_subset(list, set->operands[0], depth + 1) && is_subset(list, set->operands[1], depth + 1);
  }
  if (set->kind == Kind::Diff) {
    return is_subset(list, set->operands[0], depth + 1) && is_disjoint(list, set->operands[1], depth + 1);
  }
  if (is_part_of_first(list->kind) && is_subset(list->operands[0], set, depth + 1)) return true;
  return list->kind == Kind::Intersect && is_subset(list->operands[1], set, depth + 1);
}

bool Membership::is_disjoint(const Expr* list, const Expr* set, int depth) {
  if (depth > kMaxNest || list->operands.empty()) return false;
  const auto apart = [&](const Expr* a, const Expr* b) { return is_disjoint(a, b, depth + 1); };
  if (list->kind == Kind::Diff && is_subset(set, list->operands[1], depth + 1)) return true;
  if (is_part_of_first(list->kind) && apart(list->operands[0], set)) return true;
  if (list->kind == Kind::Intersect && apart(list->operands[1], set)) return true;
  if (set->kind == Kind::Diff && is_subset(list, set->operands[1], depth + 1)) return true;
  if (is_part_of_first(set->kind) && apart(list, set->operands[0])) return true;
  return set->kind == Kind::Intersect && apart(list, set->operands[1]);
}

}  // namespace matcha::passes
