#include "passes/needs.h"

#include <algorithm>

#include "ir/analysis/blocks.h"
#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "passes/uses.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

std::int64_t* find(Needs& needs, const Expr* key) {
  for (auto& [known, least] : needs) {
    if (known == key) return &least;
  }
  return nullptr;
}

namespace {

/// Adds a need; the larger one of a key remains.
void join(Needs& needs, const Expr* key, std::int64_t least) {
  if (std::int64_t* known = find(needs, key)) {
    *known = std::max(*known, least);
  } else {
    needs.emplace_back(key, least);
  }
}

void join(Needs& needs, const Needs& more) {
  for (const auto& [key, least] : more) join(needs, key, least);
}

void meet(MaybeNeeds& needs, MaybeNeeds other) {
  if (!other) return;
  if (!needs) {
    needs = std::move(other);
    return;
  }
  Needs both;
  for (const auto& [key, least] : *needs) {
    if (const std::int64_t* known = find(*other, key)) both.emplace_back(key, std::min(least, *known));
  }
  needs = std::move(both);
}

/// The only non-constant value in an expression of constants and that value; null for other expressions.
const Expr* only_value(const Expr& e) {
  switch (e.kind) {
    case Kind::Var:
    case Kind::Size: return &e;
    case Kind::Add:
    case Kind::Sub:
    case Kind::Mul:
    case Kind::Div: {
      const Expr* found = nullptr;
      for (const Expr* operand : e.operands) {
        if (operand->kind == Kind::ConstInt) continue;
        const Expr* value = only_value(*operand);
        if (value == nullptr || (found != nullptr && found != value)) return nullptr;
        found = value;
      }
      return found;
    }
    default: return nullptr;
  }
}

std::optional<std::int64_t> if_small(std::int64_t value) {
  constexpr std::int64_t kSmall = std::int64_t{1} << 31;  // Products of two do not overflow.
  return value > -kSmall && value < kSmall ? std::optional(value) : std::nullopt;
}

/// The value of such an expression if its variable is `n`; empty if it divides by 0 or a value in it is not small.
std::optional<std::int64_t> at_value(const Expr& e, std::int64_t n) {
  if (const ConstInt* number = as<ConstInt>(&e)) return if_small(number->value);
  if (e.kind == Kind::Var || e.kind == Kind::Size) return n;
  const std::optional<std::int64_t> a = at_value(*e.operands[0], n);
  const std::optional<std::int64_t> b = at_value(*e.operands[1], n);
  if (!a || !b) return std::nullopt;
  switch (e.kind) {
    case Kind::Add: return if_small(*a + *b);
    case Kind::Sub: return if_small(*a - *b);
    case Kind::Mul: return if_small(*a * *b);
    case Kind::Div: return *b > 0 && *a >= 0 ? std::optional(*a / *b) : std::nullopt;
    default: return std::nullopt;
  }
}

/// The smallest size from 2 on for which such an expression may differ from 0; for `c * (c - 1) / 2` it is 2.
std::optional<std::int64_t> first_nonzero(const Expr& e) {
  constexpr std::int64_t kMost = 6;
  std::int64_t n = 0;
  while (n < kMost && at_value(e, n) == 0) ++n;
  return n >= 2 ? std::optional(n) : std::nullopt;
}

/// True if all items of `part`, a list of neighbours, are in `whole`.
bool is_part_of(const Expr& part, const Expr& whole) {
  if (&part == &whole) return true;
  return is_half(part) && is_all_neighbors(whole) && part.operands[0] == whole.operands[0] &&
         part.operands[1] == whole.operands[1];
}

}  // namespace

const Expr* counted_value(const Expr& e) {
  const Expr* value = e.kind != Kind::Var ? only_value(e) : nullptr;
  return value != nullptr && first_nonzero(e) ? value : nullptr;
}

void EffectNeeds::enter(const For& loop) {
  if (loop.lists.size() == 1 && loop.vars.size() == 1 && facts_.list(loop.lists[0]).unique) {
    walked_[loop.vars[0]] = loop.lists[0];
  }
}

