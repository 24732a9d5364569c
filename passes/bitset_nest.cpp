#include "passes/bitset_nest.h"

#include "ir/analysis/bits.h"
#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "passes/uses.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// Drops names that nothing reads.
class Pruner final : public Rewriter {
 public:
  Pruner(Context& context, const std::unordered_set<const Var*>& droppable)
      : Rewriter(context), droppable_(droppable) {}

  const Block* run(const Block* body) {
    for (;;) {
      uses_ = count_uses(*body);
      const Block* left = block(body);
      if (left == body) return body;
      body = left;
    }
  }

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const Let* let = as<Let>(stmt);
    if (let != nullptr && is_unread(let->var)) return;
    const For* loop = as<For>(stmt);
    if (loop != nullptr && loop->maybe_index != nullptr && is_unread(loop->maybe_index)) {
      out.push_back(builder().loop(loop->vars, loop->lists, nullptr, block(loop->body)));
    } else {
      out.push_back(rebuild(stmt));
    }
  }

 private:
  bool is_unread(const Var* var) const { return droppable_.contains(var) && !uses_.contains(var); }

  const std::unordered_set<const Var*>& droppable_;
  std::unordered_map<const Var*, int> uses_;
};

}  // namespace

Stmts BitsetNest::rewrite(const For& loop, const Expr* end) {
  Stmts whole_rows = attempt(loop, end, Side::All);
  if (whole_rows.empty() || sides_.size() != 1 || sides_.contains(Side::All)) return whole_rows;
  return attempt(loop, end, *sides_.begin());
}

Stmts BitsetNest::attempt(const For& loop, const Expr* end, Side rows_side) {
  whole_ = resolve(facts_, given_);
  rows_side_ = rows_side;
  maybe_graph_ = nullptr;
  maybe_own_ = nullptr;
  sides_.clear();
  renamed_.clear();
  positions_.clear();
  sets_.clear();
  sizes_.clear();
  droppable_.clear();
  gains_ = 0;
  failed_ = false;
  Context& context = builder_.context();
  builder_.set_loc(loop.loc);
  base_ = builder_.var(given_->type, "all");
  rows_ = builder_.var(context.list(context.bits()), "rows");
  const For* walk = outer_loop(loop);
  if (failed_ || gains_ == 0 || maybe_graph_ == nullptr) return {};
  builder_.set_loc(loop.loc);
  const Expr* part = builder_.make(Kind::Span, {given_, builder_.integer(0), end});
  const Stmt* made[] = {walk};
  const Block* pruned = Pruner(context, droppable_).run(builder_.block(made));
  const Expr* rows = builder_.make({Kind::BitRows, rows_side}, {maybe_graph_, base_});
  Stmts out = {builder_.let(base_, part), builder_.let(rows_, rows)};
  if (maybe_own_ != nullptr)
    out.push_back(builder_.let(maybe_own_, builder_.make(Kind::LowerBound, {base_, whole_->operands[1]})));
  out.push_back(pruned->body[0]);
  return out;
}

// Statements

/// The walk over a slice of the base, which keeps its vertices.
const For* BitsetNest::outer_loop(const For& loop) {
  effects_.enter(loop);
  const Expr* list = sliced(loop.lists[0]);
  if (failed_) return &loop;
  const Var* item = renamed(loop.vars[0]);
  const Var* index = builder_.var(builder_.context().i64(), "p");
  if (loop.maybe_index != nullptr) renamed_[loop.maybe_index] = index;
  bool first_ones = list == base_ || is_below(*list);
  for (const Expr* at = list; at != base_ && first_ones; at = at->operands[0]) first_ones = is_below(*at);
  Stmts body;
  const Var* position = index;
  if (!first_ones) {
    position = builder_.var(builder_.context().i64(), "p");
    body.push_back(builder_.let(position, builder_.make(Kind::LowerBound, {base_, item})));
    droppable_.insert(position);
  }
  positions_[loop.vars[0]] = position;
  for (const Stmt* inner : loop.body->body) stmt(*inner, body);
  builder_.set_loc(loop.loc);
  bool indexed = first_ones || loop.maybe_index != nullptr;
  return builder_.loop({&item, 1}, {&list, 1}, indexed ? index : nullptr, builder_.block(body));
}

/// The same slice of the new base.
const Expr* BitsetNest::sliced(const Expr* list) {
  const Expr* e = resolve(facts_, list);
  if (e == whole_) return base_;
  bool same_vertex = is_half(*e) && is_all_neighbors(*whole_) && e->operands[0] == whole_->operands[0] &&
                     e->operands[1] == whole_->operands[1];
  if (same_vertex) {
    return builder_.make({Kind::Cut, side_of(*e)}, {base_, e->operands[1]});
  }
  if (!is_slice(e->kind)) return fail(list);
  std::vector<const Expr*> operands(e->operands.begin(), e->operands.end());
  operands[0] = sliced(operands[0]);
  return failed_ ? list : builder_.with_operands(e, operands);
}

