#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/analysis/facts.h"
#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/pass.h"
#include "passes/uses.h"

/// count-wedges: replaces a sum of pairwise intersection sizes by wedge counters per endpoint.
///
/// What. Applies to a sum, over all pairs of items of a list, of their common neighbours below a vertex. A vertex that
/// is a neighbour of k items is in k * (k - 1) / 2 of these sets, and counters give k. So each neighbour of each item
/// is visited once, and not once for every other item (Chiba and Nishizeki, SIAM J. Comput. 1985, section 4; Wang et
/// al., VLDB 2019, section 3).
///
/// Why. The 4-cycles of a graph are found from its wedges. With vertices ranked by degree there are few of them: 8
/// million in dblp, while the pairs have 100 million items.
///
/// Before:  for %a at %i in %near {
///            let %below = below(neighbors(%G, %a), %u)
///            for %b in span(%near, 0, %i) {
///              yield %n, size(intersect(%below, below(neighbors(%G, %b), %u)))
///            }
///          }
/// After:   yield %n, common_below(%G, %near, %u, 0, 1)
///
/// If `symmetric` and `simple` may be assumed of the graph, 4-cycles counted by their largest vertex are counted by
/// their smallest one instead, and vice versa. Ranking by degree makes the list on one side of a vertex short; the
/// other side then has fewer wedges.
///
/// With `part`, the list of a hub is counted in parts, which are positions of a loop.
///
/// Requires and ensures: stage loop. Gives up on: neighbours without a cut, with different cuts for the two items, or
/// with repeats; loops with other effects.
namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// Assumptions about a graph whose pairs are counted by their other ends.
constexpr std::array kAssumed = {AssumptionKind::Symmetric, AssumptionKind::Simple};

/// `below(neighbors(graph, vertex), cut)`, or `above`.
struct CutNeighbors {
  Side side;
  const Expr* graph;
  const Expr* vertex;
  const Expr* cut;
};

/// A loop over the pairs of a list that sums the sizes of their common neighbours.
struct Pairs {
  CutNeighbors near;
  const Expr* list;
  const Var* sum;
  bool reverse;  ///< True if every arc has its reverse.
};

class WedgeCounter final : public Rewriter {
 public:
  WedgeCounter(const Module& module, PassContext& context)
      : Rewriter(context.context), module_(module), facts_(module), context_(context) {
    for_each_stmt(*module.body, [&](const Stmt& stmt) {
      const Collect* collect = as<Collect>(&stmt);
      for (std::size_t i = 0; collect != nullptr && i < collect->sinks.size(); ++i) {
        if (collect->sinks[i].kind == SinkKind::Sum) sums_.insert(collect->sinks[i].var);
      }
    });
  }

