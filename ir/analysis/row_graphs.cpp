#include "ir/analysis/row_graphs.h"

#include <unordered_set>

#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::ir {

namespace {

/// True if `block` has no effect for a vertex without neighbours: it only walks them, or tests that there are some.
bool walks_neighbors_only(const Block& block, const Var* graph, const Var* vertex) {
  std::unordered_set<const Var*> names;
  const auto near = [&](const Expr* list) {
    const Var* var = as<Var>(list);
    if (var != nullptr) return names.contains(var);
    return list->kind == Kind::Neighbors && list->operands[0] == graph && list->operands[1] == vertex;
  };
  for (const Stmt* stmt : block.body) {
    if (const Let* let = as<Let>(stmt)) {
      if (near(let->value)) names.insert(let->var);
      if (let->var->type->is_scalar()) return false;
    } else if (const For* loop = as<For>(stmt)) {
      if (loop->lists.size() != 1 || !near(loop->lists[0])) return false;
    } else if (const If* branch = as<If>(stmt)) {
      const Expr* size = branch->cond->kind == Kind::Le ? branch->cond->operands[1] : nullptr;
      const ConstInt* least = size != nullptr ? as<ConstInt>(branch->cond->operands[0]) : nullptr;
      bool asks = least != nullptr && least->value > 0 && size->kind == Kind::Size && near(size->operands[0]);
      if (!asks || branch->maybe_else != nullptr) return false;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

int yields_into(const Block& block, const Var* sink) {
  int count = 0;
  for_each_stmt(block, [&](const Stmt& s) {
    const Yield* yield = as<Yield>(&s);
    count += yield != nullptr && yield->sink == sink ? 1 : 0;
  });
  return count;
}

const BuildGraph* built_of_rows(const Facts& facts, const Module& module, const Region& region, const Sink& sink) {
  const Var* var = sink.var;
  const Block& body = *region.collect->body;
  const For* outer = region.schedule.parallel ? static_cast<const For*>(body.body[0]) : nullptr;
  bool walk = outer != nullptr && outer->lists.size() == 1 && outer->lists[0]->kind == Kind::Vertices &&
              resolve(facts, outer->lists[0]->operands[0])->kind == Kind::Var;
  bool pairs = sink.kind == SinkKind::List && var->type->columns.size() == 2 &&
               var->type->columns[0]->is_scalar(ScalarKind::Vid) && var->type->columns[1]->is_scalar(ScalarKind::Vid);
  if (!walk || !pairs || yields_into(body, var) != 1 || !facts.list(var).ascending) return nullptr;
  bool from_vertex = false;
  for_each_stmt(body, [&](const Stmt& inner) {
    const Yield* yield = as<Yield>(&inner);
    if (yield != nullptr && yield->sink == var) from_vertex = yield->values[0] == outer->vars[0];
  });
  const Block& whole = *module.body;
  if (!from_vertex || count_uses(whole)[var] != 1) return nullptr;
  for (const Stmt* stmt : whole.body) {
    const BuildGraph* build = as<BuildGraph>(stmt);
    if (build == nullptr || build->edges != var) continue;
    bool plain = build->maybe_labels == nullptr && build->maybe_info == nullptr;
    return plain && build->index == GraphIndex::Csr ? build : nullptr;
  }
  return nullptr;
}

bool every_rank_may_be_vertex(const Module& module, const Var* graph) {
  int walks = 0;
  int reads = 0;
  const auto is_vertices = [&](const Expr& e) { return e.kind == Kind::Vertices && e.operands[0] == graph; };
  for_each_stmt(*module.body, [&](const Stmt& stmt) {
    for_each_expr(stmt,
                  [&](const Expr& e) { for_each_node(e, [&](const Expr& node) { reads += is_vertices(node); }); });
    const Let* let = as<Let>(&stmt);
    if (let != nullptr && let->var->type->is_graph()) ++reads;
    const For* loop = as<For>(&stmt);
    bool walk = loop != nullptr && loop->lists.size() == 1 && is_vertices(*loop->lists[0]) &&
                loop->maybe_index == nullptr && walks_neighbors_only(*loop->body, graph, loop->vars[0]);
    walks += walk;
  });
  return walks == reads;
}

}  // namespace matcha::ir
