#include "passes/alike.h"

#include <algorithm>
#include <unordered_map>

#include "ir/match.h"
#include "passes/exprs.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// Compares statements of `b` after renaming its variables to those of `a`.
class Comparison {
 public:
  explicit Comparison(Builder& builder) : builder_(builder) {}

  bool collect(const Collect& a, const Collect& b) {
    const auto same_sink = [&](const Sink& x, const Sink& y) {
      return x.kind == y.kind && x.maybe_buffer == y.maybe_buffer && bind(*x.var, *y.var);
    };
    return std::ranges::equal(a.sinks, b.sinks, same_sink) && block(*a.body, *b.body);
  }

 private:
  bool bind(const Var& a, const Var& b) {
    names_[&b] = &a;
    return a.type == b.type;
  }

  bool same(const Expr* a, const Expr* b) { return a == replace(builder_, b, names_); }

  bool all_same(std::span<const Expr* const> a, std::span<const Expr* const> b) {
    return std::ranges::equal(a, b, [&](const Expr* x, const Expr* y) { return same(x, y); });
  }

  bool block(const Block& a, const Block& b) {
    return std::ranges::equal(a.body, b.body, [&](const Stmt* x, const Stmt* y) { return stmt(*x, *y); });
  }

  bool maybe_block(const Block* a, const Block* b) { return a == nullptr || b == nullptr ? a == b : block(*a, *b); }

  bool loop(const For& a, const For& b) {
    if (!all_same(a.lists, b.lists) || (a.maybe_index == nullptr) != (b.maybe_index == nullptr)) return false;
    if (a.maybe_index != nullptr && !bind(*a.maybe_index, *b.maybe_index)) return false;
    const auto same_var = [&](const Var* x, const Var* y) { return bind(*x, *y); };
    return std::ranges::equal(a.vars, b.vars, same_var) && block(*a.body, *b.body);
  }

  bool stmt(const Stmt& a, const Stmt& b) {
    if (a.kind != b.kind) return false;
    const auto other = [&]<typename Node>(const Node&) { return static_cast<const Node*>(&b); };
    return match(
        a, [&](const Block& x) { return block(x, *other(x)); },
        [&](const Let& x) { return same(x.value, other(x)->value) && bind(*x.var, *other(x)->var); },
        [&](const For& x) { return loop(x, *other(x)); },
        [&](const If& x) {
          const If& y = *other(x);
          return same(x.cond, y.cond) && block(*x.then_body, *y.then_body) && maybe_block(x.maybe_else, y.maybe_else);
        },
        [&](const Collect& x) { return collect(x, *other(x)); },
        [&](const Yield& x) {
          const Yield& y = *other(x);
          return names_.contains(y.sink) && same(x.sink, y.sink) && x.batched == y.batched &&
                 all_same(x.values, y.values);
        },
        [](const OneOf<BuildGraph, Repeat, Again, Return, Region, Store> auto&) { return false; });
  }

  Builder& builder_;
  std::unordered_map<const Expr*, const Expr*> names_;
};

}  // namespace

bool alike(Builder& builder, const Collect& a, const Collect& b) { return Comparison(builder).collect(a, b); }

}  // namespace matcha::passes
