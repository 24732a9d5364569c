#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "ir/builder.h"

namespace matcha::ir {

/// What is known of a list for certain. For several columns both speak of whole rows.
struct ListFacts {
  bool ascending = false;
  bool unique = false;
};

/// Bounds of an integer value, both inclusive.
struct Range {
  std::int64_t low = INT64_MIN;
  std::int64_t high = INT64_MAX;
};

/// Facts about the values of a module, computed from their definitions when the object is made. Nothing is stored in
/// nodes; a pass that changes the module makes new facts.
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
  /// The Graph parameter that has each arc of the graph, so that no vertex has more neighbours here than there: the
  /// graph itself, or that whose walked arcs it is built from without repeats; null if there is none.
  const Var* supergraph(const Expr* graph) const;
  /// True if every vertex has a label: a Graph parameter that the module assumes to be so.
  bool labelled(const Expr* graph) const;
  /// True if every vertex has a row in the graph: a Graph parameter, or a graph built with `csr`.
  bool has_rows(const Expr* graph) const;
  /// The range of an i64 expression.
  Range range(const Expr* value) const;
  /// The most items that a list may have; a bit set has none that the list of its rows has not.
  std::int64_t longest(const Expr* list) const;
  /// False if evaluating `expr` ends the run with an error for no input. Ranges tell overflow.
  bool may_trap(const Expr* expr) const;
  /// True for a value of a min or max sink: there is none if nothing was yielded, and to read it is an error then.
  bool may_be_empty(const Var* var) const;
  static bool may_be_empty(SinkKind kind) { return kind == SinkKind::Min || kind == SinkKind::Max; }
  /// True for a view of a list that lies where it is, unchanged, as long as a region runs: of a graph or a top-level
  /// list, not of a buffer.
  bool outlives_region(const Expr* list) const;
  /// The statement that binds `var`; null for a parameter.
  const Stmt* definition(const Var* var) const;
  /// True for parameters and for what a statement of the module's own block binds.
  bool top_level(const Var* var) const { return top_level_.contains(var); }
  /// A bound on the number of items of `list`, as an i64 expression over top-level values; null if there is none. Every
  /// call takes a builder of one context.
  const Expr* bound(Builder& builder, const Expr* list) const;

 private:
  /// Fills the memo in the order of the program, so that no chain of definitions is walked in depth.
  void prepare(const Block& block);
  /// The value that a graph expression names, behind every `let`; null if it depends on the run.
  const Var* graph_root(const Expr* graph) const;
  ListFacts list_of(const Expr* list) const;
  Range range_of(const Expr* value) const;
  const Expr* bound_of(Builder& builder, const Expr* list) const;
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
  // An expression may share its operands, and values stand for their definitions: each answer is found once.
  mutable std::unordered_map<const Expr*, ListFacts> lists_;
  mutable std::unordered_map<const Expr*, Range> ranges_;
  mutable std::unordered_map<const Expr*, bool> traps_;
  mutable std::unordered_map<const Expr*, const Expr*> bounds_;
};

/// How often each value is read; a yield into a sink is no read of it.
std::unordered_map<const Var*, int> count_uses(const Block& block);

/// Adds the values that `expr` reads to `out`.
void free_vars(const Expr& expr, std::vector<const Var*>& out);

}  // namespace matcha::ir
