#pragma once

#include <unordered_set>

#include "ir/analysis/facts.h"
#include "ir/nodes.h"

namespace matcha::ir {

/// Loops over bit sets that the lanes of a group walk side by side, each its own items. A row of bits has a few words,
/// too few for the lanes of a group, while a set has many items; so these are the innermost loops but one, or the
/// innermost, and all that stands in them is done by one lane alone: it counts bits and adds up. What may trap, what
/// all lanes have to do together, and sinks that are no sums of ints stay out.
class LaneLoops {
 public:
  LaneLoops(const Facts& facts, const Region& region);

  bool contains(const For& loop) const { return loops_.contains(&loop); }
  /// The loop over a set of bits of each item of `first` that the lanes share, if everything else in `first` is what it
  /// needs, so that they may walk pairs of items instead; null if not.
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
