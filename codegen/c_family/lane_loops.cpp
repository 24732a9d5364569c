#include "codegen/c_family/lane_loops.h"

#include <algorithm>

#include "codegen/c_family/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen {

using ir::Kind;

namespace {

/// Loops over bit sets that one lane walks alone, the one that the lanes share included.
constexpr int kLevels = 2;

bool walks_bits(const ir::For& loop) { return loop.lists[0]->type->bits; }

}  // namespace

LaneLoops::LaneLoops(const ir::Facts& facts, const ir::Region& region)
    : facts_(facts), sums_of_ints_(sums_of_ints(region)) {
  for_each_loop(*region.collect->body, [this](const ir::For& loop) { return take(loop); });
}

bool LaneLoops::take(const ir::For& s) {
  if (!walks_bits(s) || !alone(*s.body, kLevels - 1)) return false;
  loops_.insert(&s);
  ir::for_each_stmt(*s.body, [&](const ir::Stmt& inner) {
    if (const ir::Yield* yield = ir::as<ir::Yield>(&inner)) sums_.insert(yield->sink);
  });
  return true;
}

const ir::For* LaneLoops::second_of(const ir::For& first) const {
  const ir::Block* block = first.body;
  while (!block->body.empty()) {
    for (const ir::Stmt* stmt : block->body.first(block->body.size() - 1)) {
      if ((stmt->kind != Kind::Let && stmt->kind != Kind::Store) || !alone(*stmt, 0)) return nullptr;
    }
    const ir::Stmt* last = block->body.back();
    if (const ir::For* loop = ir::as<ir::For>(last)) return contains(*loop) ? loop : nullptr;
    const ir::If* branch = ir::as<ir::If>(last);
    if (branch == nullptr || branch->maybe_else != nullptr || !alone(*branch->cond)) return nullptr;
    block = branch->then_body;
  }
  return nullptr;
}

/// True if one lane can do it alone, with at most `levels` loops in one another.
bool LaneLoops::alone(const ir::Block& b, int levels) const {
  return std::all_of(b.body.begin(), b.body.end(), [&](const ir::Stmt* stmt) { return alone(*stmt, levels); });
}

bool LaneLoops::alone(const ir::Stmt& s, int levels) const {
  bool values = true;
  ir::for_each_expr(s, [&](const ir::Expr& e) { values = values && alone(e); });
  if (!values) return false;
  return ir::match(
      s, [&](const ir::Block& b) { return alone(b, levels); }, [](const ir::Let&) { return true; },
      [](const ir::Store& store) { return store.var->type->bits; },
      [&](const ir::For& loop) { return levels > 0 && walks_bits(loop) && alone(*loop.body, levels - 1); },
      [&](const ir::If& branch) {
        return alone(*branch.then_body, levels) && (branch.maybe_else == nullptr || alone(*branch.maybe_else, levels));
      },
      [&](const ir::Yield& yield) { return sums_of_ints_.contains(yield.sink); },
      [](const ir::Stmt&) { return false; });
}

bool LaneLoops::alone(const ir::Expr& e) const {
  if (facts_.may_trap(&e)) return false;
  bool found = true;
  ir::for_each_node(e, [&](const ir::Expr& node) { found = found && !takes_all_lanes(node); });
  return found;
}

}  // namespace matcha::codegen
