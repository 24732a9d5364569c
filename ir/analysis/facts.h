#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "ir/builder.h"

namespace matcha::ir {

/// Proven facts about a list. With several columns both are about whole rows.
struct ListFacts {
  bool ascending = false;
  bool unique = false;
};

/// Bounds of an integer value, both inclusive.
struct Range {
  std::int64_t low = INT64_MIN;
  std::int64_t high = INT64_MAX;
};

/// Facts about the values of a module, computed from their definitions by the constructor. Nothing is stored in nodes;
/// a pass that changes the module makes new facts.
class Facts {
 public:
  explicit Facts(const Module& module);

  ListFacts list(const Expr* list) const;
  /// True if no neighbour is repeated: a Graph parameter that the module assumes to be simple, or a graph built from
  /// edges without repeats.
  bool simple(const Expr* graph) const;
  /// True if no vertex is its own neighbour: a Graph parameter that the module assumes to be so, or a graph built from
  /// the walked neighbours of such a graph.
  bool loop_free(const Expr* graph) const;
  /// The Graph parameter that has all arcs of the graph, so that no vertex has more neighbours here than there: the
  /// graph itself, or the one from whose walked arcs it is built without repeats; null if there is none.
  const Var* supergraph(const Expr* graph) const;
  /// True if every vertex has a label: a Graph parameter that the module assumes to be so.
  bool labelled(const Expr* graph) const;
  /// True if every vertex has a row in the graph: a Graph parameter, or a graph built with `csr`.
  bool has_rows(const Expr* graph) const;
  /// How the edges of a vertex lie in the graph; Info unless it is known to be Target.
  RowOrder order(const Expr* graph) const;
  /// The range of an i64 expression.
  Range range(const Expr* value) const;
  /// The largest possible number of items of a list; a bit set has at most those of its rows' list.
  std::int64_t longest(const Expr* list) const;
  /// False if evaluating `expr` cannot end the run with an error. Ranges are used for overflow.
  bool may_trap(const Expr* expr) const;
  /// True for a value of a min or max sink: it does not exist if nothing was yielded, and reading it is an error then.
  bool may_be_empty(const Var* var) const;
  static bool may_be_empty(SinkKind kind) { return kind == SinkKind::Min || kind == SinkKind::Max; }
  /// True for a view of a list that stays in place, unchanged, as long as a region runs: of a graph or a top-level
  /// list, not of a buffer.
  bool outlives_region(const Expr* list) const;
  /// The statement that binds `var`; null for a parameter.
  const Stmt* definition(const Var* var) const;
  /// True for parameters and for variables bound in the module's own block.
  bool top_level(const Var* var) const { return top_level_.contains(var); }
  /// A bound on the number of items of `list`, as an i64 expression over top-level values; null if there is none. All
  /// calls need builders of the same context.
  const Expr* bound(Builder& builder, const Expr* list) const;

 private:
  /// Fills the memo in program order, so that recursion does not follow long chains of definitions.
  void prepare(const Block& block);
  /// The value of a graph expression behind every `let`; null if it depends on the run.
  const Var* graph_root(const Expr* graph) const;
  ListFacts list_of(const Expr* list) const;
  Range range_of(const Expr* value) const;
  const Expr* bound_of(Builder& builder, const Expr* list) const;
  const Expr* most_of(Builder& builder, const Expr* value) const;
  const Yield* arc_of(const BuildGraph& build) const;
  const Expr* graph_of_walk(const Expr* u, const Expr* v) const;
  ListFacts collected(const Collect& collect, const Var* sink) const;
  ListFacts walked_in_step(const For& loop, const Yield& yield) const;
  const Expr* collected_bound(Builder& builder, const Block& block, const Var* sink) const;
  bool node_may_trap(const Expr& expr) const;
  bool has_item(const Expr& at) const;

  Module module_;
  std::unordered_map<const Var*, const Stmt*> definitions_;
  std::unordered_set<const Var*> top_level_;
  // Expressions share operands, and variables stand for their definitions: each answer is computed once.
  mutable std::unordered_map<const Expr*, ListFacts> lists_;
  mutable std::unordered_map<const Expr*, Range> ranges_;
  mutable std::unordered_map<const Expr*, bool> traps_;
  mutable std::unordered_map<const Expr*, const Expr*> bounds_;
};

/// The number of reads of each variable; a yield into a sink is not a read of it.
std::unordered_map<const Var*, int> count_uses(const Block& block);

/// Adds the values that `expr` reads to `out`.
void free_vars(const Expr& expr, std::vector<const Var*>& out);

}  // namespace matcha::ir
