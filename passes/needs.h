#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/analysis/facts.h"

namespace matcha::passes {

/// Smallest sizes of lists and smallest values of positions, in the order in which they were found.
using Needs = std::vector<std::pair<const ir::Expr*, std::int64_t>>;

/// The needs for an effect; empty: there is never an effect.
using MaybeNeeds = std::optional<Needs>;

/// The smallest value needed of `key`; null if there is no need.
std::int64_t* find(Needs& needs, const ir::Expr* key);

/// The only non-constant value in an expression such as `c * (c - 1) / 2`, if for 0 and 1 the expression is 0 and does
/// not trap; null for other expressions.
const ir::Expr* counted_value(const ir::Expr& e);

/// Conditions on sizes and positions under which a statement has an effect on a sink: a sum of ints grows only if the
/// counted sets are not empty.
class EffectNeeds {
 public:
  explicit EffectNeeds(const ir::Facts& facts) : facts_(facts) {}

  /// The needs of a loop's body, in terms of outer values and the loop's variables.
  MaybeNeeds body_needs(const ir::For& loop);

  /// The needs for an effect on `sink`, or, if that is null, on anything outside the block. Loops around the block must
  /// have been entered before, because they give facts about their items.
  MaybeNeeds block_needs(const ir::Block& block, const ir::Var* sink);
  void enter(const ir::For& loop);

  /// The number of items of its list that a loop needs, given the needs of its body.
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
  std::unordered_map<const ir::Var*, const ir::Expr*> walked_;  ///< Lists without repeats that loops walk, by item.
};

}  // namespace matcha::passes
