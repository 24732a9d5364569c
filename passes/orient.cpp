#include "passes/orient.h"

#include "ir/analysis/facts.h"
#include "ir/analysis/resolve.h"
#include "ir/match.h"
#include "ir/rewriter.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

class Orienter final : public Rewriter {
 public:
  Orienter(const Module& module, PassContext& context) : Rewriter(context.context), facts_(module), context_(context) {}

 protected:
  const Expr* on_expr(const Expr* e) override {
    if (e->kind == Kind::Span) return on_span(e);
    if (e->kind != Kind::Cut) return e;
    const Expr* list = resolve(facts_, e->operands[0]);
    bool cut_at_vertex = is_all_neighbors(*list) && list->operands[1] == e->operands[1];
    if (!cut_at_vertex || !facts_.has_rows(list->operands[0])) return e;
    const Side side = side_of(*e);
    if (side == Side::Upper && !facts_.loop_free(list->operands[0])) return e;
    context_.count(side == Side::Lower ? "lower" : "upper");
    return builder().make({Kind::Neighbors, side}, list->operands);
  }

  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const For* loop = as<For>(stmt);
    if (loop != nullptr && loop->maybe_index != nullptr && loop->lists.size() == 1) {
      walked_[loop->maybe_index] = expr(loop->lists[0]);
    }
    out.push_back(rebuild(stmt));
  }

 private:
  /// `span(neighbors(g, v), 0, i)` with the position `i` of a loop over the lower half of that list.
  const Expr* on_span(const Expr* e) {
    const ConstInt* begin = as<ConstInt>(e->operands[1]);
    const Var* end = as<Var>(e->operands[2]);
    const auto found = end != nullptr ? walked_.find(end) : walked_.end();
    if (begin == nullptr || begin->value != 0 || found == walked_.end()) return e;
    const Expr* half = resolve(facts_, found->second);
    const Expr* list = resolve(facts_, e->operands[0]);
    bool same = is_half(*half) && side_of(*half) == Side::Lower && is_all_neighbors(*list) &&
                half->operands[0] == list->operands[0] && half->operands[1] == list->operands[1];
    return same ? builder().make(Kind::Span, {half, begin, end}) : e;
  }

  Facts facts_;
  PassContext& context_;
  std::unordered_map<const Var*, const Expr*> walked_;  ///< The list that a loop walks, by its position.
};

}  // namespace

Module orient(const Module& module, PassContext& context) { return Orienter(module, context).run(module); }

}  // namespace matcha::passes
