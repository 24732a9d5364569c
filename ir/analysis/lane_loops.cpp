#include "ir/analysis/lane_loops.h"

#include <algorithm>

#include "ir/analysis/spine.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::ir {

namespace {

/// Levels of nested loops over bit sets that one lane walks, including the loop divided among lanes.
constexpr int kLevels = 2;

bool walks_bits(const For& loop) { return loop.lists[0]->type->bits; }

}  // namespace

LaneLoops::LaneLoops(const Facts& facts, const Region& region) : facts_(facts), sums_of_ints_(sums_of_ints(region)) {
  for_each_loop(*region.collect->body, [this](const For& loop) { return take(loop); });
}

bool LaneLoops::take(const For& s) {
  if (!walks_bits(s) || !alone(*s.body, kLevels - 1)) return false;
  loops_.insert(&s);
  for_each_stmt(*s.body, [&](const Stmt& inner) {
    if (const Yield* yield = as<Yield>(&inner)) sums_.insert(yield->sink);
  });
  return true;
}

const For* LaneLoops::second_of(const For& first) const {
  const Block* block = first.body;
  while (!block->body.empty()) {
    for (const Stmt* stmt : block->body.first(block->body.size() - 1)) {
      if ((stmt->kind != Kind::Let && stmt->kind != Kind::Store) || !alone(*stmt, 0)) return nullptr;
    }
    const Stmt* last = block->body.back();
    if (const For* loop = as<For>(last)) return contains(*loop) ? loop : nullptr;
    const If* branch = as<If>(last);
    if (branch == nullptr || branch->maybe_else != nullptr || !alone(*branch->cond)) return nullptr;
    block = branch->then_body;
  }
  return nullptr;
}

/// True if one lane can execute the block, with at most `levels` nested loops.
bool LaneLoops::alone(const Block& b, int levels) const {
  return std::all_of(b.body.begin(), b.body.end(), [&](const Stmt* stmt) { return alone(*stmt, levels); });
}

bool LaneLoops::alone(const Stmt& s, int levels) const {
  bool values = true;
  for_each_expr(s, [&](const Expr& e) { values = values && alone(e); });
  if (!values) return false;
  return match(
      s, [&](const Block& b) { return alone(b, levels); }, [](const Let&) { return true; },
      [](const Store& store) { return store.var->type->bits; },
      [&](const For& loop) { return levels > 0 && walks_bits(loop) && alone(*loop.body, levels - 1); },
      [&](const If& branch) {
        return alone(*branch.then_body, levels) && (branch.maybe_else == nullptr || alone(*branch.maybe_else, levels));
      },
      [&](const Yield& yield) { return sums_of_ints_.contains(yield.sink); },
      [](const OneOf<Collect, BuildGraph, Repeat, Again, Return, Region> auto&) { return false; });
}

bool LaneLoops::alone(const Expr& e) const {
  if (facts_.may_trap(&e)) return false;
  bool found = true;
  for_each_node(e, [&](const Expr& node) { found = found && !takes_all_lanes(node); });
  return found;
}

}  // namespace matcha::ir
