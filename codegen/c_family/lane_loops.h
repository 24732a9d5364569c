#pragma once

#include <unordered_set>

#include "ir/analysis/facts.h"
#include "ir/nodes.h"

namespace matcha::codegen {

/// Loops over bit sets that the lanes of a group walk side by side, each its own items. A row of bits has a few words,
/// too few for the lanes of a group, while a set has many items; so these are the innermost loops but one, or the
/// innermost, and all that stands in them is done by one lane alone: it counts bits and adds up. What may trap, what
/// all lanes have to do together, and sinks that are no sums of ints stay out.
class LaneLoops {
 public:
  LaneLoops(const ir::Facts& facts, const ir::Region& region);

  bool contains(const ir::For& loop) const { return loops_.contains(&loop); }
  /// The loop over a set of bits of each item of `first` that the lanes share, if everything else in `first` is what it
  /// needs, so that they may walk pairs of items instead; null if not.
  const ir::For* second_of(const ir::For& first) const;
  /// True for a sum of which each lane has a part, because one of these loops adds to it.
  bool adds_to(const ir::Var* sum) const { return sums_.contains(sum); }

 private:
  bool take(const ir::For& s);
  bool alone(const ir::Block& b, int levels) const;
  bool alone(const ir::Stmt& s, int levels) const;
  bool alone(const ir::Expr& e) const;

  const ir::Facts& facts_;
  std::unordered_set<const ir::Var*> sums_of_ints_;
  std::unordered_set<const ir::For*> loops_;
  std::unordered_set<const ir::Var*> sums_;
};

}  // namespace matcha::codegen
