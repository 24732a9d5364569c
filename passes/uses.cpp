#include "passes/uses.h"

#include <algorithm>

#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

Uses::Uses(const Module& module) {
  for (const Var* param : module.params) bind(param);
  block(*module.body);
}

const Use& Uses::of(const Var* var) const {
  static const Use none;
  const auto found = uses_.find(var);
  return found == uses_.end() ? none : found->second;
}

const Sink* Uses::sink(const Var* var) const {
  const auto found = sinks_.find(var);
  return found == sinks_.end() ? nullptr : found->second;
}

void Uses::bind(const Var* var) { defined_[var] = here_; }

void Uses::block(const Block& b) {
  for (const Stmt* s : b.body) stmt(*s);
}

void Uses::stmt(const Stmt& s) {
  for_each_expr(s, [&](const Expr& e) { expr(e); });
  if (s.kind != Kind::For) for_each_binding(s, [&](const Var& var) { bind(&var); });
  match(
      s, [&](const Block& b) { block(b); },
      [&](const For& f) {
        const Var* walked = f.lists.size() == 1 ? as<Var>(f.lists[0]) : nullptr;
        if (walked != nullptr) uses_[walked].walker = &f;
        ++here_.loops;
        ++here_.conditions;
        for_each_binding(s, [&](const Var& var) { bind(&var); });
        block(*f.body);
        --here_.loops;
        --here_.conditions;
      },
      [&](const If& i) {
        ++here_.conditions;
        block(*i.then_body);
        if (i.maybe_else != nullptr) block(*i.maybe_else);
        --here_.conditions;
      },
      [&](const Collect& c) {
        for (const Sink& sink : c.sinks) sinks_[sink.var] = &sink;
        block(*c.body);
      },
      [&](const Yield& y) {
        const Var* yielded = y.values.size() == 1 ? as<Var>(y.values[0]) : nullptr;
        if (yielded != nullptr) uses_[yielded].yielder = &y;
      },
      [&](const Region& r) { stmt(*r.collect); },
      [](const OneOf<Let, BuildGraph, Repeat, Again, Return, Store> auto&) {});
}

void Uses::expr(const Expr& e) {
  if (const Var* var = as<Var>(&e)) {
    Use& use = uses_[var];
    Depth defined = defined_[var];
    ++use.count;
    use.crosses_loop = use.crosses_loop || here_.loops > defined.loops;
    use.conditional = use.conditional || here_.conditions > defined.conditions;
    return;
  }
  if (e.kind == Kind::Size) {
    if (const Var* var = as<Var>(e.operands[0])) ++uses_[var].size_count;
    count_parts(*e.operands[0]);
  }
  bool lazy = is_lazy(e.kind);
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    if (lazy && i != 0) ++here_.conditions;
    expr(*e.operands[i]);
    if (lazy && i != 0) --here_.conditions;
  }
}

void Uses::count_parts(const Expr& set) {
  switch (set.kind) {
    case Kind::Var: ++uses_[static_cast<const Var*>(&set)].counted; break;
    case Kind::Intersect:
      count_parts(*set.operands[0]);
      count_parts(*set.operands[1]);
      break;
    case Kind::Diff:
    case Kind::Cut: count_parts(*set.operands[0]); break;
    default: break;
  }
}

int Uses::depth(const Expr& e) const {
  if (const Var* var = as<Var>(&e)) {
    const auto found = defined_.find(var);
    return found == defined_.end() ? 0 : found->second.loops;
  }
  int deepest = 0;
  for (const Expr* operand : e.operands) deepest = std::max(deepest, depth(*operand));
  return deepest;
}

bool may_trap(const Facts& facts, const Stmt& stmt, const std::function<bool(const Stmt&)>& spared) {
  bool traps = false;
  const auto visit = [&](const Stmt& s) {
    if (spared && spared(s)) return;
    if (const For* loop = as<For>(&s)) traps = traps || loop->lists.size() > 1;
    for_each_expr(s, [&](const Expr& e) { traps = traps || facts.may_trap(&e); });
  };
  for_each_stmt_of(stmt, visit);
  return traps;
}

bool sums_may_overflow(const Facts& facts, const Stmt& stmt) {
  constexpr std::int64_t kLargestPart = std::int64_t{1} << 40;
  bool overflow = false;
  std::unordered_set<const Var*> sums;
  const auto is_small = [&](const Expr* part) {
    const Var* var = as<Var>(part);
    const Range range = facts.range(part);
    return (range.low >= -kLargestPart && range.high <= kLargestPart) || (var != nullptr && sums.contains(var));
  };
  for_each_stmt_of(stmt, [&](const Stmt& s) {
    if (const Collect* collect = as<Collect>(&s)) {
      for (const Sink& sink : collect->sinks) {
        if (sink.kind == SinkKind::Sum && sink.var->type->is_scalar(ScalarKind::I64)) sums.insert(sink.var);
      }
    }
    const Yield* yield = as<Yield>(&s);
    overflow = overflow || (yield != nullptr && sums.contains(yield->sink) && !is_small(yield->values[0]));
  });
  return overflow;
}

std::unordered_set<const Var*> bound_in(const Stmt& stmt) {
  std::unordered_set<const Var*> vars;
  for_each_stmt_of(stmt, [&](const Stmt& s) { for_each_binding(s, [&](const Var& var) { vars.insert(&var); }); });
  return vars;
}

bool reads(const Expr& expr, const std::unordered_set<const Var*>& vars) {
  if (const Var* var = as<Var>(&expr)) return vars.contains(var);
  return std::any_of(expr.operands.begin(), expr.operands.end(), [&](const Expr* e) { return reads(*e, vars); });
}

std::vector<const Expr*> conjuncts(const Expr* cond) {
  if (cond->kind != Kind::And) return {cond};
  std::vector<const Expr*> parts = conjuncts(cond->operands[0]);
  for (const Expr* part : conjuncts(cond->operands[1])) parts.push_back(part);
  return parts;
}

const Expr* conjunction(Builder& builder, const std::vector<const Expr*>& parts) {
  const Expr* all = nullptr;
  for (const Expr* part : parts) all = all == nullptr ? part : builder.make(Kind::And, {all, part});
  return all == nullptr ? builder.boolean(true) : all;
}

static bool is_label(const Expr& e) { return e.kind == Kind::Label; }

bool is_selective(const Expr* cond) {
  std::vector<const Expr*> parts = conjuncts(cond);
  return std::any_of(parts.begin(), parts.end(), [](const Expr* part) {
    if (part->kind == Kind::Eq) return !is_label(*part->operands[0]) && !is_label(*part->operands[1]);
    return part->kind == Kind::Contains || part->kind == Kind::HasEdge;
  });
}

bool reads_some_label(const Block& block) {
  bool found = false;
  for_each_stmt(block, [&](const Stmt& stmt) {
    for_each_expr(stmt,
                  [&](const Expr& e) { for_each_node(e, [&](const Expr& part) { found = found || is_label(part); }); });
  });
  return found;
}

int statement_count(const Block& block) {
  int count = 0;
  for_each_stmt(block, [&](const Stmt&) { ++count; });
  return count;
}

}  // namespace matcha::passes
