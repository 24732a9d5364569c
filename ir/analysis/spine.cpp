#include "ir/analysis/spine.h"

#include <algorithm>

#include "ir/analysis/blocks.h"
#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::ir {

std::vector<const For*> spine(const Block& block, bool bits) {
  if (block.body.empty()) return {};
  if (const For* loop = as<For>(block.body.back())) {
    if (loop->lists[0]->type->bits && !bits) return {};
    return {loop};
  }
  const If* branch = as<If>(block.body.back());
  if (branch == nullptr) return {};
  std::vector<const For*> loops = spine(*branch->then_body, bits);
  if (branch->maybe_else == nullptr || loops.empty()) return loops;
  std::vector<const For*> others = spine(*branch->maybe_else, bits);
  if (others.empty()) return {};
  loops.insert(loops.end(), others.begin(), others.end());
  return loops;
}

const Expr* dealt_graph(const Facts& facts, const For& outer) {
  if (outer.lists.size() != 1 || outer.lists[0]->kind != Kind::Vertices) return nullptr;
  const std::vector<const For*> inner = spine(*outer.body);
  const bool neighbours = std::all_of(inner.begin(), inner.end(), [&](const For* loop) {
    const Expr& walked = *whole_list(facts, loop->lists[0]);
    return walked.kind == Kind::Neighbors && walked.operands[0] == outer.lists[0]->operands[0] &&
           walked.operands[1] == outer.vars[0];
  });
  return !inner.empty() && neighbours ? outer.lists[0]->operands[0] : nullptr;
}

bool has_light_arcs(const For& outer) {
  const std::vector<const For*> inner = spine(*outer.body);
  return !inner.empty() && std::ranges::all_of(inner, [](const For* arcs) {
    const If* branch = arcs->body->body.empty() ? nullptr : as<If>(arcs->body->body.back());
    bool labelled = false;
    bool short_loops = nested_loops(*arcs->body, [](const For&) { return true; }) <= 1;
    if (branch != nullptr) {
      for_each_node(*branch->cond, [&](const Expr& e) {
        const bool label = e.kind == Kind::Label;
        labelled = labelled || (label && e.operands[1] == arcs->vars[0]);
      });
    }
    for_each_loop(*arcs->body, [&](const For& loop) {
      for_each_stmt(*loop.body, [&](const Stmt& stmt) {
        for_each_expr(stmt, [&](const Expr& e) { short_loops = short_loops && one_lane_can(e); });
      });
      return true;
    });
    return labelled && short_loops;
  });
}

void for_each_loop(const Block& block, const std::function<bool(const For&)>& take) {
  for (const Stmt* stmt : block.body) {
    const For* const loop = as<For>(stmt);
    if (loop == nullptr || !take(*loop)) for_each_block(*stmt, [&](const Block& inner) { for_each_loop(inner, take); });
  }
}

bool takes_all_lanes(const Expr& e) { return walks(e.kind) && !e.type->bits; }

bool one_lane_can(const Expr& value) {
  bool found = true;
  for_each_node(value, [&](const Expr& e) { found = found && !takes_all_lanes(e) && e.kind != Kind::Literal; });
  return found;
}

std::unordered_set<const Var*> sums_of_ints(const Region& region) {
  std::unordered_set<const Var*> sums;
  const auto add = [&sums](const Collect& collect) {
    for (const Sink& sink : collect.sinks) {
      if (sink.kind == SinkKind::Sum && !sink.var->type->is_scalar(ScalarKind::F64)) sums.insert(sink.var);
    }
  };
  add(*region.collect);
  for_each_stmt(*region.collect->body, [&](const Stmt& stmt) {
    if (const Collect* collect = as<Collect>(&stmt)) add(*collect);
  });
  return sums;
}

std::uint32_t row_stores(const Block& block) {
  std::uint32_t count = 0;
  for (const Stmt* stmt : block.body) {
    match(
        *stmt, [&](const Store& store) { count += store.var->type->is_bit_rows() ? 1 : 0; },
        [&](const For& loop) { count += common_of_parts(loop) != nullptr ? 1 : 0; },
        [&](const OneOf<Block, If, Collect> auto& s) {
          for_each_block(s, [&](const Block& inner) { count += row_stores(inner); });
        },
        [](const OneOf<Let, Yield, BuildGraph, Repeat, Again, Return, Region> auto&) {});
  }
  return count;
}

const Store* common_of_parts(const For& loop) {
  for (const Stmt* stmt : loop.body->body) {
    const Store* store = as<Store>(stmt);
    if (store == nullptr || store->value->kind != Kind::CommonNeighbors) continue;
    if (loop.maybe_index != nullptr && store->value->operands[3] == loop.maybe_index) return store;
  }
  return nullptr;
}

}  // namespace matcha::ir
