#include <algorithm>

#include "ir/analysis/blocks.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/restrict_steps.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// The slices through which one stored set is read.
struct Reads {
  bool whole = false;               ///< It is also read whole.
  std::vector<const Expr*> slices;  ///< `below(s, x)` and `above(s, x)`.
  std::vector<const Expr*> spans;   ///< `span(s, …)`.
};

class StoreShrinker final : public Rewriter {
 public:
  StoreShrinker(const Module& module, PassContext& context)
      : Rewriter(context.context), facts_(module), order_(module, facts_), context_(context) {
    std::unordered_map<const Var*, Reads> reads;
    for_each_stmt(*module.body, [&](const Stmt& stmt) {
      if (const For* loop = as<For>(&stmt);
          loop != nullptr && loop->maybe_index != nullptr && loop->lists.size() == 1) {
        walked_at_[loop->maybe_index] = loop->lists[0];
      }
      for_each_expr(stmt, [&](const Expr& e) { read(e, reads); });
    });
    std::unordered_set<const Var*> bound(module.params.begin(), module.params.end());
    plan(*module.body, bound, reads);
  }

  bool plans() const { return !slices_.empty(); }

 protected:
  const Expr* on_expr(const Expr* e) override {
    const Var* set = e->kind == Kind::Cut ? as<Var>(e->operands[0]) : nullptr;
    const auto found = set != nullptr ? slices_.find(set) : slices_.end();
    return found != slices_.end() && op_of(*found->second) == op_of(*e) && found->second->operands[1] == e->operands[1]
               ? set
               : e;
  }

  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const Let* let = as<Let>(stmt);
    const auto found = let != nullptr ? slices_.find(let->var) : slices_.end();
    if (found == slices_.end()) {
      out.push_back(rebuild(stmt));
      return;
    }
    context_.count("sets stored sliced");
    const Expr* bound = found->second->operands[1];
    const Expr* value = slice(builder(), facts_, order_, side_of(*found->second), expr(let->value), bound);
    builder().set_loc(let->loc);
    out.push_back(builder().let(let->var, value));
  }

 private:
  static void read(const Expr& e, std::unordered_map<const Var*, Reads>& reads) {
    if (const Var* var = as<Var>(&e)) {
      reads[var].whole = true;
      return;
    }
    const Var* set = e.operands.empty() ? nullptr : as<Var>(e.operands[0]);
    bool sliced = set != nullptr && e.kind == Kind::Cut;
    bool spanned = set != nullptr && e.kind == Kind::Span;
    if (sliced) reads[set].slices.push_back(&e);
    if (spanned) reads[set].spans.push_back(&e);
    for (std::size_t i = sliced || spanned ? 1 : 0; i < e.operands.size(); ++i) read(*e.operands[i], reads);
  }

  /// Finds lets of set operations whose reads are all within one slice that is known at the let.
  void plan(const Block& block, std::unordered_set<const Var*>& bound,
            const std::unordered_map<const Var*, Reads>& reads) {
    std::vector<const Var*> here;
    const auto bind = [&](const Var& var) {
      bound.insert(&var);
      here.push_back(&var);
    };
    for (const Stmt* stmt : block.body) {
      if (const Let* let = as<Let>(stmt)) consider(*let, bound, reads);
      if (stmt->kind != Kind::For) for_each_binding(*stmt, bind);
      match(
          *stmt,
          [&](const For& s) {
            std::vector<const Var*> own;
            for_each_binding(s, [&](const Var& var) { own.push_back(&var); });
            bound.insert(own.begin(), own.end());
            plan(*s.body, bound, reads);
            for (const Var* var : own) bound.erase(var);
          },
          [&](const OneOf<Block, If, Collect> auto& s) {
            for_each_block(s, [&](const Block& inner) { plan(inner, bound, reads); });
          },
          [](const OneOf<Let, Yield, BuildGraph, Repeat, Again, Return, Region, Store> auto&) {});
    }
    for (const Var* var : here) bound.erase(var);
  }

  void consider(const Let& let, const std::unordered_set<const Var*>& bound,
                const std::unordered_map<const Var*, Reads>& reads) {
    bool stored = is_set_op(let.value->kind);
    const auto found = reads.find(let.var);
    if (!stored || found == reads.end() || found->second.whole) return;
    for (const Expr* candidate : found->second.slices) {
      std::vector<const Var*> needed;
      free_vars(*candidate->operands[1], needed);
      bool known = std::all_of(needed.begin(), needed.end(), [&](const Var* var) { return bound.contains(var); });
      if (known && !facts_.may_trap(candidate->operands[1]) && covers(*candidate, found->second)) {
        slices_[let.var] = candidate;
        return;
      }
    }
  }

  /// True if every read is within `outer`, a slice of the same set.
  bool covers(const Expr& outer, const Reads& reads) const {
    const Expr* bound = outer.operands[1];
    bool slices = std::all_of(reads.slices.begin(), reads.slices.end(), [&](const Expr* inner) {
      if (inner == &outer) return true;
      const Expr* other = inner->operands[1];
      return op_of(*inner) == op_of(outer) && (is_below(outer) ? order_.less(other, bound) : order_.less(bound, other));
    });
    // A span from the start up to the position in the slice keeps its items if the rest is removed.
    bool spans = std::all_of(reads.spans.begin(), reads.spans.end(), [&](const Expr* span) {
      const ConstInt* begin = as<ConstInt>(span->operands[1]);
      const Var* end = as<Var>(span->operands[2]);
      const auto walked = end != nullptr ? walked_at_.find(end) : walked_at_.end();
      return is_below(outer) && begin != nullptr && begin->value == 0 && walked != walked_at_.end() &&
             walked->second == &outer;
    });
    return slices && spans;
  }

  Facts facts_;
  Order order_;
  PassContext& context_;
  std::unordered_map<const Var*, const Expr*> walked_at_;  ///< The list of the loop with this position.
  std::unordered_map<const Var*, const Expr*> slices_;     ///< The slice to which a set shrinks.
};

}  // namespace

Module restrict_stores(const Module& module, PassContext& context) {
  StoreShrinker shrinker(module, context);
  return shrinker.plans() ? shrinker.run(module) : module;
}

}  // namespace matcha::passes
