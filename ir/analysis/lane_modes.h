#pragma once

#include "ir/analysis/flat_loops.h"
#include "ir/analysis/lane_loops.h"
#include "ir/analysis/list_loops.h"

namespace matcha::ir {

/// The modes in which the lanes of a group can walk the loops of a region (LaneMode), without a change of any result.
class LaneModes {
 public:
  /// With a paged stack, loops that count sets are walked together: dividing them needs arrays.
  LaneModes(const Facts& facts, const Region& region);

  /// The mode that keeps most lanes busy; Together if no other is possible.
  LaneMode of(const For& loop) const;
  /// The inner loop whose items lanes take in pairs with those of `loop`; null unless they walk it by pairs or arcs.
  const For* inner_of(const For& loop) const;

 private:
  const For* outer_;  ///< The loop whose positions are dealt; null in a region that is not parallel.
  FlatLoops flat_;
  LaneLoops bits_;
  ListLoops lists_;
};

/// True if the lanes of a group have work to divide in a region: set operations, rows of bits, counters of common
/// neighbours, or the items of a loop.
bool lanes_share_work(const Facts& facts, const Region& region);

}  // namespace matcha::ir
