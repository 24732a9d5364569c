#include "ir/analysis/facts.h"
#include "ir/analysis/resolve.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/pass.h"

/// orient: turns neighbours cut at their own vertex into halves of a neighbour list, whose offsets are stored with the
/// graph.
///
/// What. `below(neighbors(g, v), v)` becomes `lower_neighbors(g, v)` and `above(neighbors(g, v), v)` becomes
/// `upper_neighbors(g, v)`; the span before the position of a loop over one half is a span of that half.
///
/// Why. A clique core under a total order walks oriented lists (G2Miner, kClist). Back ends find the half by an offset
/// stored for each vertex, without the search that takes most of the time on sparse graphs.
///
/// Before:  for %v at %i in below(neighbors(%G, %u), %u) {
///            yield %n, size(intersect(span(neighbors(%G, %u), 0, %i), below(neighbors(%G, %v), %v)))
///          }
/// After:   for %v at %i in lower_neighbors(%G, %u) {
///            yield %n, size(intersect(span(lower_neighbors(%G, %u), 0, %i), lower_neighbors(%G, %v)))
///          }
///
/// Requires and ensures: stage loop. Gives up on: graphs with a hash index or chosen at run time, which have no stored
/// offsets; `above` in a graph that may have loops.
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
