#pragma once

#include <unordered_map>

#include "codegen/host/values.h"
#include "runtime/cpu/keyed_rows.h"

namespace matcha::codegen::host {

/// Evaluates the expressions of the steps outside regions, operands from left to right, `and`, `or` and `select`
/// lazily. Lists are views of the arrays of a graph or of another list if possible.
class Evaluator {
 public:
  /// `values` may receive missing arrays of graphs; `universe` is that of the run.
  Evaluator(Values& values, const runtime::Universe& universe) : values_(values), universe_(universe) {}

  // Each throws Trap.

  Scalar scalar(const ir::Expr& e);
  List list(const ir::Expr& e);
  Graph& graph(const ir::Expr& e);
  /// Number of items, without making a list of all edges or vertices.
  std::uint64_t size(const ir::Expr& e);

 private:
  // An expression may share its operands: an evaluation computes each of them once.
  Scalar eval(const ir::Expr& e);
  List items(const ir::Expr& e);
  std::uint64_t count(const ir::Expr& e);
  Scalar compute(const ir::Expr& e);
  List make(const ir::Expr& e);
  template <typename T>
  T get(const ir::Expr& e) {
    return std::get<T>(eval(e));
  }

  Scalar variable(const ir::Var& e) const;
  Scalar negation(const ir::Expr& e);
  Scalar arithmetic(const ir::Expr& e);
  Scalar conversion(const ir::Expr& e);
  Scalar at_most(const ir::Expr& e);
  Scalar item(const ir::At& e);
  Scalar contains(const ir::Expr& e);
  Scalar lower_bound(const ir::Expr& e);
  Scalar find_row(const ir::Expr& e);
  Scalar label(const ir::Expr& e);
  Scalar has_edge(const ir::Expr& e);

  List vertices(const ir::Expr& e);
  List edges(const ir::Expr& e);
  List neighbors(const ir::Expr& e);
  List edge_info(const ir::Expr& e);
  List literal(const ir::Expr& e);
  List membership(const ir::Expr& e);
  List cut(const ir::Expr& e);
  List span(const ir::Expr& e);
  /// The rows of `sorted` and `keyed`.
  List folded(const ir::Expr& e, runtime::RowFold fold);
  List range(const ir::Expr& e);

  Values& values_;
  const runtime::Universe& universe_;
  std::unordered_map<const ir::Expr*, Scalar> scalars_;
  std::unordered_map<const ir::Expr*, List> lists_;
};

/// The smaller or the larger of two scalars of one type. For floats -0 is below +0, and NaN wins over all others.
const Scalar& extreme(const Scalar& a, const Scalar& b, bool smaller);

}  // namespace matcha::codegen::host
