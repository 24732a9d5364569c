#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "codegen/backend.h"
#include "codegen/interp/value.h"
#include "ir/nodes.h"
#include "runtime/cpu/region.h"

namespace matcha::codegen::interp {

/// An exception that ends a run with an error, thrown and caught inside this folder.
struct Trap {
  runtime::Error error;
  SourceLoc loc;
};
[[noreturn]] void trap(runtime::TrapCode code, SourceLoc loc);
[[noreturn]] void trap(std::string message, SourceLoc loc);

/// The inputs of an evaluation. The value of an empty `min` or `max` is `std::monostate`.
struct Environment {
  const runtime::Universe& universe;
  const RunOptions& options;
  std::unordered_map<const ir::Var*, Value> values;
};

/// Nodes that one expression of the module reaches in several ways. Each is computed once in an evaluation: walking
/// an expression that shares its operands would otherwise take exponential time.
std::unordered_set<const ir::Expr*> shared_nodes(const ir::Module& module);

/// Evaluates expressions as ir/README.md defines them, operands from left to right, `and`, `or` and `select` lazily.
class Evaluator {
 public:
  Evaluator(const Environment& environment, const std::unordered_set<const ir::Expr*>& shared)
      : environment_(environment), shared_(shared) {}

  /// The value of a whole expression. Throws Trap.
  Value operator()(const ir::Expr& expr);

 private:
  Value eval(const ir::Expr& e);
  Value compute(const ir::Expr& e);
  template <typename T>
  T get(const ir::Expr& e) {
    return std::get<T>(eval(e));
  }
  ListPtr list(const ir::Expr& e) { return get<ListPtr>(e); }
  runtime::GraphView graph(const ir::Expr& e) { return get<GraphPtr>(e)->view; }

  // Scalars
  Value variable(const ir::Var& e) const;
  Value negation(const ir::Expr& e);
  Value arithmetic(const ir::Expr& e);
  Value comparison(const ir::Expr& e);
  Value extremum(const ir::Expr& e);
  Value at_most(const ir::Expr& e);
  Value conversion(const ir::Expr& e);
  Value item(const ir::At& e);
  Value lower_bound(const ir::Expr& e);
  Value find_row(const ir::Expr& e);
  Value label(const ir::Expr& e);
  Value has_edge(const ir::Expr& e);
  Value common(const ir::CommonNeighbors& e);

  // Lists
  Value vertices(const ir::Expr& e);
  Value edges(const ir::Expr& e);
  Value neighbors(const ir::Neighbors& e);
  /// The neighbours of a vertex that are below it, or above it.
  Value edge_info(const ir::Expr& e);
  Value literal(const ir::Expr& e);
  Value set_operation(const ir::Expr& e);
  Value cut(const ir::Cut& e);
  Value span(const ir::Expr& e);
  Value sorted(const ir::Expr& e);
  Value keyed(const ir::Keyed& e);
  Value range(const ir::Expr& e);
  Value flatten(const ir::Expr& e);
  /// For each item of a list the positions in it of the item's neighbours.
  Value rows(const ir::BitRows& e);
  /// 0, 1, … below `count`.
  static Value positions_of(std::size_t count);

  const Environment& environment_;
  const std::unordered_set<const ir::Expr*>& shared_;
  std::unordered_map<const ir::Expr*, Value> memo_;
};

}  // namespace matcha::codegen::interp
