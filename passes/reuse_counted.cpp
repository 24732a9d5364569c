#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/analysis/facts.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/reuse_steps.h"
#include "passes/uses.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// Named intersections, in the order of the loop.
using Names = std::vector<std::pair<const Expr*, const Var*>>;

const Var* name_of(const Names& names, const Expr* set) {
  const auto found = std::ranges::find(names, set, [](const auto& named) { return named.first; });
  return found != names.end() ? found->second : nullptr;
}
bool has(const Names& names, const Expr* set) {
  return std::ranges::any_of(names, [&](const auto& named) { return named.first == set; });
}

/// The list of `names` in which both `contains` of a conjunction look up the same item; else null.
const Expr* looked_up_in(const Expr& e, const Names& names) {
  if (e.kind != Kind::And) return nullptr;
  const Expr* first = e.operands[0];
  const Expr* second = e.operands[1];
  if (first->kind != Kind::Contains || second->kind != Kind::Contains || first->operands[1] != second->operands[1])
    return nullptr;
  for (const auto& [set, name] : names) {
    const bool same = set->operands[0] == first->operands[0] && set->operands[1] == second->operands[0];
    const bool swapped = set->operands[0] == second->operands[0] && set->operands[1] == first->operands[0];
    if (same || swapped) return set;
  }
  return nullptr;
}

/// Replaces intersections by their names.
class Named final : public Rewriter {
 public:
  Named(Context& context, const Names& names) : Rewriter(context), names_(names) {}

 protected:
  const Expr* on_expr(const Expr* e) override {
    if (e->kind == Kind::Size) {
      const Var* name = name_of(names_, e->operands[0]);
      return name != nullptr ? builder().make(Kind::Size, {name}) : e;
    }
    const Expr* set = looked_up_in(*e, names_);
    return set != nullptr ? builder().make(Kind::Contains, {name_of(names_, set), e->operands[0]->operands[1]}) : e;
  }

 private:
  const Names& names_;
};

class CountedSets final : public Rewriter {
 public:
  CountedSets(const Module& module, PassContext& context)
      : Rewriter(context.context), facts_(module), context_(context) {}

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const Stmt* rebuilt = rebuild(stmt);
    const For* loop = as<For>(rebuilt);
    const Names names = loop != nullptr ? found_in(*loop) : Names{};
    if (names.empty()) return out.push_back(rebuilt);
    builder().set_loc(stmt->loc);
    for (const auto& [set, name] : names) {
      context_.count("sets named");
      out.push_back(builder().let(name, set));
    }
    const Block* body = Named(context_.context, names).block(loop->body);
    builder().set_loc(stmt->loc);
    out.push_back(builder().loop(loop->vars, loop->lists, loop->maybe_index, body));
  }

 private:
  /// The loop-invariant intersections whose size the loop reads and in which it looks up its items.
  Names found_in(const For& loop) {
    const std::unordered_set<const Var*> inside = bound_in(loop);
    const auto each = [&](const auto& visit) {
      for_each_stmt(*loop.body,
                    [&](const Stmt& stmt) { for_each_expr(stmt, [&](const Expr& e) { for_each_node(e, visit); }); });
    };
    Names counted;
    each([&](const Expr& node) {
      if (node.kind != Kind::Size || node.operands[0]->kind != Kind::Intersect) return;
      const Expr* set = node.operands[0];
      if (reads(*set, inside) || facts_.may_trap(set) || !facts_.list(set).ascending) return;
      if (!has(counted, set)) counted.emplace_back(set, nullptr);
    });
    Names found;
    each([&](const Expr& node) {
      const Expr* set = looked_up_in(node, counted);
      if (set == nullptr || has(found, set) || !reads(*node.operands[0]->operands[1], inside)) return;
      found.emplace_back(set, builder().var(set->type, "common"));
    });
    return found;
  }

  Facts facts_;
  PassContext& context_;
};

}  // namespace

Module reuse_counted(const Module& module, PassContext& context) { return CountedSets(module, context).run(module); }

}  // namespace matcha::passes
