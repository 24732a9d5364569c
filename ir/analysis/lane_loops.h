#pragma once

#include <unordered_set>

#include "ir/analysis/facts.h"
#include "ir/nodes.h"

namespace matcha::ir {

/// Loops over bit sets whose items are divided among the lanes of a group. A row of bits has too few words for the
/// lanes of a group, but a set has many items. So these are the innermost loops or the ones around them, and one lane
/// executes their body: it counts bits and adds. Bodies are excluded if they may trap, need all lanes together, or have
/// sinks other than sums of ints.
class LaneLoops {
 public:
  LaneLoops(const Facts& facts, const Region& region);

  bool contains(const For& loop) const { return loops_.contains(&loop); }
  /// The loop over a set of bits inside `first` that lanes divide, if everything else in `first` serves it, so that
  /// lanes can take pairs of items; else null.
  const For* second_of(const For& first) const;
  /// True for a sum of which each lane has a part, because one of these loops adds to it.
  bool adds_to(const Var* sum) const { return sums_.contains(sum); }

 private:
  bool take(const For& s);
  bool alone(const Block& b, int levels) const;
  bool alone(const Stmt& s, int levels) const;
  bool alone(const Expr& e) const;

  const Facts& facts_;
  std::unordered_set<const Var*> sums_of_ints_;
  std::unordered_set<const For*> loops_;
  std::unordered_set<const Var*> sums_;
};

}  // namespace matcha::ir
