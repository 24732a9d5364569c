#include <algorithm>

#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/restrict_steps.h"
#include "passes/uses.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// Longest literal whose items are instead looked up one by one in a list.
constexpr std::size_t kMaxExcluded = 4;

/// The items of a loop that pass its condition, as a set.
struct Members {
  const Expr* set;
  std::vector<const Expr*> excluded;  ///< Items to be subtracted.
};

class MemberFinder final : public Rewriter {
 public:
  MemberFinder(const Module& module, PassContext& context)
      : Rewriter(context.context), facts_(module), uses_(module), context_(context) {}

 protected:
  const Expr* on_expr(const Expr* e) override {
    if (e->kind != Kind::Size || e->operands[0]->kind != Kind::Diff) return e;
    const Expr* set = e->operands[0]->operands[0];
    const Expr* literal = e->operands[0]->operands[1];
    if (literal->kind != Kind::Literal || literal->operands.size() > kMaxExcluded || !is_set(set)) return e;
    context_.count("items taken off");
    return size({set, {literal->operands.begin(), literal->operands.end()}});
  }

  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const Stmt* rebuilt = rebuild(stmt);
    builder().set_loc(stmt->loc);
    out.push_back(match(
        *rebuilt, [&](const For& s) { return counted(s); }, [&](const Collect& s) { return listed(s); },
        [](const OneOf<Block, Let, If, Yield, BuildGraph, Repeat, Again, Return, Region, Store> auto& s)
            -> const Stmt* { return &s; }));
  }

 private:
  /// True if it ascends without repeats, so that an item is in it at most once.
  bool is_set(const Expr* list) const {
    ListFacts known = facts_.list(list);
    return known.ascending && known.unique;
  }

  /// `for x in s { if c { yield n, 1 } }` as one yield of a number.
  const Stmt* counted(const For& s) {
    Members members{};
    const Yield* yield = filtered(s, members);
    if (yield == nullptr || yield->values.size() != 1) return &s;
    const ConstInt* one = as<ConstInt>(yield->values[0]);
    const Sink* sink = uses_.sink(yield->sink);
    if (one == nullptr || one->value != 1 || sink == nullptr || sink->kind != SinkKind::Sum) return &s;
    context_.count("filters counted");
    const Expr* total = size(members);
    return builder().yield(yield->sink, {&total, 1});
  }

  /// `collect l { for x in s { if c { yield l, x } } }` as a set.
  const Stmt* listed(const Collect& s) {
    const For* loop = s.sinks.size() == 1 && s.body->body.size() == 1 ? as<For>(s.body->body[0]) : nullptr;
    if (loop == nullptr || s.sinks[0].kind != SinkKind::List) return &s;
    Members members{};
    const Yield* yield = filtered(*loop, members);
    bool same = yield != nullptr && yield->values.size() == 1 && yield->values[0] == loop->vars[0];
    if (!same) return &s;
    context_.count("filters listed");
    return builder().let(s.sinks[0].var, without(members));
  }

  /// The yield of a loop that only filters, with the passing items as a set; null for other loops.
  const Yield* filtered(const For& s, Members& members) {
    if (s.lists.size() != 1 || s.vars.size() != 1 || s.maybe_index != nullptr || s.body->body.size() != 1)
      return nullptr;
    const If* branch = as<If>(s.body->body[0]);
    if (branch == nullptr || branch->maybe_else != nullptr || branch->then_body->body.size() != 1) return nullptr;
    const Yield* yield = as<Yield>(branch->then_body->body[0]);
    members.set = s.lists[0];
    for (const Expr* part : conjuncts(branch->cond)) {
      if (facts_.may_trap(part) || !member(part, s.vars[0], members)) return nullptr;
    }
    return yield;
  }

  /// Adds one condition on `item` to `members`.
  bool member(const Expr* part, const Var* item, Members& members) {
    Builder& b = builder();
    bool negated = part->kind == Kind::Not;
    const Expr* test = negated ? part->operands[0] : part;
    std::unordered_set<const Var*> item_only = {item};
    if (test->kind == Kind::Ne && !negated) {
      bool first = test->operands[0] == item;
      const Expr* other = test->operands[first ? 1 : 0];
      if ((!first && test->operands[1] != item) || reads(*other, item_only)) return false;
      members.excluded.push_back(other);
      return true;
    }
    const Expr* list = nullptr;
    if (test->kind == Kind::Contains && test->operands[1] == item) {
      list = test->operands[0];
    } else if (test->kind == Kind::HasEdge && test->operands[2] == item) {
      list = b.make(Kind::Neighbors, {test->operands[0], test->operands[1]});
    }
    if (list == nullptr || list->type != members.set->type || reads(*list, item_only)) return false;
    members.set = b.make(negated ? Kind::Diff : Kind::Intersect, {members.set, list});
    return true;
  }

  const Expr* without(const Members& members) {
    if (members.excluded.empty()) return members.set;
    const Expr* literal = builder().literal(members.set->type, members.excluded);
    return builder().make(Kind::Diff, {members.set, literal});
  }

  /// The number of members. In a set without repeats each excluded item subtracts one if it is in the set.
  const Expr* size(const Members& members) {
    Builder& b = builder();
    if (!is_set(members.set) || members.excluded.size() > kMaxExcluded) return b.make(Kind::Size, {without(members)});
    const Expr* total = b.make(Kind::Size, {members.set});
    for (std::size_t i = 0; i < members.excluded.size(); ++i) {
      const Expr* item = members.excluded[i];
      const Expr* there = b.make(Kind::Contains, {members.set, item});
      for (std::size_t j = 0; j < i; ++j) {
        there = b.make(Kind::And, {there, b.make(Kind::Ne, {item, members.excluded[j]})});
      }
      total = b.make(Kind::Sub, {total, b.convert(there, b.context().i64())});
    }
    return total;
  }

  Facts facts_;
  Uses uses_;
  PassContext& context_;
};

}  // namespace

Module restrict_members(const Module& module, PassContext& context) {
  return MemberFinder(module, context).run(module);
}

}  // namespace matcha::passes
