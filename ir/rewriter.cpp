#include "ir/rewriter.h"

#include "ir/match.h"
#include "ir/with_parts.h"

namespace matcha::ir {

Module Rewriter::run(const Module& module) {
  const Block* body = block(module.body);
  if (body == module.body) return module;
  Module result = module;
  result.body = body;
  return result;
}

void Rewriter::substitute(const Var* var, const Expr* value) {
  substitutions_[var] = value;
  memo_.clear();
}

const Expr* Rewriter::expr(const Expr* e) {
  if (e->kind == Kind::Var) {
    const auto found = substitutions_.find(static_cast<const Var*>(e));
    if (found != substitutions_.end()) return found->second;
    return on_expr(e);
  }
  if (const auto found = memo_.find(e); found != memo_.end()) return found->second;
  std::vector<const Expr*> operands;
  operands.reserve(e->operands.size());
  for (const Expr* operand : e->operands) operands.push_back(expr(operand));
  const Expr* rebuilt = builder_.with_operands(e, operands);
  builder_.set_loc(e->loc);
  const Expr* result = on_expr(rebuilt);
  memo_[e] = result;
  return result;
}

const Block* Rewriter::block(const Block* b) {
  Stmts out;
  out.reserve(b->body.size());
  for (const Stmt* stmt : b->body) {
    builder_.set_loc(stmt->loc);
    on_stmt(stmt, out);
  }
  if (std::equal(out.begin(), out.end(), b->body.begin(), b->body.end())) return b;
  builder_.set_loc(b->loc);
  return builder_.block(out);
}

const Stmt* Rewriter::rebuild(const Stmt* stmt) { return rebuild_parts(*stmt); }

const Stmt* Rewriter::rebuild_parts(const Stmt& stmt) {
  return with_parts(
      builder_, stmt, [this](const Expr* e) { return expr(e); }, [this](const Block* b) { return block(b); });
}

namespace {

class Copier final : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    Builder& b = builder();
    match(
        *stmt,
        [&](const Let& s) {
          const Expr* value = expr(s.value);
          const Var* var = fresh(s.var);
          b.set_loc(s.loc);
          out.push_back(b.let(var, value));
        },
        [&](const Store& s) {
          const Expr* value = expr(s.value);
          const Var* var = fresh(s.var);
          b.set_loc(s.loc);
          out.push_back(b.store(var, s.buffer, value));
        },
        [&](const For& s) {
          std::vector<const Expr*> lists;
          for (const Expr* list : s.lists) lists.push_back(expr(list));
          std::vector<const Var*> vars;
          for (const Var* var : s.vars) vars.push_back(fresh(var));
          const Var* index = s.maybe_index != nullptr ? fresh(s.maybe_index) : nullptr;
          const Block* body = block(s.body);
          b.set_loc(s.loc);
          out.push_back(b.loop(vars, lists, index, body, s.mode));
        },
        [&](const Collect& s) {
          std::vector<Sink> sinks(s.sinks.begin(), s.sinks.end());
          for (Sink& sink : sinks) sink.var = fresh(sink.var);
          const Block* body = block(s.body);
          b.set_loc(s.loc);
          out.push_back(b.collect(sinks, body));
        },
        [&](const Yield& s) {
          const Stmt* rebuilt = rebuild(&s);
          const auto found = renamed_.find(s.sink);
          if (found == renamed_.end()) {
            out.push_back(rebuilt);
          } else {
            b.set_loc(s.loc);
            out.push_back(b.yield(found->second, static_cast<const Yield*>(rebuilt)->values, s.batched));
          }
        },
        [&](const OneOf<Block, If, BuildGraph, Repeat, Again, Return, Region> auto& s) { out.push_back(rebuild(&s)); });
  }

 private:
  const Var* fresh(const Var* var) {
    builder().set_loc(var->loc);
    const Var* copy = builder().var(var->type, var->hint);
    renamed_[var] = copy;
    substitute(var, copy);
    return copy;
  }

  std::unordered_map<const Var*, const Var*> renamed_;
};

}  // namespace

const Block* copy_with_new_vars(Context& context, const Block& block, std::span<const Var* const> from,
                                std::span<const Expr* const> to) {
  Copier copier(context);
  for (std::size_t i = 0; i < from.size(); ++i) copier.substitute(from[i], to[i]);
  return copier.block(&block);
}

}  // namespace matcha::ir
