#pragma once

#include <unordered_map>
#include <vector>

#include "ir/analysis/facts.h"
#include "ir/builder.h"

namespace matcha::passes {

/// The known order of values, from the slices that loops walk: the items of `below(s, u)` are less than u.
class Order {
 public:
  Order(const ir::Module& module, const ir::Facts& facts);

  /// True if `a < b` always.
  bool less(const ir::Expr* a, const ir::Expr* b) const { return less(a, b, 0); }

 private:
  struct Bounds {
    std::vector<const ir::Expr*> above;  ///< Values greater than this one.
    std::vector<const ir::Expr*> below;  ///< Values less than this one.
  };

  bool less(const ir::Expr* a, const ir::Expr* b, int depth) const;
  void collect(const ir::Expr* list, const ir::Facts& facts, Bounds& bounds, int depth) const;

  std::unordered_map<const ir::Var*, Bounds> bounds_;
  std::unordered_map<const ir::Var*, const ir::For*> loop_of_index_;
};

/// `below(set, bound)` or `above(set, bound)`, moved into the operands of set operations, where it costs a search only;
/// slices of one side are merged. Requires: `set` ascends.
const ir::Expr* slice(ir::Builder& builder, const ir::Facts& facts, const Order& order, ir::Side side,
                      const ir::Expr* set, const ir::Expr* bound);

}  // namespace matcha::passes
