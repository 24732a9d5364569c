#include "passes/bitset_nest.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/analysis/bits.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "passes/needs.h"
#include "passes/position_sets.h"
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

/// One attempt to rewrite a loop nest: statements and expressions with new names, over bit sets if possible.
class Attempt {
 public:
  Attempt(Builder& builder, const Facts& facts, PositionSets& sets, bool lists)
      : builder_(builder), facts_(facts), effects_(facts), sets_(sets), lists_(lists) {}

  /// The walk over a slice of the base, which binds its vertices; null if the nest reads a set that is not a bit set.
  const For* outer_loop(const For& loop);
  /// New names to be dropped unless they are read.
  const std::unordered_set<const Var*>& droppable() const { return droppable_; }

 private:
  /// The number of items of a named set.
  struct NamedSize {
    const Var* name;
    int bit_loops;  ///< Around the name.
  };

  const Block* block(const Block& b);
  void stmt(const Stmt& s, Stmts& out);
  void let(const Let& s, Stmts& out);
  void name_size(const Var* list, const Expr* set, Stmts& out);
  void branch(const If& s, Stmts& out);
  const Expr* needed_condition(const If& s);
  const For* loop(const For& s);
  const For* bit_loop(const For& s, const Expr* bits);
  const Collect* collect(const Collect& s);
  const Var* renamed(const Var* var);
  const Expr* expr(const Expr* e);
  const Expr* compared_by_position(const Expr* e);
  const Expr* fail(const Expr* e);
  bool is_plain(const Expr* list) const;

  Builder& builder_;
  const Facts& facts_;
  EffectNeeds effects_;
  PositionSets& sets_;
  bool lists_;  ///< Set operations on lists may stay in loops over bits.
  std::unordered_map<const Var*, const Expr*> renamed_;
  std::unordered_map<const Var*, NamedSize> sizes_;
  std::unordered_set<const Var*> droppable_;
  bool failed_ = false;  ///< The rest of the nest is skipped.
};

// Statements

/// The walk over a slice of the base, which binds its vertices.
const For* Attempt::outer_loop(const For& loop) {
  effects_.enter(loop);
  const Expr* list = sets_.slice_of_base(loop.lists[0]);
  if (list == nullptr) return nullptr;
  const Var* base = sets_.base();
  const Var* item = renamed(loop.vars[0]);
  const Var* index = builder_.var(builder_.context().i64(), "p");
  if (loop.maybe_index != nullptr) renamed_[loop.maybe_index] = index;
  bool first_ones = list == base || is_below(*list);
  for (const Expr* at = list; at != base && first_ones; at = at->operands[0]) first_ones = is_below(*at);
  Stmts body;
  const Var* position = index;
  if (!first_ones) {
    position = builder_.var(builder_.context().i64(), "p");
    body.push_back(builder_.let(position, builder_.make(Kind::LowerBound, {base, item})));
    droppable_.insert(position);
  }
  sets_.set_position(loop.vars[0], position);
  for (const Stmt* inner : loop.body->body) stmt(*inner, body);
  if (failed_) return nullptr;
  builder_.set_loc(loop.loc);
  bool indexed = first_ones || loop.maybe_index != nullptr;
  return builder_.loop({&item, 1}, {&list, 1}, indexed ? index : nullptr, builder_.block(body));
}

const Block* Attempt::block(const Block& b) {
  Stmts out;
  for (const Stmt* s : b.body) stmt(*s, out);
  builder_.set_loc(b.loc);
  return builder_.block(out);
}

void Attempt::stmt(const Stmt& s, Stmts& out) {
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
      [&](const OneOf<BuildGraph, Repeat, Again, Return, Region, Store> auto&) { failed_ = true; });
}

