#include <algorithm>
#include <vector>

#include "ir/analysis/facts.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/needs.h"
#include "passes/pass.h"
#include "passes/uses.h"

/// prune-by-degree: skips vertices and edges whose degree is too small for the inner loops.
///
/// What. A sum grows only if the counted sets are not empty. From these, sizes follow outward: an intersection needs as
/// many items in each of its lists; the items before position i need i of them; a loop over the common neighbours of
/// its own items needs one item more than its body, since no vertex is its own neighbour; `c * (c - 1)` grows from a
/// count of two on. A condition is added in front of a loop over a list that needs at least two items, and of a body
/// whose sets need as many and that walks another loop.
///
/// Why. Degree filtering of the first levels (T-DFS III, G2Miner): most vertices and edges of a sparse graph are in no
/// clique, and are skipped without reading their neighbours.
///
/// Before:  for %v at %i in lower_neighbors(%G, %u) {
///            yield %n, size(intersect(span(lower_neighbors(%G, %u), 0, %i), lower_neighbors(%G, %v)))
///          }
/// After:   if (2 <= size(lower_neighbors(%G, %u))) {
///            for %v at %i in lower_neighbors(%G, %u) {
///              if (1 <= %i) {
///                yield %n, size(intersect(span(lower_neighbors(%G, %u), 0, %i), lower_neighbors(%G, %v)))
///              }
///            }
///          }
///
/// Requires and ensures: stage loop. Gives up on: loops over several lists or whose body may trap; lists and sinks
/// other than sums of ints.
namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

class DegreePruner final : public Rewriter {
 public:
  DegreePruner(const Module& module, PassContext& context)
      : Rewriter(context.context), facts_(module), effects_(facts_), context_(context) {}

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const For* loop = as<For>(stmt);
    const MaybeNeeds needs = loop != nullptr && loop->lists.size() == 1 ? effects_.body_needs(*loop) : Needs{};
    if (!needs || needs->empty() || traps_when_left_out(*loop)) {
      out.push_back(rebuild(stmt));
      return;
    }
    const Expr* list = expr(loop->lists[0]);
    const std::int64_t least = EffectNeeds::walked_need(*loop, *needs);
    const bool asked = is_tested(list, least);
    const For* made = guarded_body(*loop, *needs);
    Builder& b = builder();
    b.set_loc(loop->loc);
    if (least < 2 || asked || !is_measured(*list)) {
      out.push_back(made);
      return;
    }
    context_.count("loops");
    const Stmt* inner = made;
    out.push_back(b.branch(at_least(b.make(Kind::Size, {list}), least), b.block({&inner, 1})));
  }

 private:
  /// True if a skipped loop could have trapped, except for traps that need a large count.
  bool traps_when_left_out(const For& loop) const {
    return may_trap(facts_, loop, [&](const Stmt& stmt) {
      const Yield* yield = as<Yield>(&stmt);
      const Expr* count = yield != nullptr && yield->values.size() == 1 ? counted_value(*yield->values[0]) : nullptr;
      return count != nullptr && !facts_.may_trap(count);
    });
  }

  // Conditions

  const Expr* at_least(const Expr* value, std::int64_t least) {
    return builder().make(Kind::Le, {builder().integer(least), value});
  }

  /// True for a list whose size is known without a walk.
  static bool is_measured(const Expr& list) { return list.kind == Kind::Var || list.kind == Kind::Neighbors; }

  /// The loop with its body under a condition on the loop's variables.
  const For* guarded_body(const For& loop, const Needs& needs) {
    Builder& b = builder();
    b.set_loc(loop.loc);
    std::unordered_set<const Var*> own(loop.vars.begin(), loop.vars.end());
    if (loop.maybe_index != nullptr) own.insert(loop.maybe_index);
    // Testing a list costs as much as counting it.
    bool counts_only = true;
    for_each_stmt(*loop.body, [&](const Stmt& stmt) { counts_only = counts_only && as<For>(&stmt) == nullptr; });
    std::vector<const Expr*> parts;
    const std::size_t outer = tested_.size();
    for (const auto& [key, least] : needs) {
      if (!reads(*key, own)) continue;
      if (key == loop.maybe_index) {
        parts.push_back(at_least(key, least));
      } else if (least >= 2 && key->kind != Kind::Var && !counts_only) {
        const Expr* list = expr(key);
        parts.push_back(at_least(b.make(Kind::Size, {list}), least));
        tested_.emplace_back(list, least);
      }
    }
    const For* rebuilt = static_cast<const For*>(rebuild(&loop));
    tested_.resize(outer);
    b.set_loc(loop.loc);
    if (parts.empty()) return rebuilt;
    context_.count("bodies");
    const Stmt* branch = b.branch(conjunction(b, parts), rebuilt->body);
    return b.loop(rebuilt->vars, rebuilt->lists, rebuilt->maybe_index, b.block({&branch, 1}));
  }

  bool is_tested(const Expr* list, std::int64_t least) const {
    return std::any_of(tested_.begin(), tested_.end(),
                       [&](const auto& known) { return known.first == list && known.second >= least; });
  }

  Facts facts_;
  EffectNeeds effects_;
  PassContext& context_;
  Needs tested_;  ///< Needs that the surrounding conditions already test.
};

}  // namespace

Module prune_by_degree(const Module& module, PassContext& context) { return DegreePruner(module, context).run(module); }

}  // namespace matcha::passes