const Block* BitsetNest::block(const Block& b) {
  Stmts out;
  for (const Stmt* s : b.body) stmt(*s, out);
  builder_.set_loc(b.loc);
  return builder_.block(out);
}

void BitsetNest::stmt(const Stmt& s, Stmts& out) {
  if (failed_) return;
  builder_.set_loc(s.loc);
  match(
      s, [&](const Block& b) { out.push_back(block(b)); }, [&](const Let& l) { let(l, out); },
      [&](const For& f) { out.push_back(loop(f)); }, [&](const If& i) { branch(i, out); },
      [&](const Collect& c) { out.push_back(collect(c)); },
      [&](const Yield& y) {
        std::vector<const Expr*> values;
        for (const Expr* value : y.values) values.push_back(expr(value));
        const auto own = renamed_.find(y.sink);
        const Var* sink = own != renamed_.end() ? static_cast<const Var*>(own->second) : y.sink;
        out.push_back(builder_.yield(sink, values));
      },
      [&](const OneOf<BuildGraph, Return, Region, Store> auto&) { failed_ = true; });
}

void BitsetNest::branch(const If& s, Stmts& out) {
  const Expr* needed = bit_loops_ > 0 && s.maybe_else == nullptr ? needed_condition(s) : s.cond;
  if (const ConstBool* known = as<ConstBool>(needed); known != nullptr && known->value) {
    for (const Stmt* inner : s.then_body->body) stmt(*inner, out);
    return;
  }
  const Expr* cond = expr(needed);
  const Block* then_body = block(*s.then_body);
  const Block* else_body = s.maybe_else != nullptr ? block(*s.maybe_else) : nullptr;
  builder_.set_loc(s.loc);
  if (!failed_) out.push_back(builder_.branch(cond, then_body, else_body));
}

/// The condition without sizes that the body needs in any case to have an effect: to ask for them early saves reading
/// lists, and costs more than bits do.
const Expr* BitsetNest::needed_condition(const If& s) {
  MaybeNeeds needs = effects_.block_needs(*s.then_body, nullptr);
  if (!needs || may_trap(facts_, s)) return s.cond;
  std::vector<const Expr*> parts = conjuncts(s.cond);
  std::erase_if(parts, [&](const Expr* part) {
    const ConstInt* least = part->kind == Kind::Le ? as<ConstInt>(part->operands[0]) : nullptr;
    const Expr* value = part->operands.empty() ? part : part->operands.back();
    const std::int64_t* needed = find(*needs, value->kind == Kind::Size ? value->operands[0] : value);
    return least != nullptr && needed != nullptr && least->value <= *needed;
  });
  return conjunction(builder_, parts);
}

void BitsetNest::let(const Let& s, Stmts& out) {
  if (s.var->type->is_list()) {
    const MaybeBits set = bits(s.value);
    if (set && set->subset) {
      bool computed = is_set_op(set->bits->kind);
      const Expr* found = set->bits;
      if (computed) {
        const Var* name = builder_.var(found->type, s.var->hint);
        out.push_back(builder_.let(name, found));
        droppable_.insert(name);
        found = name;
      }
      sets_.insert_or_assign(s.var, Bits{found, true});
      name_size(s.var, found, out);
      return;
    }
  }
  const Expr* value = expr(s.value);
  if (failed_) return;
  const Var* name = renamed(s.var);
  if (s.var->type->is_list()) droppable_.insert(name);
  out.push_back(builder_.let(name, value));
}

/// The size of a list is there, that of bits is counted: not again in each round of a loop.
void BitsetNest::name_size(const Var* list, const Expr* set, Stmts& out) {
  const Var* size = builder_.var(builder_.context().i64(), "size");
  out.push_back(builder_.let(size, builder_.make(Kind::Size, {set})));
  droppable_.insert(size);
  sizes_.insert_or_assign(list, NamedSize{size, bit_loops_});
}

const For* BitsetNest::loop(const For& s) {
  effects_.enter(s);
  if (s.lists.size() == 1) {
    const MaybeBits set = bits(s.lists[0]);
    if (set && set->subset) return bit_loop(s, set->bits);
  }
  std::vector<const Expr*> lists;
  for (const Expr* list : s.lists) lists.push_back(expr(list));
  if (failed_) return &s;
  std::vector<const Var*> vars;
  for (const Var* var : s.vars) vars.push_back(renamed(var));
  const Var* index = s.maybe_index != nullptr ? renamed(s.maybe_index) : nullptr;
  const Block* body = block(*s.body);
  builder_.set_loc(s.loc);
  return builder_.loop(vars, lists, index, body);
}

