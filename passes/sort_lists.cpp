#include "passes/sort_lists.h"

#include <algorithm>
#include <unordered_map>

#include "ir/analysis/facts.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// The list that the node searches; null if it searches none.
const Var* looked_up(const Expr& e) {
  if (is_set_op(e.kind)) return as<Var>(e.operands[1]);
  return e.kind == Kind::Contains ? as<Var>(e.operands[0]) : nullptr;
}

class Sorter final : public Rewriter {
 public:
  Sorter(Context& context, const std::vector<const Var*>& lists) : Rewriter(context) {
    for (const Var* list : lists) {
      builder().set_loc(list->loc);
      copies_[list] = builder().var(list->type, std::string(list->hint) + "_sorted");
    }
  }

  Module run_on(const Module& module) {
    Stmts out;
    for (const Var* param : module.params) copy(param, out);
    Module result = run(module);
    out.insert(out.end(), result.body->body.begin(), result.body->body.end());
    builder().set_loc(module.body->loc);
    result.body = builder().block(out);
    return result;
  }

 protected:
  const Expr* on_expr(const Expr* e) override {
    const Var* list = looked_up(*e);
    const auto found = list != nullptr ? copies_.find(list) : copies_.end();
    if (found == copies_.end()) return e;
    std::vector<const Expr*> operands(e->operands.begin(), e->operands.end());
    operands[e->kind == Kind::Contains ? 0 : 1] = found->second;
    return builder().with_operands(e, operands);
  }

  void on_stmt(const Stmt* stmt, Stmts& out) override {
    out.push_back(rebuild(stmt));
    for_each_binding(*stmt, [&](const Var& var) {
      if (stmt->kind != Kind::For) copy(&var, out);
    });
  }

 private:
  void copy(const Var* list, Stmts& out) {
    const auto found = copies_.find(list);
    if (found == copies_.end()) return;
    builder().set_loc(list->loc);
    out.push_back(builder().let(found->second, builder().make(Kind::Sorted, {list})));
  }

  std::unordered_map<const Var*, const Var*> copies_;
};

}  // namespace

Module sort_lists(const Module& module, PassContext& context) {
  Facts facts(module);
  std::vector<const Var*> lists;
  for_each_stmt(*module.body, [&](const Stmt& stmt) {
    for_each_expr(stmt, [&](const Expr& expr) {
      for_each_node(expr, [&](const Expr& node) {
        const Var* list = looked_up(node);
        bool wanted = list != nullptr && !facts.list(list).ascending && list->type->is_flat_list();
        if (wanted && std::find(lists.begin(), lists.end(), list) == lists.end()) lists.push_back(list);
      });
    });
  });
  if (lists.empty()) return module;
  context.count("lists sorted", static_cast<std::int64_t>(lists.size()));
  return Sorter(context.context, lists).run_on(module);
}

}  // namespace matcha::passes
