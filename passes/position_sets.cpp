#include "passes/position_sets.h"

#include "ir/analysis/bits.h"
#include "ir/analysis/resolve.h"
#include "ir/match.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

PositionSets::PositionSets(Builder& builder, const Facts& facts, const Expr* whole, bool owner, Side rows_side)
    : builder_(builder),
      facts_(facts),
      given_(whole),
      whole_(resolve(facts, whole)),
      owner_(owner),
      rows_side_(rows_side),
      base_(builder.var(whole->type, "all")),
      rows_(builder.var(builder.context().list(builder.context().bits()), "rows")) {}

Stmts PositionSets::definitions() {
  const Expr* rows = builder_.make({Kind::BitRows, rows_side_}, {maybe_graph_, base_});
  Stmts out = {builder_.let(rows_, rows)};
  if (maybe_own_ != nullptr)
    out.push_back(builder_.let(maybe_own_, builder_.make(Kind::LowerBound, {base_, whole_->operands[1]})));
  return out;
}

const Expr* PositionSets::slice_of_base(const Expr* list) {
  const Expr* e = resolve(facts_, list);
  if (e == whole_) return base_;
  bool same_vertex = is_half(*e) && is_all_neighbors(*whole_) && e->operands[0] == whole_->operands[0] &&
                     e->operands[1] == whole_->operands[1];
  if (same_vertex) {
    return builder_.make({Kind::Cut, side_of(*e)}, {base_, e->operands[1]});
  }
  if (!is_slice(e->kind)) return nullptr;
  std::vector<const Expr*> operands(e->operands.begin(), e->operands.end());
  operands[0] = slice_of_base(operands[0]);
  return operands[0] != nullptr ? builder_.with_operands(e, operands) : nullptr;
}

const Expr* PositionSets::position_of(const Expr* vertex) const {
  const Var* var = as<Var>(resolve(facts_, vertex));
  const auto found = var != nullptr ? positions_.find(var) : positions_.end();
  return found != positions_.end() ? found->second : nullptr;
}

PositionSets::MaybeBits PositionSets::of(const Expr* e) {
  if (const Var* var = as<Var>(e)) {
    if (const auto found = names_.find(var); found != names_.end()) return found->second;
  }
  const Expr* list = resolve(facts_, e);
  if (list == whole_) return Bits{builder_.make(Kind::AllBits, {rows_}), true};
  if (list != e) return of(list);
  if (!e->type->is_set() || !e->type->columns[0]->is_scalar(ScalarKind::Vid) || !facts_.list(e).unique) return {};
  switch (e->kind) {
    case Kind::Neighbors:
      if (is_half(*e) && is_owner(e->operands[1]) && e->operands[0] == whole_->operands[0]) {
        return cut_at_owner(side_of(*e), Bits{builder_.make(Kind::AllBits, {rows_}), true});
      }
      return row(side_of(*e), e->operands[0], e->operands[1]);
    case Kind::Cut: {
      const Side side = side_of(*e);
      const MaybeBits set = of(e->operands[0]);
      return is_owner(e->operands[1]) ? cut_at_owner(side, set) : cut(side, set, position_of(e->operands[1]));
    }
    case Kind::Span: return prefix(e);
    case Kind::Intersect:
    case Kind::Diff: {
      const int gains = gains_;
      const MaybeBits a = of(e->operands[0]);
      const MaybeBits b = of(e->operands[1]);
      if (a && e->kind == Kind::Diff && e->operands[1]->kind == Kind::Literal) return without(*a, *e->operands[1]);
      if (!a || !b || !facts_.list(e->operands[1]).ascending) {
        gains_ = gains;  // Parts that became bits do not help a list.
        return {};
      }
      // For a set with items outside the base, lists give more information than bits.
      if (a->subset || b->subset) count_gain();
      if (e->kind == Kind::Diff) return Bits{builder_.make(Kind::Diff, {a->bits, b->bits}), a->subset};
      return Bits{meet(a->bits, b->bits), a->subset || b->subset};
    }
    default: return {};
  }
}