/// A walk over positions; the vertex is read where it is still asked for.
const For* BitsetNest::bit_loop(const For& s, const Expr* set) {
  const Var* position = builder_.var(builder_.context().i64(), "p");
  positions_[s.vars[0]] = position;
  const Var* item = renamed(s.vars[0]);
  droppable_.insert(item);
  const Var* index = s.maybe_index != nullptr ? renamed(s.maybe_index) : nullptr;
  if (index != nullptr) droppable_.insert(index);
  Stmts body = {builder_.let(item, builder_.at(base_, position, 0))};
  ++bit_loops_;
  for (const Stmt* inner : s.body->body) stmt(*inner, body);
  --bit_loops_;
  builder_.set_loc(s.loc);
  return builder_.loop({&position, 1}, {&set, 1}, index, builder_.block(body));
}

const Collect* BitsetNest::collect(const Collect& s) {
  std::vector<Sink> sinks(s.sinks.begin(), s.sinks.end());
  for (Sink& sink : sinks) {
    // What is read from bits by position is not known to ascend, and the list's readers may ask for it.
    failed_ = failed_ || sink.kind == SinkKind::List;
    sink.var = renamed(sink.var);
  }
  const Block* body = block(*s.body);
  builder_.set_loc(s.loc);
  return builder_.collect(sinks, body);
}

const Var* BitsetNest::renamed(const Var* var) {
  const Var* name = builder_.var(var->type, var->hint);
  renamed_[var] = name;
  return name;
}

// Expressions

const Expr* BitsetNest::fail(const Expr* e) {
  failed_ = true;
  return e;
}

/// True if the list is as quick to read as it stands.
bool BitsetNest::is_plain(const Expr* list) const {
  bool plain = !is_set_op(list->kind);
  for_each_node(*list, [&](const Expr& node) {
    const Var* var = as<Var>(&node);
    plain = plain && !(var != nullptr && sets_.contains(var));
  });
  return plain;
}

/// The expression with new names, and over bit sets where it has some.
const Expr* BitsetNest::expr(const Expr* e) {
  if (failed_) return e;
  if (const Var* var = as<Var>(e)) {
    if (sets_.contains(var)) return fail(e);
    const auto found = renamed_.find(var);
    return found != renamed_.end() ? found->second : e;
  }
  if (e->kind == Kind::Size && !is_plain(e->operands[0])) {
    const Var* list = as<Var>(e->operands[0]);
    const auto named = list != nullptr ? sizes_.find(list) : sizes_.end();
    if (named != sizes_.end() && named->second.bit_loops < bit_loops_) return named->second.name;
    const MaybeBits set = bits(e->operands[0]);
    if (set && set->subset) return builder_.make(Kind::Size, {set->bits});
  }
  if (e->kind == Kind::Contains || e->kind == Kind::HasEdge) {
    const Expr* position = position_of(e->operands.back());
    const MaybeBits set = position == nullptr         ? MaybeBits()
                          : e->kind == Kind::Contains ? bits(e->operands[0])
                                                      : row(Side::All, e->operands[0], e->operands[1]);
    gains_ += set && bit_loops_ > 0;
    if (set) return builder_.make(Kind::Contains, {set->bits, position});
  }
  if (e->kind == Kind::Eq || e->kind == Kind::Ne) {
    // Of one list without repeats: their positions tell, and need no look at it.
    const Expr* a = position_of(e->operands[0]);
    const Expr* b = position_of(e->operands[1]);
    if (a != nullptr && b != nullptr && facts_.list(given_).unique) return builder_.make(e->kind, {a, b});
  }
  if (!allowed_.lists && bit_loops_ > 0 && is_set_op(e->kind)) return fail(e);
  std::vector<const Expr*> operands;
  for (const Expr* operand : e->operands) operands.push_back(expr(operand));
  return failed_ ? e : builder_.with_operands(e, operands);
}

// Sets

const Expr* BitsetNest::position_of(const Expr* vertex) const {
  const Var* var = as<Var>(resolve(facts_, vertex));
  const auto found = var != nullptr ? positions_.find(var) : positions_.end();
  return found != positions_.end() ? found->second : nullptr;
}

