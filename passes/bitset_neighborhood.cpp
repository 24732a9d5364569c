#include "passes/bitset_neighborhood.h"

#include <algorithm>
#include <optional>

#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/bitset_nest.h"
#include "passes/uses.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

class NeighborhoodBitsets final : public Rewriter {
 public:
  NeighborhoodBitsets(const Module& module, PassContext& context)
      : Rewriter(context.context), module_(module), facts_(module), context_(context) {}

  Module rewritten() {
    Module result = run(module_);
    for (const Assumption& assumption : assumed_) result = builder().assume(result, assumption);
    return result;
  }

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const For* loop = as<For>(stmt);
    if (loop != nullptr && loops_ > 0 && localized(*loop, out)) return;
    loops_ += loop != nullptr;
    out.push_back(rebuild(stmt));
    loops_ -= loop != nullptr;
  }

 private:
  /// Appends both versions of the loop if a version over bit sets exists.
  bool localized(const For& loop, Stmts& out) {
    if (loop.lists.size() != 1) return false;
    for (const Expr* base : bases(loop.lists[0])) {
      std::int64_t most = std::min<std::int64_t>(context_.option(is_full(*base) ? "full" : "most"), INT32_MAX);
      if (most < context_.option("least") || most < 1) continue;
      if (is_full(*base) && reads_some_label(*loop.body) && loops_in(*loop.body) < context_.option("labelled"))
        continue;
      Builder& b = builder();
      b.set_loc(loop.loc);
      const Expr* size = b.make(Kind::Size, {base});
      Stmts rewritten = BitsetNest(b, facts_, base, {context_.option("lists") != 0, context_.option("owner") != 0})
                            .rewrite(loop, b.integer(most));
      if (rewritten.empty() || (is_full(*base) && !counts_bits(rewritten))) continue;
      context_.count("nests");
      if (assume_short(base, most)) {
        out.insert(out.end(), rewritten.begin(), rewritten.end());
        return true;
      }
      b.set_loc(loop.loc);
      const Expr* enough = b.make(Kind::Le, {b.integer(context_.option("least")), size});
      const Expr* few = b.make(Kind::Le, {size, b.integer(most)});
      const Stmt* as_it_was[] = {&loop};
      out.push_back(b.branch(b.make(Kind::And, {enough, few}), b.block(rewritten), b.block(as_it_was)));
      return true;
    }
    return false;
  }

  /// True if something is counted in bits, or if nothing is counted on lists. Rows of all neighbours do not pay if they
  /// are only walked while the counts stay set operations on lists.
  static bool counts_bits(const Stmts& stmts) {
    bool bits = false, lists = false;
    for (const Stmt* stmt : stmts) {
      for_each_stmt_of(*stmt, [&](const Stmt& inner) {
        for_each_expr(inner, [&](const Expr& e) {
          for_each_node(e, [&](const Expr& node) {
            if (node.kind != Kind::Size) return;
            const Expr& counted = *node.operands[0];
            bits = bits || counted.type->bits;
            lists = lists || (!counted.type->bits && is_set_op(counted.kind));
          });
        });
      });
    }
    return bits || !lists;
  }

  static int loops_in(const Block& block) {
    return nested_loops(block, [](const For&) { return true; });
  }

  bool is_input(const Expr* graph) const {
    const Var* var = as<Var>(resolve(facts_, graph));
    return var == nullptr || facts_.definition(var) == nullptr;
  }

  /// True if the list has at most `most` items under an allowed assumption, which is then added.
  bool assume_short(const Expr* list, std::int64_t most) {
    std::optional<Assumption> bound = bounded_by(list);
    if (!bound) return false;
    bound->limit = most;
    if (!context_.allows(bound->kind) && !assumes(module_, *bound)) return false;
    assumed_.push_back(*bound);
    return true;
  }

  /// The assumption about vertex degrees in an input graph (of one side, or of all neighbours) that limits the list's
  /// size.
  std::optional<Assumption> bounded_by(const Expr* list) const {
    const Expr* e = resolve(facts_, list);
    switch (e->kind) {
      case Kind::Neighbors: {
        const Var* given = facts_.supergraph(e->operands[0]);
        if (given == nullptr) return std::nullopt;
        if (is_all_neighbors(*e) || resolve(facts_, e->operands[0]) != given)
          return Assumption{AssumptionKind::Degree, given};
        return Assumption{side_of(*e) == Side::Lower ? AssumptionKind::LowerDegree : AssumptionKind::UpperDegree,
                          given};
      }
      case Kind::Cut:
      case Kind::Span:
      case Kind::Diff: return bounded_by(e->operands[0]);
      case Kind::Intersect: {
        const std::optional<Assumption> first = bounded_by(e->operands[0]);
        const std::optional<Assumption> second = bounded_by(e->operands[1]);
        return first && (first->kind != AssumptionKind::Degree || !second) ? first : second;
      }
      default: return std::nullopt;
    }
  }

  /// True for all neighbours of a vertex in an input graph. Graphs that the program builds, and neighbours on one side
  /// of the vertex, are mostly searched for cliques, and dense.
  bool is_full(const Expr& base) const {
    const Expr* list = resolve(facts_, &base);
    return is_all_neighbors(*list) && is_input(list->operands[0]);
  }

  /// The lists that a walked list is a slice of, itself first.
  std::vector<const Expr*> bases(const Expr* list) {
    std::vector<const Expr*> found;
    const auto add = [&](const Expr* e) {
      ListFacts facts = facts_.list(e);
      bool vids = e->type->is_set() && e->type->columns[0]->is_scalar(ScalarKind::Vid);
      if (vids && facts.ascending && facts.unique) found.push_back(e);
    };
    add(list);
    for (;;) {
      const Expr* e = resolve(facts_, list);
      if (is_slice(e->kind)) {
        list = e->operands[0];
        add(list);
        continue;
      }
      if (is_half(*e)) {
        add(builder().make(Kind::Neighbors, {e->operands[0], e->operands[1]}));
      }
      return found;
    }
  }

  const Module& module_;
  Facts facts_;
  PassContext& context_;
  std::vector<Assumption> assumed_;
  int loops_ = 0;  ///< Loops around the current statement.
};

}  // namespace

Module bitset_neighborhood(const Module& module, PassContext& context) {
  return NeighborhoodBitsets(module, context).rewritten();
}

}  // namespace matcha::passes
