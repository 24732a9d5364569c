#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/restrict_steps.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// The relation of `list` to the list of a loop over `walked`, by which slices at the loop's item are spans.
enum class Relation { None, Same, PrefixWalked, SuffixWalked };

Relation relation(const Expr* list, const Expr* walked) {
  if (list == walked) return Relation::Same;
  if (walked->operands.empty() || walked->operands[0] != list) return Relation::None;
  if (is_below(*walked)) return Relation::PrefixWalked;
  return is_above(*walked) ? Relation::SuffixWalked : Relation::None;
}

class SpanMaker final : public Rewriter {
 public:
  SpanMaker(const Module& module, PassContext& context)
      : Rewriter(context.context), facts_(module), context_(context) {}

 protected:
  const Expr* on_expr(const Expr* e) override {
    const Var* item = e->kind == Kind::Cut ? as<Var>(e->operands[1]) : nullptr;
    const auto found = item != nullptr ? walks_.find(item) : walks_.end();
    if (found == walks_.end()) return e;
    const Expr* list = e->operands[0];
    const Expr* walked = found->second.list;
    Relation lies = relation(list, walked);
    if (lies == Relation::None) return e;
    Builder& b = builder();
    const Expr* at = found->second.index;
    if (is_below(*e)) {
      // The items before this one; with a suffix, items that the loop does not walk would be missing.
      if (lies == Relation::SuffixWalked) return e;
      return span(list, b.integer(0), at);
    }
    const Expr* next = b.make(Kind::Add, {at, b.integer(1)});
    if (lies == Relation::SuffixWalked) list = walked;
    return span(list, next, b.make(Kind::Size, {list}));
  }

  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const For* loop = as<For>(stmt);
    if (loop == nullptr || !is_wanted(*loop)) {
      out.push_back(rebuild(stmt));
      return;
    }
    Builder& b = builder();
    const Expr* list = expr(loop->lists[0]);
    b.set_loc(loop->loc);
    const Var* index = loop->maybe_index != nullptr ? loop->maybe_index : b.var(b.context().i64(), "i");
    walks_[loop->vars[0]] = {list, index};
    const Block* body = block(loop->body);
    b.set_loc(loop->loc);
    out.push_back(b.loop(loop->vars, {&list, 1}, index, body));
  }

 private:
  const Expr* span(const Expr* list, const Expr* begin, const Expr* end) {
    context_.count("spans");
    return builder().make(Kind::Span, {list, begin, end});
  }

  /// True if a slice below the loop will become a span.
  bool is_wanted(const For& loop) const {
    if (loop.lists.size() != 1 || loop.vars.size() != 1) return false;
    const Expr* walked = loop.lists[0];
    ListFacts known = facts_.list(walked);
    if (!known.ascending || !known.unique) return false;
    bool wanted = false;
    for_each_stmt(*loop.body, [&](const Stmt& stmt) {
      for_each_expr(stmt, [&](const Expr& e) {
        for_each_node(e, [&](const Expr& node) {
          bool slice = node.kind == Kind::Cut && node.operands[1] == loop.vars[0];
          if (!slice) return;
          Relation lies = relation(node.operands[0], walked);
          wanted = wanted || (lies != Relation::None && !(is_below(node) && lies == Relation::SuffixWalked));
        });
      });
    });
    return wanted;
  }

  struct Walk {
    const Expr* list;
    const Var* index;
  };

  Facts facts_;
  PassContext& context_;
  std::unordered_map<const Var*, Walk> walks_;  ///< By the loop's item.
};

}  // namespace

Module restrict_spans(const Module& module, PassContext& context) { return SpanMaker(module, context).run(module); }

}  // namespace matcha::passes
