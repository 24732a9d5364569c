#pragma once

#include "codegen/c_family/worker/lane_loops.h"
#include "codegen/c_family/worker/lane_plan.h"
#include "codegen/c_family/worker/pair_loops.h"
#include "codegen/c_family/worker/place.h"
#include "codegen/c_family/worker/sinks.h"
#include "codegen/c_family/worker/stores.h"
#include "codegen/c_family/worker/text.h"
#include "codegen/c_family/worker/walks.h"

namespace matcha::codegen::worker {

/// Prints the statements of a region. Blocks, branches and plain loops are printed here, others by their own class.
class Statements {
 public:
  Statements(Text& text, const ir::Region& region, const LanePlan& plan)
      : text_(text),
        expressions_(text.expressions),
        out_(text.out),
        region_(region),
        plan_(plan),
        lanes_(text.expressions),
        walks_(text, place_),
        stores_(text, region, place_, lanes_),
        sinks_(text, region, plan, place_, lanes_, stores_),
        lane_loops_(text, plan, place_, lanes_, walks_, sinks_, *this),
        pair_loops_(text, place_, lanes_, walks_, sinks_, *this) {}
  Statements(const Statements&) = delete;
  Statements& operator=(const Statements&) = delete;

  /// The whole of a task; `entry` gives the positions it walks.
  void body(const EmittedRegion& entry);
  /// On the spine, effects beside the resumable loop run only in tasks that begin further out.
  void block(const ir::Block& b);
  void stmt(const ir::Stmt& s);

  Sinks& sinks() { return sinks_; }

 private:
  void block_without_spine(const ir::Block& b);
  void branch(const ir::If& s);
  /// True if the block ends in loops that a task may resume. Loops over sets of bits are excluded: they are inside a
  /// loop over vertices and one over their list, and short when divided among lanes.
  bool continues_spine(const ir::Block& b) const;
  void resumable(const ir::Stmt& s);
  void spine_loop(const ir::For& loop);
  void loop(const ir::For& s);
  /// A walk over the positions of a bit set, by all lanes together or by each on its own.
  void bit_loop(const ir::For& s);
  /// Adds a test for a stop, which ends the task, to a loop below the spine whose iterations may take long.
  void leave_if_stopped(const ir::For& loop);

  Text& text_;
  Expressions& expressions_;
  TextWriter& out_;
  const ir::Region& region_;
  const LanePlan& plan_;
  Place place_;
  Lanes lanes_;
  Walks walks_;
  Stores stores_;
  Sinks sinks_;
  LaneLoops lane_loops_;
  PairLoops pair_loops_;
};

}  // namespace matcha::codegen::worker