MaybeNeeds EffectNeeds::body_needs(const For& loop) {
  enter(loop);
  return block_needs(*loop.body, nullptr);
}

std::int64_t EffectNeeds::walked_need(const For& loop, Needs needs) {
  std::int64_t least = 1;
  if (loop.maybe_index != nullptr) {
    if (const std::int64_t* index = find(needs, loop.maybe_index)) least = *index + 1;
  }
  if (const std::int64_t* size = find(needs, loop.lists[0])) least = std::max(least, *size);
  return least;
}

MaybeNeeds EffectNeeds::block_needs(const Block& block, const Var* sink) {
  MaybeNeeds needs;
  for (const Stmt* stmt : block.body) {
    match(
        *stmt,
        [&](const Yield& s) {
          if (sink == nullptr || s.sink == sink) meet(needs, yield_needs(s));
        },
        [&](const For& s) { meet(needs, loop_needs(s, sink)); },
        [&](const OneOf<Block, If> auto& s) {
          for_each_block(s, [&](const Block& inner) { meet(needs, block_needs(inner, sink)); });
        },
        [&](const Collect& s) {
          // Its own sinks have effects only through their readers.
          if (sink != nullptr)
            meet(needs, block_needs(*s.body, sink));
          else
            meet(needs, outward_needs(s));
        },
        [](const OneOf<Let, BuildGraph, Repeat, Again, Return, Region, Store> auto&) {});
  }
  return needs;
}

/// The needs of a collect's body for effects on sinks other than its own.
MaybeNeeds EffectNeeds::outward_needs(const Collect& collect) {
  bool outward = false;
  for_each_stmt(*collect.body, [&](const Stmt& stmt) {
    const Yield* yield = as<Yield>(&stmt);
    const Stmt* opened = yield != nullptr ? facts_.definition(yield->sink) : nullptr;
    if (opened == nullptr) return;
    bool inside = opened == &collect;
    for_each_stmt(*collect.body, [&](const Stmt& inner) { inside = inside || &inner == opened; });
    outward = outward || !inside;
  });
  return outward ? MaybeNeeds(Needs{}) : std::nullopt;
}

MaybeNeeds EffectNeeds::yield_needs(const Yield& yield) {
  const Stmt* stmt = facts_.definition(yield.sink);
  const Collect* collect = stmt != nullptr ? as<Collect>(stmt) : nullptr;
  if (collect == nullptr) return Needs{};
  for (const Sink& sink : collect->sinks) {
    if (sink.var != yield.sink) continue;
    if (sink.kind == SinkKind::Sum && !sink.var->type->is_scalar(ScalarKind::F64)) return nonzero(*yield.values[0]);
  }
  return Needs{};
}

MaybeNeeds EffectNeeds::loop_needs(const For& loop, const Var* sink) {
  if (loop.lists.size() != 1) return Needs{};
  enter(loop);
  MaybeNeeds inside = block_needs(*loop.body, sink);
  if (!inside) return inside;
  std::unordered_set<const Var*> bound = bound_in(loop);
  Needs needs;
  for (const auto& [key, least] : *inside) {
    if (!reads(*key, bound)) join(needs, key, least);
  }
  nonempty(*loop.lists[0], walked_need(loop, *inside), needs);
  return needs;
}

