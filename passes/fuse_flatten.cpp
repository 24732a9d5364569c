#include <unordered_map>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/exprs.h"
#include "passes/fuse_steps.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

class Flattener final : public Rewriter {
 public:
  explicit Flattener(PassContext& context) : Rewriter(context.context), context_(context) {}

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const Stmt* rebuilt = rebuild(stmt);
    const For* loop = as<For>(rebuilt);
    bool walked = loop != nullptr && loop->lists.size() == 1 && loop->lists[0]->kind == Kind::Flatten &&
                  loop->maybe_index == nullptr;
    if (walked) {
      out.push_back(nest(loop->vars, loop->lists[0]->operands[0], loop->body, loop->loc));
      return;
    }
    const Let* let = as<Let>(rebuilt);
    if (let != nullptr && let->value->kind == Kind::Flatten) {
      out.push_back(join(let->var, let->value));
      return;
    }
    // In other places the list first gets a name.
    std::unordered_map<const Expr*, const Expr*> named;
    for_each_expr(*rebuilt, [&](const Expr& e) {
      for_each_node(e, [&](const Expr& node) {
        if (node.kind != Kind::Flatten || named.contains(&node)) return;
        builder().set_loc(node.loc);
        const Var* var = builder().var(node.type, "joined");
        out.push_back(join(var, replace(builder(), &node, named)));
        named[&node] = var;
      });
    });
    out.push_back(named.empty() ? rebuilt : replace_in(builder(), rebuilt, named));
  }

 private:
  const For* nest(std::span<const Var* const> vars, const Expr* lists, const Block* body, SourceLoc loc) {
    context_.count("flattened");
    Builder& b = builder();
    b.set_loc(loc);
    const Var* inner = b.var(lists->type->columns[0], "inner");
    const Expr* inner_list = inner;
    const Stmt* loop = b.loop(vars, {&inner_list, 1}, nullptr, body);
    return b.loop({&inner, 1}, {&lists, 1}, nullptr, b.block({&loop, 1}));
  }

  const Collect* join(const Var* var, const Expr* flatten) {
    Builder& b = builder();
    b.set_loc(flatten->loc);
    std::vector<const Var*> vars;
    for (const Type* column : var->type->columns) vars.push_back(b.var(column, "x"));
    std::vector<const Expr*> row(vars.begin(), vars.end());
    const Stmt* yield = b.yield(var, row);
    const Stmt* loop = nest(vars, flatten->operands[0], b.block({&yield, 1}), flatten->loc);
    Sink sink{var, SinkKind::List, nullptr};
    return b.collect({&sink, 1}, b.block({&loop, 1}));
  }

  PassContext& context_;
};

}  // namespace

Module fuse_flatten(const Module& module, PassContext& context) { return Flattener(context).run(module); }

}  // namespace matcha::passes
