#include <algorithm>

#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/restrict_steps.h"
#include "passes/uses.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

class Bounder final : public Rewriter {
 public:
  Bounder(const Module& module, PassContext& context)
      : Rewriter(context.context), facts_(module), order_(module, facts_), context_(context) {}

 protected:
  const Expr* on_expr(const Expr* e) override {
    if (e->kind == Kind::Min || e->kind == Kind::Max) {
      bool first_is_less = order_.less(e->operands[0], e->operands[1]);
      if (!first_is_less && !order_.less(e->operands[1], e->operands[0])) return e;
      return e->operands[first_is_less == (e->kind == Kind::Min) ? 0 : 1];
    }
    if (e->kind != Kind::Cut) return e;
    return slice(builder(), facts_, order_, side_of(*e), e->operands[0], e->operands[1]);
  }

  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const Stmt* rebuilt = rebuild(stmt);
    const For* loop = as<For>(rebuilt);
    Guarded guarded;
    if (loop == nullptr || loop->lists.size() != 1 || !is_guarded(*loop, guarded)) {
      out.push_back(rebuilt);
      return;
    }
    builder().set_loc(stmt->loc);
    restricted(*loop, guarded, out);
  }

 private:
  /// The current state of a loop being restricted.
  struct State {
    const For& loop;
    std::unordered_set<const Var*> inside;
    const Expr* list;
    const Expr* maybe_only = nullptr;  ///< The only remaining item, for `contains`.
    std::vector<const Expr*> in_front;
    std::vector<const Expr*> left;
  };

  void restricted(const For& loop, const Guarded& guarded, Stmts& out) {
    State state{loop, bound_in(loop), loop.lists[0], nullptr, {}, {}};
    bool lets_trap =
        std::any_of(guarded.lets.begin(), guarded.lets.end(), [&](const Stmt* let) { return may_trap(facts_, *let); });
    bool safe = !lets_trap && !facts_.may_trap(state.list);
    for (const Expr* part : conjuncts(guarded.branch->cond)) {
      bool moved = safe && (reads(*part, state.inside) ? !facts_.may_trap(part) && bounded(state, part)
                                                       : moves_in_front(state, part));
      if (!moved) state.left.push_back(part);
      safe = safe && (moved || !facts_.may_trap(part));
    }
    if (state.left.size() == conjuncts(guarded.branch->cond).size()) {
      out.push_back(&loop);
      return;
    }
    Builder& b = builder();
    context_.count("conditions", static_cast<std::int64_t>(conjuncts(guarded.branch->cond).size() - state.left.size()));
    Stmts body = guarded.lets;
    if (state.left.empty()) {
      const Block* then_body = guarded.branch->then_body;
      body.insert(body.end(), then_body->body.begin(), then_body->body.end());
    } else {
      body.push_back(b.branch(conjunction(b, state.left), guarded.branch->then_body));
    }
    const Stmt* result = nullptr;
    if (state.maybe_only != nullptr) {
      // One item at most: the loop's variable becomes a name for it.
      body.insert(body.begin(), b.let(loop.vars[0], state.maybe_only));
      result = b.branch(b.make(Kind::Contains, {state.list, state.maybe_only}), b.block(body));
    } else {
      result = b.loop(loop.vars, {&state.list, 1}, loop.maybe_index, b.block(body));
    }
    if (!state.in_front.empty()) result = b.branch(conjunction(b, state.in_front), b.block({&result, 1}));
    out.push_back(result);
  }

  /// Moves `part`, which does not read the item, in front of the loop. If it may trap, it moves only if the loop would
  /// always evaluate it: the list has an item, and no other part decides first.
  bool moves_in_front(State& state, const Expr* part) {
    if (facts_.may_trap(part)) {
      if (!state.left.empty() || state.maybe_only != nullptr || !is_slice(*state.list)) return false;
      const Expr* size = builder().make(Kind::Size, {state.list});
      state.in_front.push_back(builder().make(Kind::Lt, {builder().integer(0), size}));
    }
    state.in_front.push_back(part);
    return true;
  }

  /// Moves `part` into the list of the loop; false if it stays a condition.
  bool bounded(State& state, const Expr* part) {
    bool comparison = part->kind == Kind::Lt || part->kind == Kind::Le || part->kind == Kind::Eq;
    if (!comparison || state.loop.vars.size() != 1 || state.maybe_only != nullptr) return false;
    const Var* item = state.loop.vars[0];
    bool item_first = part->operands[0] == item;
    if (!item_first && part->operands[1] != item) return false;
    const Expr* bound = part->operands[item_first ? 1 : 0];
    bool ordered = item->type->is_scalar(ScalarKind::Vid) || item->type->is_scalar(ScalarKind::I64);
    ListFacts known = facts_.list(state.loop.lists[0]);
    if (reads(*bound, state.inside) || !ordered || !known.ascending) return false;
    bool positions = state.loop.maybe_index != nullptr;
    Builder& b = builder();
    if (part->kind == Kind::Eq) {
      if (positions || !known.unique || facts_.may_trap(state.list)) return false;
      state.maybe_only = bound;
      return true;
    }
    if (part->kind == Kind::Lt) {
      if (positions && !item_first) return false;
      state.list = slice(b, facts_, order_, item_first ? Side::Lower : Side::Upper, state.list, bound);
      return true;
    }
    // Spans need a stored list; for a set operation all of it would be stored.
    if (positions || !is_slice(*state.list)) return false;
    if (item_first) {
      const Expr* greater = b.make(Kind::Size, {slice(b, facts_, order_, Side::Upper, state.list, bound)});
      const Expr* size = b.make(Kind::Size, {state.list});
      state.list = b.make(Kind::Span, {state.list, b.integer(0), b.make(Kind::Sub, {size, greater})});
    } else {
      const Expr* less = b.make(Kind::LowerBound, {state.list, bound});
      state.list = b.make(Kind::Span, {state.list, less, b.make(Kind::Size, {state.list})});
    }
    return true;
  }

  static bool is_slice(const Expr& list) {
    switch (list.kind) {
      case Kind::Var:
      case Kind::Vertices: return true;
      case Kind::Neighbors: return is_all_neighbors(list);
      case Kind::Cut:
      case Kind::Span: return is_slice(*list.operands[0]);
      default: return false;
    }
  }

  Facts facts_;
  Order order_;
  PassContext& context_;
};

}  // namespace

bool is_guarded(const For& loop, Guarded& guarded) {
  for (const Stmt* stmt : loop.body->body) {
    if (guarded.branch != nullptr) return false;
    if (stmt->kind == Kind::Let) {
      guarded.lets.push_back(stmt);
    } else if (stmt->kind == Kind::If && static_cast<const If*>(stmt)->maybe_else == nullptr) {
      guarded.branch = static_cast<const If*>(stmt);
    } else {
      return false;
    }
  }
  return guarded.branch != nullptr;
}

Module restrict_bounds(const Module& module, PassContext& context) { return Bounder(module, context).run(module); }

}  // namespace matcha::passes