void Attempt::branch(const If& s, Stmts& out) {
  const Expr* needed = sets_.bit_loops() > 0 && s.maybe_else == nullptr ? needed_condition(s) : s.cond;
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

/// The part of the condition, without sizes, that any effect of the body requires. Testing it early saves reads of
/// lists; for bits it would cost more than it saves.
const Expr* Attempt::needed_condition(const If& s) {
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

void Attempt::let(const Let& s, Stmts& out) {
  if (s.var->type->is_list()) {
    const PositionSets::MaybeBits set = sets_.of(s.value);
    if (set && set->subset) {
      bool computed = is_set_op(set->bits->kind);
      const Expr* found = set->bits;
      if (computed) {
        const Var* name = builder_.var(found->type, s.var->hint);
        out.push_back(builder_.let(name, found));
        droppable_.insert(name);
        found = name;
      }
      sets_.name(s.var, {found, true});
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

/// The size of a list is known, that of bits is counted: the name keeps loops from counting it repeatedly.
void Attempt::name_size(const Var* list, const Expr* set, Stmts& out) {
  const Var* size = builder_.var(builder_.context().i64(), "size");
  out.push_back(builder_.let(size, builder_.make(Kind::Size, {set})));
  droppable_.insert(size);
  sizes_.insert_or_assign(list, NamedSize{size, sets_.bit_loops()});
}

const For* Attempt::loop(const For& s) {
  effects_.enter(s);
  if (s.lists.size() == 1) {
    const PositionSets::MaybeBits set = sets_.of(s.lists[0]);
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

/// A walk over positions; the vertex is read only if it is still needed.
const For* Attempt::bit_loop(const For& s, const Expr* set) {
  const Var* position = builder_.var(builder_.context().i64(), "p");
  sets_.set_position(s.vars[0], position);
  const Var* item = renamed(s.vars[0]);
  droppable_.insert(item);
  const Var* index = s.maybe_index != nullptr ? renamed(s.maybe_index) : nullptr;
  if (index != nullptr) droppable_.insert(index);
  Stmts body = {builder_.let(item, builder_.at(sets_.base(), position, 0))};
  sets_.enter_bit_loop();
  for (const Stmt* inner : s.body->body) stmt(*inner, body);
  sets_.leave_bit_loop();
  builder_.set_loc(s.loc);
  return builder_.loop({&position, 1}, {&set, 1}, index, builder_.block(body));
}

const Collect* Attempt::collect(const Collect& s) {
  std::vector<Sink> sinks(s.sinks.begin(), s.sinks.end());
  for (Sink& sink : sinks) {
    // Items read from bits by position are not known to ascend, and readers of the list may require that.
    failed_ = failed_ || sink.kind == SinkKind::List;
    sink.var = renamed(sink.var);
  }
  const Block* body = block(*s.body);
  builder_.set_loc(s.loc);
  return builder_.collect(sinks, body);
}

const Var* Attempt::renamed(const Var* var) {
  const Var* name = builder_.var(var->type, var->hint);
  renamed_[var] = name;
  return name;
}

// Expressions

const Expr* Attempt::fail(const Expr* e) {
  failed_ = true;
  return e;
}

/// True if the list is as cheap to read without bits.
bool Attempt::is_plain(const Expr* list) const {
  bool plain = !is_set_op(list->kind);
  for_each_node(*list, [&](const Expr& node) {
    const Var* var = as<Var>(&node);
    plain = plain && !(var != nullptr && sets_.is_named(var));
  });
  return plain;
}

/// The expression with new names, and over bit sets where it has some.
const Expr* Attempt::expr(const Expr* e) {
  if (failed_) return e;
  if (const Var* var = as<Var>(e)) {
    if (sets_.is_named(var)) return fail(e);
    const auto found = renamed_.find(var);
    return found != renamed_.end() ? found->second : e;
  }
  if (e->kind == Kind::Size && !is_plain(e->operands[0])) {
    const Var* list = as<Var>(e->operands[0]);
    const auto named = list != nullptr ? sizes_.find(list) : sizes_.end();
    if (named != sizes_.end() && named->second.bit_loops < sets_.bit_loops()) return named->second.name;
    const PositionSets::MaybeBits set = sets_.of(e->operands[0]);
    if (set && set->subset) return builder_.make(Kind::Size, {set->bits});
  }
  if (const Expr* asked = compared_by_position(e)) return asked;
  if (!lists_ && sets_.bit_loops() > 0 && is_set_op(e->kind)) return fail(e);
  std::vector<const Expr*> operands;
  for (const Expr* operand : e->operands) operands.push_back(expr(operand));
  return failed_ ? e : builder_.with_operands(e, operands);
}

/// A look-up or a comparison of vertices by their positions; null for other expressions, or if the positions are
/// unknown.
const Expr* Attempt::compared_by_position(const Expr* e) {
  if (e->kind == Kind::Contains || e->kind == Kind::HasEdge) {
    const Expr* position = sets_.position_of(e->operands.back());
    if (position == nullptr) return nullptr;
    const PositionSets::MaybeBits set =
        e->kind == Kind::Contains ? sets_.of(e->operands[0]) : sets_.row(Side::All, e->operands[0], e->operands[1]);
    if (!set) return nullptr;
    sets_.count_gain();
    return builder_.make(Kind::Contains, {set->bits, position});
  }
  if (e->kind == Kind::Eq || e->kind == Kind::Ne) {
    // Two items of one list without repeats are compared by their positions alone.
    const Expr* a = sets_.position_of(e->operands[0]);
    const Expr* b = sets_.position_of(e->operands[1]);
    if (a != nullptr && b != nullptr && sets_.positions_identify()) return builder_.make(e->kind, {a, b});
  }
  return nullptr;
}

}  // namespace

Stmts BitsetNest::rewrite(const For& loop, const Expr* end) {
  std::optional<Side> side;
  Stmts whole_rows = attempt(loop, end, Side::All, side);
  if (whole_rows.empty() || !side || *side == Side::All) return whole_rows;
  return attempt(loop, end, *side, side);
}

Stmts BitsetNest::attempt(const For& loop, const Expr* end, Side rows_side, std::optional<Side>& only_side) {
  builder_.set_loc(loop.loc);
  PositionSets sets(builder_, facts_, given_, allowed_.owner, rows_side);
  Attempt attempt(builder_, facts_, sets, allowed_.lists);
  const For* walk = attempt.outer_loop(loop);
  only_side = sets.only_side();
  if (walk == nullptr || !sets.is_profitable()) return {};
  builder_.set_loc(loop.loc);
  const Expr* part = builder_.make(Kind::Span, {given_, builder_.integer(0), end});
  const Stmt* made[] = {walk};
  const Block* pruned = Pruner(builder_.context(), attempt.droppable()).run(builder_.block(made));
  Stmts out = {builder_.let(sets.base(), part)};
  const Stmts rows = sets.definitions();
  out.insert(out.end(), rows.begin(), rows.end());
  out.push_back(pruned->body[0]);
  return out;
}

}  // namespace matcha::passes
