#include "passes/bitset_neighborhood.h"

#include <algorithm>
#include <optional>

#include "ir/analysis/bits.h"
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
      : Rewriter(context.context), facts_(module), context_(context) {}

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const For* loop = as<For>(stmt);
    if (loop != nullptr && loops_ > 0 && localized(*loop, out)) return;
    loops_ += loop != nullptr;
    out.push_back(rebuild(stmt));
    loops_ -= loop != nullptr;
  }

 private:
  /// Appends both versions of the loop, if there is one over bit sets.
  bool localized(const For& loop, Stmts& out) {
    if (loop.lists.size() != 1) return false;
    for (const Expr* base : bases(loop.lists[0])) {
      std::int64_t most = std::min<std::int64_t>(context_.option(is_full(*base) ? "full" : "most"), INT32_MAX);
      if (most < context_.option("least") || most < 1) continue;
      if (is_full(*base) && looks_at_labels(*loop.body) && loops_in(*loop.body) < context_.option("labelled")) continue;
      Builder& b = builder();
      b.set_loc(loop.loc);
      const Expr* size = b.make(Kind::Size, {base});
      const std::optional<Kind> given = given_around(base);
      const bool is_short = given && context_.option("short") >= (*given == Kind::Neighbors ? 2 : 1);
      const Expr* end = is_short ? b.make(Kind::AtMost, {size, b.integer(most)}) : b.integer(most);
      Stmts rewritten = BitsetNest(b, facts_, base, {context_.option("lists") != 0, context_.option("owner") != 0})
                            .rewrite(loop, end);
      if (rewritten.empty() || (is_full(*base) && !counts_bits(rewritten))) continue;
      context_.count("nests");
      if (is_short) {
        context_.count(*given == Kind::Neighbors        ? "short_all"
                       : *given == Kind::LowerNeighbors ? "short_lower"
                                                        : "short_upper");
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

  /// True if something is counted in bits, or nothing is counted that is not: rows of all neighbours do not pay for
  /// what is only walked in them, while the counts stay set operations on lists.
  static bool counts_bits(const Stmts& stmts) {
    bool bits = false, lists = false;
    for (const Stmt* stmt : stmts) {
      const Stmt* one[] = {stmt};
      for_each_stmt(Block{{{Kind::Block, stmt->loc}}, one}, [&](const Stmt& inner) {
        for_each_expr(inner, [&](const Expr& e) {
          for_each_node(e, [&](const Expr& node) {
            if (node.kind != Kind::Size) return;
            const Expr& counted = *node.operands[0];
            bits = bits || counted.type->bits;
            lists = lists || (!counted.type->bits && (counted.kind == Kind::Intersect || counted.kind == Kind::Diff));
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
    const Var* var = as<Var>(behind_lets(facts_, graph));
    return var == nullptr || facts_.definition(var) == nullptr;
  }

  /// Which neighbours of a vertex, in a graph that the program gets, are at least as many as the list has items: those
  /// on one of its sides, or all.
  std::optional<Kind> given_around(const Expr* list) const {
    const Expr* e = behind_lets(facts_, list);
    switch (e->kind) {
      case Kind::Neighbors:
      case Kind::LowerNeighbors:
      case Kind::UpperNeighbors:
        if (is_input(e->operands[0])) return e->kind;
        return facts_.supergraph(e->operands[0]) != nullptr ? std::optional(Kind::Neighbors) : std::nullopt;
      case Kind::Below:
      case Kind::Above:
      case Kind::Span:
      case Kind::Diff: return given_around(e->operands[0]);
      case Kind::Intersect: {
        const std::optional<Kind> first = given_around(e->operands[0]);
        const std::optional<Kind> second = given_around(e->operands[1]);
        return first && (*first != Kind::Neighbors || !second) ? first : second;
      }
      default: return std::nullopt;
    }
  }

  /// True for all neighbours of a vertex in a graph that the program gets: those in graphs that it builds, and those on
  /// one side of the vertex, are mostly there to be searched for cliques, and dense.
  bool is_full(const Expr& base) const {
    const Expr* list = behind_lets(facts_, &base);
    return list->kind == Kind::Neighbors && is_input(list->operands[0]);
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
      const Expr* e = behind_lets(facts_, list);
      if (is_slice(e->kind)) {
        list = e->operands[0];
        add(list);
        continue;
      }
      if (is_half(e->kind)) {
        add(builder().make(Kind::Neighbors, {e->operands[0], e->operands[1]}));
      }
      return found;
    }
  }

  Facts facts_;
  PassContext& context_;
  int loops_ = 0;  ///< Around the statement at hand.
};

}  // namespace

Module bitset_neighborhood(const Module& module, PassContext& context) {
  return NeighborhoodBitsets(module, context).run(module);
}

}  // namespace matcha::passes
