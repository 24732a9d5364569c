#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>

#include "codegen/c_family/emitter.h"
#include "ir/analysis/facts.h"
#include "ir/analysis/flat_loops.h"
#include "ir/analysis/list_loops.h"

namespace matcha::codegen::worker {

/// How the lanes of a group walk each loop of a region, as the loops' modes say. Threads have no lanes: nothing is
/// found for them.
class LanePlan {
 public:
  /// `group`: lanes of a group; 0: workers are threads.
  LanePlan(const ir::Facts& facts, const ir::Region& region, std::uint32_t group);

  /// Lanes of a group; 0: workers are threads.
  std::uint32_t group() const { return group_; }
  /// True if there are several lanes.
  bool several() const { return group_ > 1; }

  /// How lanes walk a loop over lists by items; null for other loops. Lists in pages are not counted so: there all
  /// lanes walk the loop together, whatever its mode.
  const ir::FlatLoop* flat_of(const ir::For& loop) const;
  /// What a loop that lanes walk by items puts into its list; null for other loops.
  const ir::Yield* item_of(const ir::For& loop) const;
  /// True for a loop over bits that lanes walk by items.
  bool walks_bits(const ir::For& loop) const;
  /// The loop in `first` whose items, with those of `first`, lanes take as pairs; null if they do not.
  const ir::For* second_of(const ir::For& first) const;
  /// True for a sum to which lanes add on their own.
  bool adds_in_lanes(const ir::Var* sum) const { return lane_sums_.contains(sum); }
  /// The loop whose positions are the region's arcs. Requires: the region's positions are arcs.
  const ir::For& arcs_loop() const { return *flat_loops_->arcs_loop(); }

  /// Tells the launcher whether lanes take positions of the outermost loop or of the one inside it, or arcs.
  void tell(EmittedRegion& entry) const;

 private:
  std::uint32_t group_;
  std::optional<ir::FlatLoops> flat_loops_;       ///< If there are several lanes.
  std::optional<ir::ListLoops> list_loops_;       ///< If there are several lanes.
  std::unordered_set<const ir::Var*> lane_sums_;  ///< To which loops add that lanes walk by items.
};

}  // namespace matcha::codegen::worker