/// The needs for `e` not to be 0.
MaybeNeeds EffectNeeds::nonzero(const Expr& e) {
  if (const Expr* value = counted_value(e)) return at_least(*value, *first_nonzero(e));
  switch (e.kind) {
    case Kind::ConstInt: return static_cast<const ConstInt&>(e).value == 0 ? MaybeNeeds() : Needs{};
    case Kind::Size: return at_least(e, 1);
    case Kind::Div: {
      const ConstInt* divisor = as<ConstInt>(e.operands[1]);
      return divisor != nullptr && divisor->value > 0 ? at_least(*e.operands[0], divisor->value) : Needs{};
    }
    case Kind::Convert: return e.operands[0]->type->is_scalar(ScalarKind::I64) ? nonzero(*e.operands[0]) : Needs{};
    case Kind::Mul: {
      MaybeNeeds first = nonzero(*e.operands[0]);
      MaybeNeeds second = nonzero(*e.operands[1]);
      if (!first || !second) return std::nullopt;
      join(*first, *second);
      return first;
    }
    case Kind::Add: {
      MaybeNeeds needs = nonzero(*e.operands[0]);
      meet(needs, nonzero(*e.operands[1]));
      return needs;
    }
    case Kind::Var: break;
    default: return Needs{};
  }
  const Stmt* stmt = facts_.definition(static_cast<const Var*>(&e));
  if (stmt == nullptr) return Needs{};
  if (const Let* let = as<Let>(stmt)) return nonzero(*let->value);
  const Collect* collect = as<Collect>(stmt);
  if (collect == nullptr || !e.type->is_scalar(ScalarKind::I64)) return Needs{};
  return block_needs(*collect->body, static_cast<const Var*>(&e));
}

/// The needs for a size of at least `least`; none for other values, which may be negative.
MaybeNeeds EffectNeeds::at_least(const Expr& e, std::int64_t least) {
  Needs needs;
  if (e.kind == Kind::Size) nonempty(*e.operands[0], least, needs);
  if (e.kind == Kind::Add) {
    const ConstInt* more = as<ConstInt>(e.operands[1]);
    return more != nullptr && more->value >= 0 && more->value < least ? at_least(*e.operands[0], least - more->value)
                                                                      : needs;
  }
  const Expr* value = let_value(facts_, &e);
  return value != nullptr ? at_least(*value, least) : MaybeNeeds(needs);
}

/// Adds the needs for `list` to have `least` items.
void EffectNeeds::nonempty(const Expr& list, std::int64_t least, Needs& needs) {
  switch (list.kind) {
    case Kind::Intersect:
      for (std::size_t i = 0; i < 2; ++i) {
        bool item_missing = is_walked_at(*list.operands[i], *list.operands[1 - i]);
        // Repeated items of the first list may be one item of the second.
        std::int64_t own = i == 0 || facts_.list(list.operands[0]).unique ? least : 1;
        nonempty(*list.operands[i], item_missing ? own + 1 : own, needs);
      }
      return;
    case Kind::Diff:
    case Kind::Cut:
    case Kind::Sorted: nonempty(*list.operands[0], least, needs); return;
    case Kind::Span: {
      const ConstInt* begin = as<ConstInt>(list.operands[1]);
      const Var* end = as<Var>(list.operands[2]);
      bool prefix = begin != nullptr && begin->value == 0 && end != nullptr;
      if (prefix && end->type->is_scalar(ScalarKind::I64)) join(needs, end, least);
      nonempty(*list.operands[0], least, needs);
      return;
    }
    case Kind::Neighbors: join(needs, &list, least); return;
    case Kind::Var: {
      join(needs, &list, least);
      if (const Expr* value = let_value(facts_, &list)) nonempty(*value, least, needs);
      return;
    }
    default: return;
  }
}

/// The value of a variable, or the expression itself.
const Expr& EffectNeeds::named_value(const Expr& e) const {
  const Expr* value = let_value(facts_, &e);
  return value != nullptr ? *value : e;
}

/// True if a loop walks `list` or a part of it, and `others` are neighbours of its item in a graph without loops: then
/// the item is in `list` but not in `others`.
bool EffectNeeds::is_walked_at(const Expr& list, const Expr& others) const {
  const Var* item = others.kind == Kind::Neighbors ? as<Var>(others.operands[1]) : nullptr;
  const auto found = item != nullptr ? walked_.find(item) : walked_.end();
  if (found == walked_.end() || !facts_.loop_free(others.operands[0])) return false;
  return is_part_of(*found->second, list) || is_part_of(named_value(*found->second), named_value(list));
}

}  // namespace matcha::passes
