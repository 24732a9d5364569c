#include "ir/analysis/walk.h"

#include <algorithm>

#include "ir/match.h"

namespace matcha::ir {

void for_each_stmt(const Block& block, const std::function<void(const Stmt&)>& visit) {
  for (const Stmt* stmt : block.body) for_each_stmt_of(*stmt, visit);
}

void for_each_stmt_of(const Stmt& stmt, const std::function<void(const Stmt&)>& visit) {
  visit(stmt);
  match(
      stmt, [&](const Block& s) { for_each_stmt(s, visit); }, [&](const For& s) { for_each_stmt(*s.body, visit); },
      [&](const If& s) {
        for_each_stmt(*s.then_body, visit);
        if (s.maybe_else != nullptr) for_each_stmt(*s.maybe_else, visit);
      },
      [&](const Collect& s) { for_each_stmt(*s.body, visit); },
      [&](const Region& s) { for_each_stmt_of(*s.collect, visit); },
      [](const OneOf<Let, Yield, BuildGraph, Repeat, Again, Return, Store> auto&) {});
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
    const int found = match(
        *stmt, [&](const For& s) { return (counts(s) ? 1 : 0) + nested_loops(*s.body, counts); },
        [&](const If& s) {
          const int otherwise = s.maybe_else != nullptr ? nested_loops(*s.maybe_else, counts) : 0;
          return std::max(nested_loops(*s.then_body, counts), otherwise);
        },
        [&](const Collect& s) { return nested_loops(*s.body, counts); },
        [&](const Block& s) { return nested_loops(s, counts); },
        [](const OneOf<Let, Yield, BuildGraph, Repeat, Again, Return, Region, Store> auto&) { return 0; });
    most = std::max(most, found);
  }
  return most;
}

}  // namespace matcha::ir
