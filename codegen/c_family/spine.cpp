#include "codegen/c_family/spine.h"

#include <algorithm>

#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen {

using ir::Kind;

std::vector<const ir::For*> spine(const ir::Block& block, bool bits) {
  if (block.body.empty()) return {};
  if (const ir::For* loop = ir::as<ir::For>(block.body.back())) {
    if (loop->lists[0]->type->bits && !bits) return {};
    return {loop};
  }
  const ir::If* branch = ir::as<ir::If>(block.body.back());
  if (branch == nullptr) return {};
  std::vector<const ir::For*> loops = spine(*branch->then_body, bits);
  if (branch->maybe_else == nullptr || loops.empty()) return loops;
  std::vector<const ir::For*> others = spine(*branch->maybe_else, bits);
  if (others.empty()) return {};
  loops.insert(loops.end(), others.begin(), others.end());
  return loops;
}

const ir::Expr& unsliced(const ir::Facts& facts, const ir::Expr& list) {
  if (ir::is_slice(list.kind)) {
    return unsliced(facts, *list.operands[0]);
  }
  const ir::Var* var = ir::as<ir::Var>(&list);
  const ir::Stmt* definition = var != nullptr ? facts.definition(var) : nullptr;
  const ir::Let* let = definition != nullptr ? ir::as<ir::Let>(definition) : nullptr;
  return let != nullptr ? unsliced(facts, *let->value) : list;
}

const ir::Expr* dealt_graph(const ir::Facts& facts, const ir::For& outer) {
  if (outer.lists.size() != 1 || outer.lists[0]->kind != Kind::Vertices) return nullptr;
  const std::vector<const ir::For*> inner = spine(*outer.body);
  const bool neighbours = std::all_of(inner.begin(), inner.end(), [&](const ir::For* loop) {
    const ir::Expr& walked = unsliced(facts, *loop->lists[0]);
    return ir::is_neighbors(walked.kind) && walked.operands[0] == outer.lists[0]->operands[0] &&
           walked.operands[1] == outer.vars[0];
  });
  return !inner.empty() && neighbours ? outer.lists[0]->operands[0] : nullptr;
}

bool has_light_arcs(const ir::For& outer) {
  const std::vector<const ir::For*> inner = spine(*outer.body);
  return !inner.empty() && std::ranges::all_of(inner, [](const ir::For* arcs) {
    const ir::If* branch = arcs->body->body.empty() ? nullptr : ir::as<ir::If>(arcs->body->body.back());
    bool labelled = false;
    bool short_loops = ir::nested_loops(*arcs->body, [](const ir::For&) { return true; }) <= 1;
    if (branch != nullptr) {
      ir::for_each_node(*branch->cond, [&](const ir::Expr& e) {
        const bool label = e.kind == Kind::Label || e.kind == Kind::KnownLabel;
        labelled = labelled || (label && e.operands[1] == arcs->vars[0]);
      });
    }
    for_each_loop(*arcs->body, [&](const ir::For& loop) {
      ir::for_each_stmt(*loop.body, [&](const ir::Stmt& stmt) {
        ir::for_each_expr(stmt, [&](const ir::Expr& e) { short_loops = short_loops && one_lane_can(e); });
      });
      return true;
    });
    return labelled && short_loops;
  });
}

void for_each_loop(const ir::Block& block, const std::function<bool(const ir::For&)>& take) {
  for (const ir::Stmt* stmt : block.body) {
    ir::match(
        *stmt, [&](const ir::Block& inner) { for_each_loop(inner, take); },
        [&](const ir::For& loop) {
          if (!take(loop)) for_each_loop(*loop.body, take);
        },
        [&](const ir::If& branch) {
          for_each_loop(*branch.then_body, take);
          if (branch.maybe_else != nullptr) for_each_loop(*branch.maybe_else, take);
        },
        [&](const ir::Collect& collect) { for_each_loop(*collect.body, take); }, [](const ir::Stmt&) {});
  }
}

bool takes_all_lanes(const ir::Expr& e) {
  return (e.kind == Kind::Intersect || e.kind == Kind::Diff || e.kind == Kind::Sorted) && !e.type->bits;
}

bool one_lane_can(const ir::Expr& value) {
  bool found = true;
  ir::for_each_node(value, [&](const ir::Expr& e) { found = found && !takes_all_lanes(e) && e.kind != Kind::Literal; });
  return found;
}

std::unordered_set<const ir::Var*> sums_of_ints(const ir::Region& region) {
  std::unordered_set<const ir::Var*> sums;
  const auto add = [&sums](const ir::Collect& collect) {
    for (const ir::Sink& sink : collect.sinks) {
      if (sink.kind == ir::SinkKind::Sum && !sink.var->type->is_scalar(ir::ScalarKind::F64)) sums.insert(sink.var);
    }
  };
  add(*region.collect);
  ir::for_each_stmt(*region.collect->body, [&](const ir::Stmt& stmt) {
    if (const ir::Collect* collect = ir::as<ir::Collect>(&stmt)) add(*collect);
  });
  return sums;
}

std::uint32_t row_stores(const ir::Block& block) {
  std::uint32_t count = 0;
  for (const ir::Stmt* stmt : block.body) {
    ir::match(
        *stmt, [&](const ir::Block& inner) { count += row_stores(inner); },
        [&](const ir::Store& store) { count += store.var->type->is_bit_rows() ? 1 : 0; },
        [&](const ir::If& branch) {
          count += row_stores(*branch.then_body);
          if (branch.maybe_else != nullptr) count += row_stores(*branch.maybe_else);
        },
        [&](const ir::For& loop) { count += common_of_parts(loop) != nullptr ? 1 : 0; },
        [&](const ir::Collect& collect) { count += row_stores(*collect.body); }, [](const ir::Stmt&) {});
  }
  return count;
}

const ir::Store* common_of_parts(const ir::For& loop) {
  for (const ir::Stmt* stmt : loop.body->body) {
    const ir::Store* store = ir::as<ir::Store>(stmt);
    if (store == nullptr || !ir::counts_common(store->value->kind)) continue;
    if (loop.maybe_index != nullptr && store->value->operands[3] == loop.maybe_index) return store;
  }
  return nullptr;
}

}  // namespace matcha::codegen
