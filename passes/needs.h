#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/analysis/facts.h"

namespace matcha::passes {

/// Least sizes of lists and least values of positions, in the order in which they were found.
using Needs = std::vector<std::pair<const ir::Expr*, std::int64_t>>;

/// What is needed for one or the other; nothing stands for what never has an effect.
using MaybeNeeds = std::optional<Needs>;

/// The least value that is needed of `key`; null if nothing is known.
std::int64_t* find(Needs& needs, const ir::Expr* key);

/// Of an expression of constants and one other value, such as `c * (c - 1) / 2`, that value, if where it is 0 or 1 the
/// expression is 0 and does not trap; null for others.
const ir::Expr* counted_value(const ir::Expr& e);

/// What must hold of sizes and positions for a statement to have an effect on a sink: a sum of ints grows only if the
/// sets that are counted are not empty.
class EffectNeeds {
 public:
  explicit EffectNeeds(const ir::Facts& facts) : facts_(facts) {}

  /// What the body of a loop needs of what is known outside it and of what the loop binds.
  MaybeNeeds body_needs(const ir::For& loop);

  /// For an effect on `sink`, or on anything outside the block if that is null. Loops around the block are to be
  /// entered before, for all that they tell.
  MaybeNeeds block_needs(const ir::Block& block, const ir::Var* sink);
  void enter(const ir::For& loop);

  /// The number of items of its list that a loop needs, given what its body needs.
  static std::int64_t walked_need(const ir::For& loop, Needs needs);

 private:
  MaybeNeeds outward_needs(const ir::Collect& collect);
  MaybeNeeds yield_needs(const ir::Yield& yield);
  MaybeNeeds loop_needs(const ir::For& loop, const ir::Var* sink);
  MaybeNeeds nonzero(const ir::Expr& e);
  MaybeNeeds at_least(const ir::Expr& e, std::int64_t least);
  void nonempty(const ir::Expr& list, std::int64_t least, Needs& needs);
  const ir::Expr& named_value(const ir::Expr& e) const;
  bool is_walked_at(const ir::Expr& list, const ir::Expr& others) const;

  const ir::Facts& facts_;
  std::unordered_map<const ir::Var*, const ir::Expr*>
      walked_;  ///< Lists without repeats that loops walk, by their item.
};

}  // namespace matcha::passes
