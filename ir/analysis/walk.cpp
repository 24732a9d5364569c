#include "ir/analysis/walk.h"

#include <algorithm>

#include "ir/analysis/blocks.h"
#include "ir/match.h"

namespace matcha::ir {

void for_each_stmt(const Block& block, const std::function<void(const Stmt&)>& visit) {
  for (const Stmt* stmt : block.body) for_each_stmt_of(*stmt, visit);
}

void for_each_stmt_of(const Stmt& stmt, const std::function<void(const Stmt&)>& visit) {
  visit(stmt);
  for_each_block(stmt, [&](const Block& block) { for_each_stmt(block, visit); });
  if (const Region* region = as<Region>(&stmt)) for_each_stmt_of(*region->collect, visit);
}

void for_each_block(const Stmt& stmt, const std::function<void(const Block&)>& visit) {
  match(
      stmt, [&](const Block& s) { visit(s); }, [&](const OneOf<For, Collect> auto& s) { visit(*s.body); },
      [&](const If& s) {
        visit(*s.then_body);
        if (s.maybe_else != nullptr) visit(*s.maybe_else);
      },
      [](const OneOf<Let, Yield, BuildGraph, Repeat, Again, Return, Store, Region> auto&) {});
}

void for_each_expr(const Stmt& stmt, const std::function<void(const Expr&)>& visit) {
  match(
      stmt, [&](const Let& s) { visit(*s.value); }, [&](const Store& s) { visit(*s.value); },
      [&](const For& s) {
        for (const Expr* list : s.lists) visit(*list);
      },
      [&](const If& s) { visit(*s.cond); },
      [&](const Yield& s) {
        for (const Expr* value : s.values) visit(*value);
      },
      [&](const BuildGraph& s) {
        visit(*s.edges);
        if (s.maybe_labels != nullptr) visit(*s.maybe_labels);
        if (s.maybe_info != nullptr) visit(*s.maybe_info);
      },
      [&](const Repeat& s) {
        for (const Expr* start : s.starts) visit(*start);
        visit(*s.times);
      },
      [&](const OneOf<Again, Return> auto& s) {
        for (const Expr* value : s.values) visit(*value);
      },
      [&](const Region& s) {
        for (const Buffer& buffer : s.buffers) visit(*buffer.capacity);
      },
      [](const OneOf<Block, Collect> auto&) {});
}

void for_each_node(const Expr& expr, const std::function<void(const Expr&)>& visit) {
  for (const Expr* operand : expr.operands) for_each_node(*operand, visit);
  visit(expr);
}

void for_each_binding(const Stmt& stmt, const std::function<void(const Var&)>& visit) {
  match(
      stmt, [&](const Let& s) { visit(*s.var); }, [&](const Store& s) { visit(*s.var); },
      [&](const For& s) {
        for (const Var* var : s.vars) visit(*var);
        if (s.maybe_index != nullptr) visit(*s.maybe_index);
      },
      [&](const Collect& s) {
        for (const Sink& sink : s.sinks) visit(*sink.var);
      },
      [&](const BuildGraph& s) { visit(*s.var); },
      [&](const OneOf<Repeat, Again> auto& s) {
        for (const Var* var : s.vars) visit(*var);
      },
      [&](const Region& s) {
        for (const Buffer& buffer : s.buffers) visit(*buffer.var);
      },
      [](const OneOf<Block, If, Yield, Return> auto&) {});
}

int nested_loops(const Block& block, const std::function<bool(const For&)>& counts) {
  int most = 0;
  for (const Stmt* stmt : block.body) {
    const For* const loop = as<For>(stmt);
    int inner = 0;
    for_each_block(*stmt, [&](const Block& part) { inner = std::max(inner, nested_loops(part, counts)); });
    most = std::max(most, inner + (loop != nullptr && counts(*loop) ? 1 : 0));
  }
  return most;
}

}  // namespace matcha::ir
