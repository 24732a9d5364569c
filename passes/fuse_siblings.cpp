#include <algorithm>

#include "ir/analysis/walk.h"
#include "ir/rewriter.h"
#include "ir/with_parts.h"
#include "passes/fuse_steps.h"
#include "passes/uses.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// The only loop of a collect; null if there are other statements.
const For* only_loop(const Stmt* stmt) {
  const Collect* collect = as<Collect>(stmt);
  return collect != nullptr && collect->body->body.size() == 1 ? as<For>(collect->body->body[0]) : nullptr;
}

bool reads_any(const Stmt& stmt, const std::unordered_set<const Var*>& vars) {
  bool found = false;
  const auto visit = [&](const Stmt& s) { for_each_expr(s, [&](const Expr& e) { found = found || reads(e, vars); }); };
  for_each_stmt_of(stmt, visit);
  return found;
}

/// True if nothing in the statement yields to a list, so that the order of its yields is not observable.
bool yields_no_list(const Stmt& stmt) {
  bool found = false;
  for_each_stmt_of(stmt, [&](const Stmt& s) {
    const Yield* yield = as<Yield>(&s);
    found = found || (yield != nullptr && yield->sink->type->is_list());
  });
  return !found;
}

class SiblingFuser final : public Rewriter {
 public:
  SiblingFuser(const Module& module, PassContext& context)
      : Rewriter(context.context), module_(module), context_(context) {
    for (const Expr* value : static_cast<const Return*>(module.body->body.back())->values) {
      if (const Var* var = as<Var>(value)) returned_.insert(var);
    }
  }

  Module run_on() {
    const Block* body = merge(block(module_.body));
    Module result = module_;
    result.body = body;
    return result;
  }

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const Stmt* rebuilt = rebuild(stmt);
    builder().set_loc(stmt->loc);
    const bool stays = rebuilt->kind == Kind::Block || rebuilt->kind == Kind::Region;
    out.push_back(
        stays ? rebuilt
              : with_parts(
                    builder(), *rebuilt, [](const Expr* e) { return e; }, [this](const Block* b) { return merge(b); }));
  }

 private:
  const Block* merge(const Block* b) {
    Stmts stmts(b->body.begin(), b->body.end());
    bool changed = false;
    for (std::size_t i = 0; i < stmts.size(); ++i) {
      for (std::size_t j = i + 1; j < stmts.size();) {
        const Stmt* merged = merged_collect(stmts, i, j);
        const Stmt* later = merged == nullptr ? merged_loop(stmts[i], stmts[j]) : nullptr;
        if (merged == nullptr && later == nullptr) {
          ++j;
          continue;
        }
        context_.count("loops side by side");
        changed = true;
        (merged != nullptr ? stmts[i] : stmts[j]) = merged != nullptr ? merged : later;
        stmts.erase(stmts.begin() + static_cast<std::ptrdiff_t>(merged != nullptr ? j : i));
        if (later != nullptr) j = i + 1;
      }
    }
    builder().set_loc(b->loc);
    return changed ? builder().block(stmts) : b;
  }

  /// Lists that a loop walks keep a separate collect, which can still move into that loop.
  bool may_share(const Collect& collect) const {
    return std::all_of(collect.sinks.begin(), collect.sinks.end(),
                       [&](const Sink& sink) { return sink.kind != SinkKind::List || returned_.contains(sink.var); });
  }

  /// Statements i and j merged at the place of i; null if that is impossible.
  const Collect* merged_collect(const Stmts& stmts, std::size_t i, std::size_t j) {
    const For* first = only_loop(stmts[i]);
    const For* second = only_loop(stmts[j]);
    if (first == nullptr || second == nullptr || !std::ranges::equal(first->lists, second->lists)) return nullptr;
    const Collect& one = *static_cast<const Collect*>(stmts[i]);
    const Collect& other = *static_cast<const Collect*>(stmts[j]);
    if (!may_share(one) || !may_share(other)) return nullptr;
    for (std::size_t k = i; k < j; ++k) {
      if (reads_any(other, bound_in(*stmts[k]))) return nullptr;
    }
    std::vector<Sink> sinks(one.sinks.begin(), one.sinks.end());
    sinks.insert(sinks.end(), other.sinks.begin(), other.sinks.end());
    const Stmt* loop = joined(*first, *second);
    return builder().collect(sinks, builder().block({&loop, 1}));
  }

  /// Two separate loops merged at the place of the second; the first binds nothing that a statement between them could
  /// read. Null if that is impossible, or if it would change the order of a list's items.
  const Stmt* merged_loop(const Stmt* one, const Stmt* other) {
    const For* first = as<For>(one);
    const For* second = as<For>(other);
    if (first == nullptr || second == nullptr || !std::ranges::equal(first->lists, second->lists)) return nullptr;
    return yields_no_list(*first) && yields_no_list(*second) ? joined(*first, *second) : nullptr;
  }

  /// A loop with the bodies of both, which walk the same lists.
  const Stmt* joined(const For& first, const For& second) {
    Builder& b = builder();
    b.set_loc(first.loc);
    std::vector<const Var*> from(second.vars.begin(), second.vars.end());
    std::vector<const Expr*> to(first.vars.begin(), first.vars.end());
    const Var* index = first.maybe_index;
    if (second.maybe_index != nullptr) {
      if (index == nullptr) index = b.var(second.maybe_index->type, second.maybe_index->hint);
      from.push_back(second.maybe_index);
      to.push_back(index);
    }
    Rewriter renamer(b.context());
    for (std::size_t k = 0; k < from.size(); ++k) renamer.substitute(from[k], to[k]);
    const Block* tail = renamer.block(second.body);
    Stmts body(first.body->body.begin(), first.body->body.end());
    body.insert(body.end(), tail->body.begin(), tail->body.end());
    return b.loop(first.vars, first.lists, index, b.block(body));
  }

  const Module& module_;
  PassContext& context_;
  std::unordered_set<const Var*> returned_;
};

}  // namespace

Module fuse_siblings(const Module& module, PassContext& context) { return SiblingFuser(module, context).run_on(); }

}  // namespace matcha::passes
