#include "ir/analysis/lane_modes.h"

#include "ir/analysis/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::ir {

LaneModes::LaneModes(const Facts& facts, const Region& region)
    : outer_(region.schedule.parallel ? as<For>(region.collect->body->body.back()) : nullptr),
      flat_(facts, region, region.schedule.stack == Stack::Array),
      bits_(facts, region),
      lists_(region) {}

LaneMode LaneModes::of(const For& loop) const {
  if (&loop == outer_ && flat_.arcs_loop() != nullptr) return LaneMode::Arcs;
  if (inner_of(loop) != nullptr) return LaneMode::Pairs;
  const bool items = bits_.contains(loop) || flat_.find(loop) != nullptr || lists_.item_of(loop) != nullptr;
  return items ? LaneMode::Items : LaneMode::Together;
}

const For* LaneModes::inner_of(const For& loop) const {
  // Positions of the outermost loop are counted one by one.
  if (&loop == outer_) return flat_.arcs_loop();
  const For* inner = bits_.second_of(loop);
  return inner != nullptr ? inner : flat_.second_of(loop);
}

bool lanes_share_work(const Facts& facts, const Region& region) {
  bool found = false;
  for_each_stmt(*region.collect->body, [&](const Stmt& stmt) {
    for_each_expr(stmt, [&](const Expr& expr) {
      for_each_node(expr, [&](const Expr& node) {
        // Rows of bits are made by the whole group, even if only their rows are read.
        found = found || is_set_op(node.kind) || node.type->is_bit_rows() || node.kind == Kind::CommonNeighbors;
      });
    });
  });
  return found || (region.schedule.parallel && !FlatLoops(facts, region, true).empty());
}

}  // namespace matcha::ir
