#pragma once

#include <optional>

#include "ir/analysis/facts.h"
#include "ir/rewriter.h"

namespace matcha::passes {

/// A loop nest rewritten over bit sets of positions in one list, its base (see bitset_neighborhood.h).
class BitsetNest {
 public:
  struct Allowed {
    bool lists;  ///< Set operations on lists may stay in loops over bits.
    bool owner;  ///< Sets may be cut at the vertex whose neighbours are the base.
  };
  /// `whole` is the list, an expression available in front of the loop.
  BitsetNest(ir::Builder& builder, const ir::Facts& facts, const ir::Expr* whole, Allowed allowed)
      : builder_(builder), facts_(facts), given_(whole), allowed_(allowed) {}

  /// The statements that replace `loop`, which walks a slice of the base, if that has at most `end` items, a number
  /// with a known bound. Empty if the nest reads a set that is not a bit set, or if nothing would be gained.
  ir::Stmts rewrite(const ir::For& loop, const ir::Expr* end);

 private:
  /// The same with rows of neighbours on one side. `only_side`: receives the common side of all neighbour lists that
  /// became rows.
  ir::Stmts attempt(const ir::For& loop, const ir::Expr* end, ir::Side rows_side, std::optional<ir::Side>& only_side);

  ir::Builder& builder_;
  const ir::Facts& facts_;
  const ir::Expr* given_;
  Allowed allowed_;
};

}  // namespace matcha::passes