/// The set without some items of known positions, each as a separate set: the rest is below or above each of them.
PositionSets::MaybeBits PositionSets::without(Bits set, const Expr& items) {
  const Expr* all = builder_.make(Kind::AllBits, {rows_});
  for (const Expr* item : items.operands) {
    const Expr* position = position_of(item);
    if (position == nullptr) return {};
    const Expr* from = builder_.make(Kind::Diff, {all, builder_.make({Kind::Cut, Side::Lower}, {all, position})});
    const Expr* one = builder_.make(Kind::Diff, {from, builder_.make({Kind::Cut, Side::Upper}, {all, position})});
    set.bits = builder_.make(Kind::Diff, {set.bits, one});
  }
  return set;
}

PositionSets::MaybeBits PositionSets::row(Side side, const Expr* graph, const Expr* vertex) {
  const Expr* position = position_of(vertex);
  const Expr* named = resolve(facts_, graph);
  if (position == nullptr || named->kind != Kind::Var || !facts_.simple(graph)) return {};
  if (maybe_graph_ != nullptr && maybe_graph_ != named) return {};
  maybe_graph_ = named;
  sides_.insert(side);
  const Bits found{builder_.make(Kind::BitRow, {rows_, position}), false};
  if (side == Side::All || rows_side_ != Side::All) return found;
  return cut(side, found, position);
}

PositionSets::MaybeBits PositionSets::cut(Side side, MaybeBits set, const Expr* position) {
  if (!set || position == nullptr) return {};
  return Bits{builder_.make({Kind::Cut, side}, {set->bits, position}), set->subset};
}

/// True for the vertex whose neighbours are the base, in a graph in which it is not its own neighbour.
bool PositionSets::is_owner(const Expr* vertex) const {
  return owner_ && is_all_neighbors(*whole_) && whole_->operands[1] == vertex &&
         facts_.simple(resolve(facts_, whole_->operands[0]));
}

/// The items below, or above, the vertex whose neighbours they are.
PositionSets::MaybeBits PositionSets::cut_at_owner(Side side, MaybeBits set) {
  if (!set) return {};
  if (maybe_own_ == nullptr) maybe_own_ = builder_.var(builder_.context().i64(), "own");
  if (side == Side::Lower) return cut(side, set, maybe_own_);
  const Expr* below = builder_.make({Kind::Cut, Side::Lower}, {builder_.make(Kind::AllBits, {rows_}), maybe_own_});
  return Bits{builder_.make(Kind::Diff, {set->bits, below}), set->subset};
}

/// The items in front of, or behind, the current item of a walk over the list.
PositionSets::MaybeBits PositionSets::prefix(const Expr* e) {
  const ConstInt* begin = as<ConstInt>(e->operands[1]);
  const Var* end = as<Var>(resolve(facts_, e->operands[2]));
  const Stmt* stmt = end != nullptr ? facts_.definition(end) : nullptr;
  const For* walk = stmt != nullptr ? as<For>(stmt) : nullptr;
  bool here = begin != nullptr && begin->value == 0 && walk != nullptr && walk->maybe_index == end &&
              walk->lists.size() == 1 && is_prefix(facts_, walk->lists[0], e->operands[0]) &&
              facts_.list(e->operands[0]).ascending;
  if (!here) return {};
  return cut(Side::Lower, of(e->operands[0]), position_of(walk->vars[0]));
}

const Expr* PositionSets::meet(const Expr* a, const Expr* b) {
  const Expr* first = without_needless_cut(a, b);
  const Expr* second = without_needless_cut(b, a);
  if (first->kind == Kind::AllBits) return second;
  if (second->kind == Kind::AllBits) return first;
  if (first->kind == Kind::Intersect && (first->operands[0] == second || first->operands[1] == second)) return first;
  return builder_.make(Kind::Intersect, {first, second});
}

/// `a` without a cut at the vertex whose row of lower or upper neighbours `b` is.
const Expr* PositionSets::without_needless_cut(const Expr* a, const Expr* b) const {
  bool needless = rows_side_ != Side::All && a->kind == Kind::Cut && side_of(*a) == rows_side_ &&
                  b->kind == Kind::BitRow && a->operands[1] == b->operands[1];
  return needless ? a->operands[0] : a;
}

}  // namespace matcha::passes
