#include <algorithm>

#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/restrict_steps.h"
#include "passes/uses.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// Longest literal that two literals may make together.
constexpr std::size_t kMaxItems = 8;

/// `diff(s, list(x, …))` with items that are free to read again; the minimum of a list may trap.
bool takes_items_off(const Expr& e) {
  if (e.kind != Kind::Diff || e.operands[1]->kind != Kind::Literal) return false;
  std::span<const Expr* const> items = e.operands[1]->operands;
  return std::all_of(items.begin(), items.end(), [](const Expr* item) { return item->operands.empty(); });
}

class LiteralMover final : public Rewriter {
 public:
  LiteralMover(const Module& module, PassContext& context)
      : Rewriter(context.context), facts_(module), uses_(module), context_(context) {}

 protected:
  const Expr* on_expr(const Expr* e) override {
    if (e->kind != Kind::Intersect && e->kind != Kind::Diff) return e;
    const Expr* first = e->operands[0];
    const Expr* second = e->operands[1];
    if (takes_items_off(*first)) {
      if (e->kind == Kind::Diff && second->kind == Kind::Literal) return joined(e, first);
      if (is_needed_each_time(*first, *e)) return outside(e->kind, first->operands[0], second, first->operands[1]);
    }
    bool from_second = e->kind == Kind::Intersect && takes_items_off(*second) && is_needed_each_time(*second, *e);
    return from_second ? outside(e->kind, first, second->operands[0], second->operands[1]) : e;
  }

  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const Stmt* rebuilt = rebuild(stmt);
    const Let* let = as<Let>(rebuilt);
    const Use* use = let != nullptr ? &uses_.of(let->var) : nullptr;
    bool moves = use != nullptr && takes_items_off(*let->value) && use->counted == use->count && use->count > 0 &&
                 !use->crosses_loop && (!use->conditional || !facts_.may_trap(let->value->operands[1]));
    if (!moves) {
      out.push_back(rebuilt);
      return;
    }
    context_.count("literals moved");
    Builder& b = builder();
    b.set_loc(let->loc);
    const Expr* set = let->value->operands[0];
    if (set->kind == Kind::Intersect || set->kind == Kind::Diff) {
      const Var* name = b.var(set->type, let->var->hint);
      out.push_back(b.let(name, set));
      set = name;
    }
    substitute(let->var, b.make(Kind::Diff, {set, let->value->operands[1]}));
  }

 private:
  /// False if an outer loop can compute `part` of `whole`, once for many evaluations of `whole`.
  bool is_needed_each_time(const Expr& part, const Expr& whole) const {
    return uses_.depth(part) >= uses_.depth(whole);
  }

  const Expr* outside(Kind kind, const Expr* first, const Expr* second, const Expr* items) {
    context_.count("literals moved");
    const Expr* inner = on_expr(builder().make(kind, {first, second}));
    return on_expr(builder().make(Kind::Diff, {inner, items}));
  }

  /// Merges two literals that are subtracted one after the other.
  const Expr* joined(const Expr* e, const Expr* inner) {
    std::vector<const Expr*> items(inner->operands[1]->operands.begin(), inner->operands[1]->operands.end());
    for (const Expr* item : e->operands[1]->operands) {
      if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
    }
    if (items.size() > kMaxItems || !is_needed_each_time(*inner, *e)) return e;
    return builder().make(Kind::Diff, {inner->operands[0], builder().literal(e->type, items)});
  }

  Facts facts_;
  Uses uses_;
  PassContext& context_;
};

}  // namespace

Module restrict_literals(const Module& module, PassContext& context) {
  return LiteralMover(module, context).run(module);
}

}  // namespace matcha::passes
