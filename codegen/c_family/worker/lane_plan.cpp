#include "codegen/c_family/worker/lane_plan.h"

#include "ir/analysis/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::worker {

LanePlan::LanePlan(const ir::Facts& facts, const ir::Region& region, std::uint32_t group) : group_(group) {
  if (!several()) return;
  flat_loops_.emplace(facts, region, region.schedule.stack == ir::Stack::Array);
  list_loops_.emplace(region);
  ir::for_each_stmt(*region.collect->body, [&](const ir::Stmt& stmt) {
    const ir::For* loop = ir::as<ir::For>(&stmt);
    if (loop == nullptr || (!walks_bits(*loop) && flat_of(*loop) == nullptr)) return;
    ir::for_each_stmt(*loop->body, [&](const ir::Stmt& inner) {
      if (const ir::Yield* yield = ir::as<ir::Yield>(&inner)) lane_sums_.insert(yield->sink);
    });
  });
}

const ir::FlatLoop* LanePlan::flat_of(const ir::For& loop) const {
  return several() && loop.mode == ir::LaneMode::Items ? flat_loops_->find(loop) : nullptr;
}

const ir::Yield* LanePlan::item_of(const ir::For& loop) const {
  return several() && loop.mode == ir::LaneMode::Items ? list_loops_->item_of(loop) : nullptr;
}

bool LanePlan::walks_bits(const ir::For& loop) const {
  return several() && loop.mode == ir::LaneMode::Items && loop.lists[0]->type->bits;
}

const ir::For* LanePlan::second_of(const ir::For& first) const {
  if (!several() || first.mode != ir::LaneMode::Pairs) return nullptr;
  const ir::Stmt* last = first.body->body.back();
  while (const ir::If* branch = ir::as<ir::If>(last)) last = branch->then_body->body.back();
  return ir::as<ir::For>(last);
}

void LanePlan::describe(EmittedRegion& entry) const {
  if (!several() || entry.outer == nullptr) return;
  if (entry.outer->mode == ir::LaneMode::Arcs && flat_loops_->arcs_loop() != nullptr) {
    entry.arcs_graph = flat_loops_->arcs_graph();
    entry.dealt_graph = nullptr;
  }
  entry.lanes_level = entry.arcs_graph != nullptr || flat_of(*entry.outer) != nullptr ? 0 : ir::kSpineLevels;
  for (const ir::For* loop : ir::spine(*entry.outer->body)) {
    const ir::For* second = second_of(*loop);
    const bool lanes = flat_of(*loop) != nullptr || (second != nullptr && !second->lists[0]->type->bits);
    if (entry.lanes_level != 0 && lanes) entry.lanes_level = 1;
  }
}

}  // namespace matcha::codegen::worker