/// The items of `e`, which has no repeats, that are in the base; nothing if they cannot be told by bits.
BitsetNest::MaybeBits BitsetNest::bits(const Expr* e) {
  if (const Var* var = as<Var>(e)) {
    if (const auto found = sets_.find(var); found != sets_.end()) return found->second;
  }
  const Expr* list = resolve(facts_, e);
  if (list == whole_) return Bits{builder_.make(Kind::AllBits, {rows_}), true};
  if (list != e) return bits(list);
  if (!e->type->is_set() || !e->type->columns[0]->is_scalar(ScalarKind::Vid) || !facts_.list(e).unique) return {};
  switch (e->kind) {
    case Kind::Neighbors:
      if (is_half(*e) && is_owner(e->operands[1]) && e->operands[0] == whole_->operands[0]) {
        return cut_at_owner(side_of(*e), Bits{builder_.make(Kind::AllBits, {rows_}), true});
      }
      return row(side_of(*e), e->operands[0], e->operands[1]);
    case Kind::Cut: {
      const Side side = side_of(*e);
      const MaybeBits set = bits(e->operands[0]);
      return is_owner(e->operands[1]) ? cut_at_owner(side, set) : cut(side, set, position_of(e->operands[1]));
    }
    case Kind::Span: return prefix(e);
    case Kind::Intersect:
    case Kind::Diff: {
      const int gains = gains_;
      const MaybeBits a = bits(e->operands[0]);
      const MaybeBits b = bits(e->operands[1]);
      if (a && e->kind == Kind::Diff && e->operands[1]->kind == Kind::Literal) return without(*a, *e->operands[1]);
      if (!a || !b || !facts_.list(e->operands[1]).ascending) {
        gains_ = gains;  // Parts that became bits are of no use to a list.
        return {};
      }
      // Of a set with items that are not in the base, lists tell more than bits.
      gains_ += bit_loops_ > 0 && (a->subset || b->subset);
      if (e->kind == Kind::Diff) return Bits{builder_.make(Kind::Diff, {a->bits, b->bits}), a->subset};
      return Bits{meet(a->bits, b->bits), a->subset || b->subset};
    }
    default: return {};
  }
}

/// The set without some items whose positions are known, each a set of its own: what is neither below it nor above.
BitsetNest::MaybeBits BitsetNest::without(Bits set, const Expr& items) {
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

BitsetNest::MaybeBits BitsetNest::row(Side side, const Expr* graph, const Expr* vertex) {
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

BitsetNest::MaybeBits BitsetNest::cut(Side side, MaybeBits set, const Expr* position) {
  if (!set || position == nullptr) return {};
  return Bits{builder_.make({Kind::Cut, side}, {set->bits, position}), set->subset};
}

/// True for the vertex whose neighbours the base is, in a graph in which it is none of them.
bool BitsetNest::is_owner(const Expr* vertex) const {
  return allowed_.owner && is_all_neighbors(*whole_) && whole_->operands[1] == vertex &&
         facts_.simple(resolve(facts_, whole_->operands[0]));
}

/// The items below the vertex whose neighbours they are, or above it.
BitsetNest::MaybeBits BitsetNest::cut_at_owner(Side side, MaybeBits set) {
  if (!set) return {};
  if (maybe_own_ == nullptr) maybe_own_ = builder_.var(builder_.context().i64(), "own");
  if (side == Side::Lower) return cut(side, set, maybe_own_);
  const Expr* below = builder_.make({Kind::Cut, Side::Lower}, {builder_.make(Kind::AllBits, {rows_}), maybe_own_});
  return Bits{builder_.make(Kind::Diff, {set->bits, below}), set->subset};
}

/// The items in front of the one that a walk over the list is at, or behind it.
BitsetNest::MaybeBits BitsetNest::prefix(const Expr* e) {
  const ConstInt* begin = as<ConstInt>(e->operands[1]);
  const Var* end = as<Var>(resolve(facts_, e->operands[2]));
  const Stmt* stmt = end != nullptr ? facts_.definition(end) : nullptr;
  const For* walk = stmt != nullptr ? as<For>(stmt) : nullptr;
  bool here = begin != nullptr && begin->value == 0 && walk != nullptr && walk->maybe_index == end &&
              walk->lists.size() == 1 && is_prefix(facts_, walk->lists[0], e->operands[0]) &&
              facts_.list(e->operands[0]).ascending;
  if (!here) return {};
  return cut(Side::Lower, bits(e->operands[0]), position_of(walk->vars[0]));
}

const Expr* BitsetNest::meet(const Expr* a, const Expr* b) {
  const Expr* first = without_needless_cut(a, b);
  const Expr* second = without_needless_cut(b, a);
  if (first->kind == Kind::AllBits) return second;
  if (second->kind == Kind::AllBits) return first;
  if (first->kind == Kind::Intersect && (first->operands[0] == second || first->operands[1] == second)) return first;
  return builder_.make(Kind::Intersect, {first, second});
}

/// `a` without a cut at the vertex whose row of lower or upper neighbours `b` is.
const Expr* BitsetNest::without_needless_cut(const Expr* a, const Expr* b) const {
  bool needless = rows_side_ != Side::All && a->kind == Kind::Cut && side_of(*a) == rows_side_ &&
                  b->kind == Kind::BitRow && a->operands[1] == b->operands[1];
  return needless ? a->operands[0] : a;
}

}  // namespace matcha::passes
