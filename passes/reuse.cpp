#include <algorithm>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/membership.h"
#include "passes/pass.h"
#include "passes/reuse_steps.h"
#include "passes/uses.h"

/// reuse: replaces computations whose result is known from other sets.
///
/// What.
/// - A look-up of a loop's item is true if the loop walks a part of the set, and false if it walks the items outside
///   it. Likewise a set operation between such sets becomes its first operand.
/// - The number of items before a loop's current item is the loop's position.
/// - For a set that is only read by its size and look-ups, a look-up is replaced by one in its operands if one of them
///   decides.
/// - A loop-invariant intersection whose size the loop reads is computed once in front of the loop if the loop looks
///   its items up in both lists; they are then looked up in it.
/// - A loop over a list without some items, `diff(s, list(x))`, walks s and skips them: no copy is stored.
/// - A set of vertices is described by the sets that contain its items, the sets that do not, and its bounds. It is
///   computed from stored supersets: first the one with most of its operands, then the one with most of the remaining
///   operands. A list that a loop walks is stored and named. Operands that depend only on outer loops come first, and
///   their set is named there, cut by the bounds known there. This applies if it leaves fewer set operations in the
///   innermost loops, or as many there and fewer further out.
/// - s consists of `intersect(s, t)` and `diff(s, t)`: the size of one follows from the size of the other, if that is
///   stored or computed before; likewise for sets that differ in two operands. The second of two equal sets is written
///   as the first, so that `hoist` and `fuse` find them.
///
/// Why. Edge-induced patterns test for each vertex of a match whether it is a candidate of the last one; the loops
/// before have mostly decided that. Then nothing depends on the vertex any more, and `fuse` turns such loops into
/// products. Candidates of a level are those of an earlier level with further neighbours (`C_j = C_i ∩ N(v)`, T-DFS
/// III); programs may write that in any order, or not at all.
///
/// Before:  for %c at %i in %ends {
///            for %d in intersect(span(%ends, 0, %i), neighbors(%G, %c)) {
///              yield %n, (size(%ends) - convert<i64>(contains(%ends, %d)))
///            }
///          }
/// After:   for %c at %i in %ends {
///            for %d in intersect(span(%ends, 0, %i), neighbors(%G, %c)) { yield %n, (size(%ends) - 1) }
///          }
///
/// Before:  for %w in intersect(neighbors(%G, %u), neighbors(%G, %v)) {
///            yield %n, size(below(intersect(neighbors(%G, %v), intersect(neighbors(%G, %w), neighbors(%G, %u))), %w))
///          }
/// After:   let %walked = intersect(neighbors(%G, %u), neighbors(%G, %v))
///          for %w in %walked { yield %n, size(intersect(below(%walked, %w), below(neighbors(%G, %w), %w))) }
///
/// Before:  yield %a, size(intersect(neighbors(%G, %u), neighbors(%G, %v)))
///          yield %b, size(diff(neighbors(%G, %v), neighbors(%G, %u)))
/// After:   yield %a, size(intersect(neighbors(%G, %u), neighbors(%G, %v)))
///          yield %b, (size(neighbors(%G, %v)) - size(intersect(neighbors(%G, %u), neighbors(%G, %v))))
///
/// Sets that differ only by label (STMatch 1.7): labels are conditions behind set operations, so these are the same
/// set, which is walked for both (tests/passes/reuse/labels.mtir).
///
/// Requires and ensures: stage loop. No trap is added or removed.
/// Gives up on:
/// - facts that follow from edges in both directions, since a graph may be directed;
/// - lists with repeats or in no order, whose order and repeats come from one operand;
/// - moving out of a condition that few items pass;
/// - `intersect(s, t)` and `diff(s, t)` that are both stored: `diff(s, common)` walks less, but patterns took 0.93 to
///   1.08 of the time;
/// - lists of one label each that are intersected with one list, and sets in separate collects: one filtered set takes
///   0.78 of the time with 3 labels and the same with 10, and the number of labels is unknown here.
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
