#include "passes/set_terms.h"

#include <algorithm>

#include "ir/analysis/resolve.h"
#include "ir/match.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// `min(a, b)` as an upper bound means both bounds.
void add_bound(const Expr* bound, Kind both, std::vector<const Expr*>& out) {
  if (bound->kind == both) {
    for (const Expr* operand : bound->operands) add_bound(operand, both, out);
  } else if (std::ranges::find(out, bound) == out.end()) {
    out.push_back(bound);
  }
}

bool is_same(const SetTerm::Part& a, const SetTerm::Part& b) {
  return a.set == b.set && a.without == b.without && a.is_item == b.is_item;
}

void drop_repeated(SetTerm& term) {
  std::vector<SetTerm::Part> left;
  for (const SetTerm::Part& part : term.parts) {
    const auto same = [&](const SetTerm::Part& other) { return is_same(part, other); };
    if (std::ranges::none_of(left, same)) left.push_back(part);
  }
  term.parts = std::move(left);
}

}  // namespace

int SetTerm::set_count() const {
  return static_cast<int>(std::ranges::count_if(parts, [](const Part& part) { return !part.is_item; }));
}

const SetTerm* SetTerms::of(const Expr* set) {
  const auto [found, is_new] = terms_.try_emplace(set);
  std::optional<SetTerm>& term = found->second;
  if (is_new && set->type->is_set() && set->type->columns[0]->is_scalar(ScalarKind::Vid) && !facts_.may_trap(set)) {
    SetTerm made;
    if (add(set, made)) {
      made.upper = tightest(made.upper, false);
      made.lower = tightest(made.lower, true);
      for (SetTerm::Part& part : made.parts) {
        const Expr* set_left = part.without && !part.is_item ? bare(part.set, made) : part.set;
        if (set_left == part.set || facts_.may_trap(set_left)) continue;
        part.spelling = set_left;
        part.set = set_left;
      }
      drop_repeated(made);
      term = std::move(made);
    }
  }
  return term ? &*term : nullptr;
}

bool SetTerms::add(const Expr* set, SetTerm& term) const {
  switch (set->kind) {
    case Kind::Var: {
      const Expr* value = let_value(facts_, set);
      if (value != nullptr && !facts_.may_trap(value)) return add(value, term);
      break;
    }
    case Kind::Intersect: return add(set->operands[0], term) && add(set->operands[1], term);
    case Kind::Diff:
      if (!add(set->operands[0], term)) return false;
      leave_out(set->operands[1], term);
      return true;
    case Kind::Cut:
      if (is_below(*set)) {
        add_bound(set->operands[1], Kind::Min, term.upper);
      } else {
        add_bound(set->operands[1], Kind::Max, term.lower);
      }
      return add(set->operands[0], term);
    case Kind::Span:
      if (add_span(set, term)) return add(set->operands[0], term);
      break;
    default: break;
  }
  ListFacts known = facts_.list(set);
  if (!known.ascending || !known.unique) return false;
  const Expr* expanded = members_.expanded(set);
  term.parts.push_back({expanded, set});
  return true;
}

/// Adds the bound of a span if it is cut at the item of a loop over its list.
bool SetTerms::add_span(const Expr* span, SetTerm& term) const {
  const Expr* list = span->operands[0];
  const Expr* begin = span->operands[1];
  const Expr* end = span->operands[2];
  const ConstInt* first = as<ConstInt>(begin);
  if (first != nullptr && first->value == 0) {
    const Var* item = members_.item_at(end, list);
    if (item != nullptr) add_bound(item, Kind::Min, term.upper);
    return item != nullptr;
  }
  const ConstInt* step = begin->kind == Kind::Add ? as<ConstInt>(begin->operands[1]) : nullptr;
  bool to_end = end->kind == Kind::Size && end->operands[0] == list;
  if (step == nullptr || step->value != 1 || !to_end) return false;
  const Var* item = members_.item_at(begin->operands[0], list);
  if (item != nullptr) add_bound(item, Kind::Max, term.lower);
  return item != nullptr;
}

void SetTerms::leave_out(const Expr* set, SetTerm& term) const {
  if (set->kind == Kind::Literal) {
    for (const Expr* item : set->operands) term.parts.push_back({item, item, true, true});
  } else {
    term.parts.push_back({members_.expanded(set), set, true});
  }
}

const Expr* SetTerms::bare(const Expr* set, const SetTerm& wanted) const {
  if (set->kind == Kind::Intersect) {
    const auto is_part = [&](const Expr* other) {
      return std::ranges::any_of(wanted.parts,
                                 [&](const SetTerm::Part& part) { return !part.without && part.set == other; });
    };
    const Expr* first = bare(set->operands[0], wanted);
    const Expr* second = bare(set->operands[1], wanted);
    return is_part(first) ? second : is_part(second) ? first : set;
  }
  if (set->kind != Kind::Cut) return set;
  const bool above = is_above(*set);
  const std::vector<const Expr*>& bounds = above ? wanted.lower : wanted.upper;
  return implied(bounds, set->operands[1], above) ? bare(set->operands[0], wanted) : set;
}

std::optional<std::vector<std::size_t>> SetTerms::shared(const SetTerm& stored, const SetTerm& wanted) const {
  for (const Expr* bound : stored.upper) {
    if (!implied(wanted.upper, bound, false)) return std::nullopt;
  }
  for (const Expr* bound : stored.lower) {
    if (!implied(wanted.lower, bound, true)) return std::nullopt;
  }
  std::vector<std::size_t> positions;
  for (const SetTerm::Part& part : stored.parts) {
    SetTerm::Part there = part;
    if (part.without && !part.is_item) there.set = bare(part.set, wanted);
    const auto same = [&](const SetTerm::Part& other) { return is_same(there, other); };
    const auto found = std::ranges::find_if(wanted.parts, same);
    if (found == wanted.parts.end()) return std::nullopt;
    const auto at = static_cast<std::size_t>(found - wanted.parts.begin());
    if (std::ranges::find(positions, at) == positions.end()) positions.push_back(at);
  }
  return positions;
}

bool SetTerms::implied(std::span<const Expr* const> bounds, const Expr* bound, bool above) const {
  return std::ranges::any_of(bounds, [&](const Expr* known) {
    return known == bound || (above ? order_.less(bound, known) : order_.less(known, bound));
  });
}

std::vector<const Expr*> SetTerms::tightest(std::span<const Expr* const> bounds, bool above) const {
  std::vector<const Expr*> left;
  for (const Expr* bound : bounds) {
    const auto beats = [&](const Expr* other) {
      return other != bound && (above ? order_.less(bound, other) : order_.less(other, bound));
    };
    bool repeated = std::ranges::find(left, bound) != left.end();
    if (!repeated && std::ranges::none_of(bounds, beats)) left.push_back(bound);
  }
  return left;
}

}  // namespace matcha::passes
