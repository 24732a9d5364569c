#include "codegen/cpu/layout.h"

#include <algorithm>

#include "codegen/host/host_plan.h"
#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::cpu {

Layout::Layout(const ir::Module& module) : module_(module), facts_(module) {
  for (const host::Value& value : host::top_level_values(module)) frame_.slot(*value.var);
  for (const ir::Stmt* stmt : module.body->body) {
    const ir::Region* region = ir::as<ir::Region>(stmt);
    if (region == nullptr) continue;
    for (const ir::Buffer& buffer : region->buffers) frame_.slot(*buffer.var);
  }
}

const ir::Expr& Layout::resolve(const ir::Expr& e) const { return *ir::resolve(facts_, &e); }

std::vector<const ir::Var*> Layout::graph_vars(const ir::Expr& e) const {
  const ir::Expr& resolved = resolve(e);
  if (const ir::Var* var = ir::as<ir::Var>(&resolved)) return {var};
  std::vector<const ir::Var*> result = graph_vars(*resolved.operands[1]);
  for (const ir::Var* var : graph_vars(*resolved.operands[2])) result.push_back(var);
  return result;
}

Index Layout::index_of(const ir::Expr& graph) const {
  const ir::Expr& resolved = resolve(graph);
  if (const ir::Var* var = ir::as<ir::Var>(&resolved)) {
    const ir::Stmt* definition = facts_.definition(var);
    const ir::BuildGraph* build = definition != nullptr ? ir::as<ir::BuildGraph>(definition) : nullptr;
    return build != nullptr && build->index == ir::GraphIndex::Hash ? Index::Hash : Index::Csr;
  }
  const Index first = index_of(*resolved.operands[1]);
  return first == index_of(*resolved.operands[2]) ? first : Index::Unknown;
}

const ir::Expr& Layout::without_bound(const ir::Expr& set_operation) const {
  const ir::Expr& second = *set_operation.operands[1];
  const bool needless = ir::is_below(second) && ir::all_below(facts_, set_operation.operands[0], second.operands[1]);
  return needless ? *second.operands[0] : second;
}

bool Layout::kernel_operands(const ir::Expr& e) const {
  return e.type->columns[0]->is_scalar(ir::ScalarKind::Vid) &&
         std::all_of(e.operands.begin(), e.operands.end(), [&](const ir::Expr* operand) {
           const ir::ListFacts facts = facts_.list(operand);
           return facts.ascending && facts.unique;
         });
}

bool Layout::is_position_in(const ir::Expr& index, const ir::Expr& items) const {
  const ir::Var* var = ir::as<ir::Var>(&resolve(index));
  const ir::Stmt* definition = var != nullptr ? facts_.definition(var) : nullptr;
  const ir::For* loop = definition != nullptr ? ir::as<ir::For>(definition) : nullptr;
  if (loop == nullptr || loop->maybe_index != var) return false;
  const ir::Expr& wanted = resolve(items);
  for (const ir::Expr* walked : loop->lists) {
    const ir::Expr* at = &resolve(*walked);
    while (at != &wanted && ir::is_slice(at->kind)) {
      at = &resolve(*at->operands[0]);
    }
    if (at == &wanted) return true;
    if (ir::is_half(*at) && ir::is_all_neighbors(wanted) && std::ranges::equal(at->operands, wanted.operands))
      return true;
  }
  return false;
}

bool Layout::ends_early(const ir::Collect& s) const {
  const bool asks =
      s.sinks.size() == 1 && (s.sinks[0].kind == ir::SinkKind::Any || s.sinks[0].kind == ir::SinkKind::All);
  if (!asks || !holds_for(*s.body)) return false;
  bool harmless = true;
  ir::for_each_stmt(*s.body, [&](const ir::Stmt& inner) {
    const ir::For* loop = ir::as<ir::For>(&inner);
    harmless = harmless && inner.kind != ir::Kind::Collect && (loop == nullptr || loop->lists.size() == 1);
    ir::for_each_expr(inner, [&](const ir::Expr& e) {
      harmless = harmless && !facts_.may_trap(&e);
      ir::for_each_node(e, [&](const ir::Expr& node) {
        if (const ir::Var* var = ir::as<ir::Var>(&node)) harmless = harmless && !facts_.may_be_empty(var);
      });
    });
  });
  return harmless;
}

namespace {

bool is_count(const ir::Expr& e) { return e.kind == ir::Kind::Size && ir::filters_first(e.operands[0]->kind); }

}  // namespace

std::unordered_map<const ir::Var*, const ir::Expr*> Layout::later_counts(const ir::Region& region) const {
  std::unordered_map<const ir::Var*, const ir::Expr*> later;
  std::unordered_map<const ir::Var*, int> uses = ir::count_uses(*region.collect->body);
  ir::for_each_stmt(*region.collect->body, [&](const ir::Stmt& stmt) {
    const ir::Yield* yield = ir::as<ir::Yield>(&stmt);
    if (yield == nullptr || !yield->batched) return;
    std::unordered_map<const ir::Var*, int> reads;
    ir::for_each_node(*yield->values[0], [&](const ir::Expr& e) {
      if (const ir::Var* var = ir::as<ir::Var>(&e)) ++reads[var];
    });
    for (const auto& [var, times] : reads) {
      const ir::Expr& value = resolve(*var);
      if (is_count(value) && times == uses[var] && kernel_operands(*value.operands[0])) later.emplace(var, &value);
    }
  });
  return later;
}

const ir::Expr* Layout::later_count(const ir::Yield& s,
                                    const std::unordered_map<const ir::Var*, const ir::Expr*>& later) const {
  const ir::Expr* found = nullptr;
  ir::for_each_node(*s.values[0], [&](const ir::Expr& e) {
    const ir::Var* var = ir::as<ir::Var>(&e);
    if (is_count(e) ? kernel_operands(*e.operands[0]) : var != nullptr && later.contains(var)) found = &e;
  });
  return found;
}

bool holds_for(const ir::Block& block) {
  bool found = false;
  ir::for_each_stmt(block, [&](const ir::Stmt& inner) { found = found || inner.kind == ir::Kind::For; });
  return found;
}

}  // namespace matcha::codegen::cpu
