#pragma once

#include "ir/analysis/flat_loops.h"
#include "ir/analysis/lane_loops.h"
#include "ir/analysis/list_loops.h"

namespace matcha::ir {

/// The modes in which the lanes of a group can walk the loops of a region (LaneMode), without a change of any result.
class LaneModes {
 public:
  /// Where the stack is paged, loops that count sets are walked together: all lanes find an item of an array at once.
  LaneModes(const Facts& facts, const Region& region);

  /// The mode that keeps most lanes busy; Together where that is the only one.
  LaneMode of(const For& loop) const;
  /// The loop whose items lanes take together with those of `loop`, if they walk it by pairs or arcs; null if not.
  const For* inner_of(const For& loop) const;

 private:
  const For* outer_;  ///< Whose positions are dealt out; null in a region that is not parallel.
  FlatLoops flat_;
  LaneLoops bits_;
  ListLoops lists_;
};

/// True if the lanes of a group have something to share in a region: set operations, rows of bits, counters of common
/// neighbours, or the items of a loop.
bool lanes_share_work(const Facts& facts, const Region& region);

}  // namespace matcha::ir
