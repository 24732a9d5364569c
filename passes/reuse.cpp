#include "passes/reuse.h"

#include <algorithm>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/membership.h"
#include "passes/reuse_steps.h"
#include "passes/uses.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

class Reuser final : public Rewriter {
 public:
  Reuser(const Module& module, PassContext& context)
      : Rewriter(context.context),
        facts_(module),
        order_(module, facts_),
        uses_(module),
        members_(facts_, order_, builder()),
        context_(context) {
    for_each_stmt(*module.body, [&](const Stmt& stmt) {
      for_each_expr(stmt, [&](const Expr& e) {
        for_each_node(e, [&](const Expr& node) {
          if (node.kind == Kind::Contains) ++look_ups_[node.operands[0]];
        });
      });
    });
  }

 protected:
  const Expr* on_expr(const Expr* e) override {
    switch (e->kind) {
      case Kind::Contains: return looked_up(e, e->operands[0], e->operands[1]);
      case Kind::HasEdge: {
        const Expr* near = builder().make(Kind::Neighbors, {e->operands[0], e->operands[1]});
        return looked_up(e, near, e->operands[2]);
      }
      case Kind::Intersect:
        return is_vids(e) && !facts_.may_trap(e) && members_.subset_of(e->operands[0], e->operands[1])
                   ? counted("set operations", e->operands[0])
                   : e;
      case Kind::Diff:
        return is_vids(e) && !facts_.may_trap(e) && members_.disjoint(e->operands[0], e->operands[1])
                   ? counted("set operations", e->operands[0])
                   : e;
      case Kind::Eq:
      case Kind::Ne: return compared(e);
      case Kind::Size: return e->operands[0]->kind == Kind::Span ? size_of_span(e, e->operands[0]) : e;
      default: return e;
    }
  }

  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const Stmt* rebuilt = rebuild(stmt);
    const For* loop = as<For>(rebuilt);
    out.push_back(loop != nullptr ? with_all_items(*loop) : rebuilt);
  }

 private:
  const Expr* counted(const char* what, const Expr* e) {
    context_.count(what);
    return e;
  }

  static bool is_vids(const Expr* list) {
    return list->type->is_set() && list->type->columns[0]->is_scalar(ScalarKind::Vid);
  }

  const Expr* looked_up(const Expr* e, const Expr* set, const Expr* item) {
    if (facts_.may_trap(e)) return e;
    const std::optional<bool> known = members_.contains(set, item);
    if (known) return counted("look-ups", builder().boolean(*known));
    if (set->kind == Kind::Cut && members_.contains(set->operands[0], item) == true) {
      const Expr* bound = set->operands[1];
      return counted("look-ups",
                     builder().make(Kind::Lt, {is_below(*set) ? item : bound, is_below(*set) ? bound : item}));
    }
    const Var* name = as<Var>(set);
    if (name == nullptr || !is_only_queried(name)) return e;
    std::vector<const Expr*> parts;
    bool one = remaining_look_ups(static_cast<const Let*>(facts_.definition(name))->value, item, parts);
    return one ? counted("look-ups", conjunction(builder(), parts)) : e;
  }

  /// True for a set operation that is only read by its size and look-ups, so that it is not stored once those are gone.
  bool is_only_queried(const Var* set) {
    const Stmt* stmt = facts_.definition(set);
    const Let* let = stmt != nullptr ? as<Let>(stmt) : nullptr;
    bool computed = let != nullptr && is_set_op(let->value->kind);
    return computed && uses_.of(set).size_count > 0 && uses_.of(set).size_count + look_ups_[set] == uses_.of(set).count;
  }

  /// Appends the look-ups that still decide whether `item` is in the set, given known facts; false if several are
  /// needed.
  bool remaining_look_ups(const Expr* set, const Expr* item, std::vector<const Expr*>& parts) {
    Builder& b = builder();
    if (members_.contains(set, item) == true) return true;
    switch (set->kind) {
      case Kind::Intersect:
        return remaining_look_ups(set->operands[0], item, parts) && remaining_look_ups(set->operands[1], item, parts);
      case Kind::Cut: {
        const Expr* bound = set->operands[1];
        parts.push_back(is_below(*set) ? b.make(Kind::Lt, {item, bound}) : b.make(Kind::Lt, {bound, item}));
        return remaining_look_ups(set->operands[0], item, parts);
      }
      case Kind::Neighbors: {
        if (!is_all_neighbors(*set)) return false;
        bool first = std::ranges::none_of(parts, [](const Expr* part) { return part->kind == Kind::Contains; });
        parts.push_back(b.make(Kind::Contains, {set, item}));
        return first;
      }
      default: return false;
    }
  }

  /// Items are different if they are ordered, and from the vertex whose neighbours they are.
  const Expr* compared(const Expr* e) {
    const Expr* a = e->operands[0];
    const Expr* b = e->operands[1];
    bool different = members_.differ(a, b);
    return different ? counted("comparisons", builder().boolean(e->kind == Kind::Ne)) : e;
  }

  /// The size of a span in front of, or behind, the position of a loop over the same list.
  const Expr* size_of_span(const Expr* e, const Expr* span) {
    Builder& b = builder();
    const Expr* end = span->operands[2];
    if (span->operands[1] == b.integer(0) && members_.item_at(end, span->operands[0]) != nullptr)
      return counted("positions", end);
    return e;
  }

  /// `for x in diff(s, list(y)) { … }` as a loop over s with a condition. A body that only yields, or yields the same
  /// for each item, stays: it may become a product.
  const Stmt* with_all_items(const For& loop) {
    const Expr* list = loop.lists[0];
    bool without_items = loop.lists.size() == 1 && loop.maybe_index == nullptr && list->kind == Kind::Diff &&
                         list->operands[1]->kind == Kind::Literal && is_vids(list);
    if (!without_items || facts_.may_trap(list)) return &loop;
    if (std::ranges::all_of(loop.body->body, [](const Stmt* s) { return s->kind == Kind::Yield; })) return &loop;
    const std::unordered_set<const Var*> inside = bound_in(loop);
    for (const Stmt* stmt : loop.body->body) {
      const Yield* yield = as<Yield>(stmt);
      if (yield == nullptr) continue;
      if (yield->sink->type->is_list()) return &loop;
      for (const Expr* value : yield->values) {
        if (!reads(*value, inside)) return &loop;
      }
    }
    context_.count("copies without items");
    Builder& b = builder();
    b.set_loc(loop.loc);
    std::vector<const Expr*> parts;
    for (const Expr* other : list->operands[1]->operands) parts.push_back(b.make(Kind::Ne, {loop.vars[0], other}));
    const Stmt* body = b.branch(conjunction(b, parts), loop.body);
    return b.loop(loop.vars, {&list->operands[0], 1}, nullptr, b.block({&body, 1}));
  }

  Facts facts_;
  Order order_;
  Uses uses_;
  Membership members_;
  PassContext& context_;
  std::unordered_map<const Expr*, int> look_ups_;  ///< Number of look-ups in each set.
};

}  // namespace

Module reuse(const Module& module, PassContext& context) {
  const Module result = Reuser(module, context).run(module);
  // Changed sets are examined in the next round.
  if (result.body != module.body) return result;
  const Module sets = reuse_supersets(module, context);
  return sets.body != module.body ? sets : reuse_counted(module, context);
}

}  // namespace matcha::passes
