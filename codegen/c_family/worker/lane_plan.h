#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>

#include "codegen/c_family/emitter.h"
#include "ir/analysis/facts.h"
#include "ir/analysis/flat_loops.h"
#include "ir/analysis/list_loops.h"

namespace matcha::codegen::worker {

/// How the lanes of a group walk each loop of a region, by the loops' modes. Empty if workers are threads.
class LanePlan {
 public:
  /// `group`: lanes of a group; 0: workers are threads.
  LanePlan(const ir::Facts& facts, const ir::Region& region, std::uint32_t group);

  /// Lanes of a group; 0: workers are threads.
  std::uint32_t group() const { return group_; }
  /// True if there are several lanes.
  bool several() const { return group_ > 1; }

  /// How the items of a loop over lists are divided among lanes; null: they are not. Lists in pages are excluded: all
  /// lanes walk such a loop together.
  const ir::FlatLoop* flat_of(const ir::For& loop) const;
  /// The yield of a loop whose items lanes append to a list; null for other loops.
  const ir::Yield* item_of(const ir::For& loop) const;
  /// True for a loop over bits whose positions are divided among lanes.
  bool walks_bits(const ir::For& loop) const;
  /// The loop inside `first` whose items form pairs with those of `first` that are divided among lanes; null: none.
  const ir::For* second_of(const ir::For& first) const;
  /// True for a sum to which each lane adds on its own.
  bool adds_in_lanes(const ir::Var* sum) const { return lane_sums_.contains(sum); }
  /// The loop whose positions are the region's arcs. Requires: the region's positions are arcs.
  const ir::For& arcs_loop() const { return *flat_loops_->arcs_loop(); }

  /// Sets in `entry` whether lanes take positions of the outermost loop, of the next loop, or arcs.
  void describe(EmittedRegion& entry) const;

 private:
  std::uint32_t group_;
  std::optional<ir::FlatLoops> flat_loops_;       ///< Empty unless there are several lanes.
  std::optional<ir::ListLoops> list_loops_;       ///< Empty unless there are several lanes.
  std::unordered_set<const ir::Var*> lane_sums_;  ///< Sums to which loops divided among lanes add.
};

}  // namespace matcha::codegen::worker