  Module counted() {
    Module result = run(module_);
    for (const Var* graph : assumed_) {
      for (AssumptionKind kind : kAssumed) result = builder().assume(result, {kind, graph});
    }
    return result;
  }

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    match(
        *stmt, [&](const For& s) { loop(s, out); }, [&](const If& s) { branch(s, out); },
        [&](const Collect& s) {
          const bool outer = std::exchange(every_vertex_, false);
          ++collects_;
          out.push_back(rebuild(&s));
          --collects_;
          every_vertex_ = outer;
        },
        [&](const Stmt& s) { out.push_back(rebuild(&s)); });
  }

 private:
  void loop(const For& s, Stmts& out) {
    if (const std::optional<Pairs> pairs = pairs_of(s)) {
      context_.count("pairs of lists");
      if (pairs->reverse) assume(pairs->near.graph);
      if (!every_vertex_ || !largest_of_four(*pairs)) return count(*pairs, out);
      context_.count("other ends");
      assume(pairs->near.graph);
      mirrored_.push_back(*pairs);
      return;
    }
    const bool whole = collects_ == 1 && loops_ == 0 && s.lists.size() == 1 && s.lists[0]->kind == Kind::Vertices;
    const bool outer = std::exchange(every_vertex_, whole);
    // Conditions around the loop apply to all of its iterations.
    std::vector<const Expr*> around = whole ? std::exchange(conditions_, {}) : std::vector<const Expr*>();
    if (whole) root_ = &s;
    ++loops_;
    const For* rebuilt = static_cast<const For*>(rebuild(&s));
    --loops_;
    every_vertex_ = outer;
    if (whole) conditions_ = std::move(around);
    out.push_back(whole ? with_mirrored(*rebuilt) : rebuilt);
  }

  void branch(const If& s, Stmts& out) {
    const bool outer = std::exchange(every_vertex_, every_vertex_ && s.maybe_else == nullptr);
    const std::vector<const Expr*> parts = conjuncts(s.cond);
    conditions_.insert(conditions_.end(), parts.begin(), parts.end());
    const If* rebuilt = static_cast<const If*>(rebuild(&s));
    conditions_.resize(conditions_.size() - parts.size());
    every_vertex_ = outer;
    if (rebuilt == &s || !does_nothing(*rebuilt)) out.push_back(rebuilt);
  }

  /// True for a condition that only tests unread values.
  bool does_nothing(const If& s) const {
    return s.maybe_else == nullptr && !facts_.may_trap(s.cond) &&
           std::ranges::all_of(s.then_body->body, [&](const Stmt* stmt) {
             const Let* let = as<Let>(stmt);
             return let != nullptr && !facts_.may_trap(let->value);
           });
  }

  /// Appends the replacement of the loop.
  void count(const Pairs& pairs, Stmts& out) {
    Builder& b = builder();
    const Expr* graph = expr(pairs.near.graph);
    const Expr* list = expr(pairs.list);
    const Expr* cut = expr(pairs.near.cut);
    const Op shared = {Kind::CommonNeighbors, pairs.near.side};
    if (context_.option("part") <= 0) {
      const Expr* found = b.make(shared, {graph, list, cut, b.integer(0), b.integer(1)});
      return out.push_back(b.yield(pairs.sum, {&found, 1}));
    }
    const Expr* many = b.make(Kind::Div, {b.make(Kind::Size, {list}), b.integer(context_.option("part"))});
    const Var* parts = b.var(b.context().i64(), "parts");
    out.push_back(b.let(parts, b.make(Kind::Max, {b.integer(1), many})));
    const Var* number = b.var(b.context().i64(), "part");
    const Expr* found = b.make(shared, {graph, list, cut, number, parts});
    const Stmt* yield = b.yield(pairs.sum, {&found, 1});
    out.push_back(counted_to(graph, parts, number, b.block({&yield, 1})));
  }

  /// A loop with `body` over 0, 1, … below `count`, which is at most the number of vertices.
  const For* counted_to(const Expr* graph, const Expr* count, const Var* number, const Block* body) {
    Builder& b = builder();
    const Expr* walked = b.make(Kind::Span, {b.make(Kind::Vertices, {graph}), b.integer(0), count});
    const Var* nobody = b.var(b.context().vid(), "v");
    return b.loop({&nobody, 1}, {&walked, 1}, number, body);
  }

  // From the other end

  /// Expressions are hash-consed, so a new one is the same as an equal existing one.
  Builder builder_of_facts() const { return Builder(context_.context); }

  /// True for pairs of the neighbours on one side of the outermost loop's vertex, whose common neighbours on that side
  /// of it are counted.
  bool largest_of_four(const Pairs& pairs) const {
    const Var* vertex = root_->vars[0];
    return may_assume(pairs.near.graph) && pairs.near.cut == vertex &&
           pairs.near.graph == root_->lists[0]->operands[0] &&
           resolve(facts_, pairs.list) == neighbors_on(pairs.near.side, pairs.near.graph, vertex) &&
           std::ranges::all_of(conditions_, [&](const Expr* c) { return requires_pair(*c, pairs.near.side); });
  }

  /// True for a condition that only excludes vertices with fewer than two neighbours on that side.
  bool requires_pair(const Expr& cond, Side side) const {
    const ConstInt* least = cond.kind == Kind::Le ? as<ConstInt>(cond.operands[0]) : nullptr;
    const Expr* size = least != nullptr && least->value <= 2 ? cond.operands[1] : nullptr;
    if (size == nullptr || size->kind != Kind::Size) return false;
    const Expr* list = resolve(facts_, size->operands[0]);
    const Expr* graph = root_->lists[0]->operands[0];
    const Var* vertex = root_->vars[0];
    const Expr* all = builder_of_facts().make(Kind::Neighbors, {graph, vertex});
    return list == all || list == neighbors_on(side, graph, vertex);
  }

  const Expr* neighbors_on(Side side, const Expr* graph, const Expr* vertex) const {
    Builder b = builder_of_facts();
    if (facts_.has_rows(graph) && facts_.loop_free(graph)) return b.make({Kind::Neighbors, side}, {graph, vertex});
    return b.make({Kind::Cut, side}, {b.make(Kind::Neighbors, {graph, vertex}), vertex});
  }

  /// The loop over all vertices with the counts from the other end.
  const Stmt* with_mirrored(const For& s) {
    if (mirrored_.empty()) return &s;
    Builder& b = builder();
    Stmts body(s.body->body.begin(), s.body->body.end());
    for (Pairs pairs : std::exchange(mirrored_, {})) {
      pairs.near.side = opposite(pairs.near.side);
      b.set_loc(pairs.list->loc);
      const Var* list = b.var(pairs.list->type, "near");
      pairs.list = list;
      const Expr* graph = s.lists[0]->operands[0];
      body.push_back(b.let(list, neighbors_on(pairs.near.side, graph, s.vars[0])));
      Stmts counted;
      count(pairs, counted);
      body.push_back(b.branch(b.make(Kind::Le, {b.integer(2), b.make(Kind::Size, {list})}), b.block(counted)));
    }
    b.set_loc(s.loc);
    return b.loop(s.vars, s.lists, s.maybe_index, b.block(body));
  }

  // The loops

  std::optional<Pairs> pairs_of(const For& first) const {
    if (first.lists.size() != 1 || first.maybe_index == nullptr) return std::nullopt;
    const Expr* list = first.lists[0];
    const ListFacts facts = facts_.list(list);
    if (!facts.ascending || !facts.unique || !first.vars[0]->type->is_scalar(ScalarKind::Vid)) return std::nullopt;
    std::vector<const Expr*> conditions;
    const For* second = only_loop(*first.body, conditions);
    if (second == nullptr || second->lists.size() != 1 || second->maybe_index != nullptr) return std::nullopt;
    if (!is_before(*second->lists[0], list, first.maybe_index)) return std::nullopt;
    const Yield* yield = only_yield(*second->body);
    if (yield == nullptr || !sums_.contains(yield->sink)) return std::nullopt;
    const Expr* size = resolve(facts_, yield->values[0]);
    const Expr* set = size->kind == Kind::Size ? resolve(facts_, size->operands[0]) : size;
    if (set->kind != Kind::Intersect) return std::nullopt;
    const std::optional<CutNeighbors> a = near(set->operands[0]);
    const std::optional<CutNeighbors> b = near(set->operands[1]);
    if (!a || !b || a->side != b->side || a->graph != b->graph || a->cut != b->cut) return std::nullopt;
    const bool both = (a->vertex == first.vars[0] && b->vertex == second->vars[0]) ||
                      (b->vertex == first.vars[0] && a->vertex == second->vars[0]);
    const std::unordered_set<const Var*> inside = bound_in(first);
    if (!both || reads(*a->cut, inside) || reads(*a->graph, inside)) return std::nullopt;
    bool reverse = false;
    for (const Expr* c : conditions) {
      if (requires_second_item(*c, first)) continue;
      if (!requires_reverse_arc(*c, first, *a->cut)) return std::nullopt;
      reverse = true;
    }
    return Pairs{*a, list, yield->sink, reverse};
  }

  /// The loop behind lets and `conditions`; null if there are other statements.
  const For* only_loop(const Block& block, std::vector<const Expr*>& conditions) const {
    for (const Stmt* stmt : block.body) {
      const bool last = stmt == block.body.back();
      if (const Let* let = as<Let>(stmt)) {
        if (last || facts_.may_trap(let->value)) return nullptr;
      } else if (const If* branch = as<If>(stmt)) {
        if (!last || branch->maybe_else != nullptr) return nullptr;
        const std::vector<const Expr*> parts = conjuncts(branch->cond);
        conditions.insert(conditions.end(), parts.begin(), parts.end());
        return only_loop(*branch->then_body, conditions);
      } else {
        return last ? as<For>(stmt) : nullptr;
      }
    }
    return nullptr;
  }

  /// True for a condition that only excludes the first item, which has no item before it.
  bool requires_second_item(const Expr& cond, const For& first) const {
    const ConstInt* least = cond.kind == Kind::Le ? as<ConstInt>(cond.operands[0]) : nullptr;
    return least != nullptr && least->value <= 1 && cond.operands[1] == first.maybe_index;
  }

  /// True if the items of `first` that fail the condition add nothing, provided that arcs have their reverse: an item
  /// adjacent to the cut then is a neighbour of the cut, and the cut is not on its own side.
  bool requires_reverse_arc(const Expr& cond, const For& first, const Expr& cut) const {
    const ConstInt* least = cond.kind == Kind::Le ? as<ConstInt>(cond.operands[0]) : nullptr;
    if (least == nullptr || least->value > 2 || cond.operands[1]->kind != Kind::Size) return false;
    const Expr* all = resolve(facts_, cond.operands[1]->operands[0]);
    const Expr* half = resolve(facts_, first.lists[0]);
    return is_all_neighbors(*all) && all->operands[1] == first.vars[0] && may_assume(all->operands[0]) &&
           is_half(*half) && half->operands[0] == all->operands[0] && half->operands[1] == &cut;
  }

  /// True for a graph that is simple and whose arcs have their reverse, or that may be assumed to be so.
  bool may_assume(const Expr* graph) const {
    const Var* var = as<Var>(resolve(facts_, graph));
    if (var == nullptr || facts_.definition(var) != nullptr) return false;
    return std::ranges::all_of(kAssumed, [&](AssumptionKind kind) {
      return context_.allows(kind) || assumes(module_, {kind, var});
    });
  }

  void assume(const Expr* graph) { assumed_.push_back(as<Var>(resolve(facts_, graph))); }

  /// True for the items of `list` before the position.
  bool is_before(const Expr& walked, const Expr* list, const Var* position) const {
    const Expr* span = resolve(facts_, &walked);
    const ConstInt* begin = span->kind == Kind::Span ? as<ConstInt>(span->operands[1]) : nullptr;
    return begin != nullptr && begin->value <= 0 && span->operands[2] == position &&
           resolve(facts_, span->operands[0]) == resolve(facts_, list);
  }

  const Yield* only_yield(const Block& block) const {
    for (const Stmt* stmt : block.body) {
      if (stmt == block.body.back()) return as<Yield>(stmt);
      const Let* let = as<Let>(stmt);
      if (let == nullptr || facts_.may_trap(let->value)) return nullptr;
    }
    return nullptr;
  }

  std::optional<CutNeighbors> near(const Expr* list) const {
    const Expr* cut = resolve(facts_, list);
    if (cut->kind != Kind::Cut) return std::nullopt;
    const Expr* all = resolve(facts_, cut->operands[0]);
    const ListFacts facts = facts_.list(all);
    if (!is_all_neighbors(*all) || !facts.ascending || !facts.unique) return std::nullopt;
    return CutNeighbors{ir::side_of(*cut), all->operands[0], all->operands[1], cut->operands[1]};
  }

  const Module& module_;
  Facts facts_;
  PassContext& context_;
  std::vector<const Var*> assumed_;  ///< Simple graphs whose arcs have their reverse.
  std::unordered_set<const Var*> sums_;
  const For* root_ = nullptr;            ///< The loop over all vertices whose body is processed,
  bool every_vertex_ = false;            ///< as long as the code is reached for every vertex,
  std::vector<const Expr*> conditions_;  ///< except those that fail one of these conditions.
  std::vector<Pairs> mirrored_;          ///< Counts to be added at its end.
  int loops_ = 0;
  int collects_ = 0;
};

}  // namespace

Module count_wedges(const Module& module, PassContext& context) { return WedgeCounter(module, context).counted(); }

}  // namespace matcha::passes
