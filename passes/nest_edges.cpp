#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/pass.h"

/// nest-edges: turns a walk over the edges into a walk over vertices and their neighbours.
///
/// Why. Values that depend only on the source are then computed once a vertex, and conditions between the two ends
/// become slices of the neighbour list.
///
/// Before:  for %u, %v in edges(%G) { … }
/// After:   for %u in vertices(%G) { for %v in neighbors(%G, %u) { … } }
///
/// Requires and ensures: stage loop. The order of yields stays: edges ascend by source, then target.
/// Gives up on: loops that use the position or walk several lists.
namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

class Nester final : public Rewriter {
 public:
  explicit Nester(PassContext& context) : Rewriter(context.context), context_(context) {}

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const Stmt* rebuilt = rebuild(stmt);
    const For* loop = as<For>(rebuilt);
    bool edges = loop != nullptr && loop->lists.size() == 1 && loop->lists[0]->kind == Kind::Edges;
    if (!edges || loop->maybe_index != nullptr) {
      out.push_back(rebuilt);
      return;
    }
    context_.count("loops");
    Builder& b = builder();
    b.set_loc(loop->loc);
    const Expr* graph = loop->lists[0]->operands[0];
    const Expr* targets = b.make(Kind::Neighbors, {graph, loop->vars[0]});
    const Stmt* inner = b.loop(loop->vars.subspan(1), {&targets, 1}, nullptr, loop->body);
    const Expr* sources = b.make(Kind::Vertices, {graph});
    out.push_back(b.loop(loop->vars.first(1), {&sources, 1}, nullptr, b.block({&inner, 1})));
  }

 private:
  PassContext& context_;
};

}  // namespace

Module nest_edges(const Module& module, PassContext& context) { return Nester(context).run(module); }

}  // namespace matcha::passes
