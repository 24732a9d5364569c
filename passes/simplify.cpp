#include <algorithm>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/exprs.h"
#include "passes/pass.h"
#include "passes/uses.h"

/// simplify: brings programs into the forms that other passes look for.
///
/// What. Values that are cheap to recompute (variables, constants, comparisons of variables, whole neighbour lists)
/// replace their names; a value that is read once, in the same loop, moves to its reader. A set of which only the size
/// is read becomes that number. Unread values are removed unless they may trap. Nested ifs become one; negations move
/// inward; vertices compared as original ids are compared as ranks.
///
/// Why. Lowering names every value, and fusion leaves names behind; patterns are easier to match in whole expressions.
///
/// Before:
///     let %s = neighbors(%G, %u)
///     let %c = intersect(%s, neighbors(%G, %v))
///     let %k = size(%c)
///     if (convert<i64>(%v) < convert<i64>(%u)) { yield %n, %k }
/// After:
///     if (%v < %u) { yield %n, size(intersect(neighbors(%G, %u), neighbors(%G, %v))) }
///
/// Requires and ensures: stage loop. No trap is lost except overflows of unread sums. Gives up on: values that may trap
/// and whose reader may not be reached.
namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

constexpr int kCheapNodes = 8;
constexpr std::size_t kMaxCompared = 4;

int node_count(const Expr& e) {
  int count = 1;
  for (const Expr* operand : e.operands) count += node_count(*operand);
  return count;
}

/// True if computing it again at each use costs less than keeping it: no search, no walk.
bool is_cheap(const Expr& e) {
  switch (e.kind) {
    case Kind::Var:
    case Kind::ConstInt:
    case Kind::ConstFloat:
    case Kind::ConstBool:
    case Kind::LabelName: return true;
    case Kind::Neighbors:
      if (is_half(e)) return false;
      [[fallthrough]];
    case Kind::Convert:
    case Kind::Not:
    case Kind::Eq:
    case Kind::Ne:
    case Kind::Lt:
    case Kind::Le:
    case Kind::Min:
    case Kind::Max:
    case Kind::Vertices:
    case Kind::Edges:
    case Kind::EdgeInfo:
    case Kind::Literal:
    case Kind::Size:
      return std::all_of(e.operands.begin(), e.operands.end(), [](const Expr* operand) { return is_cheap(*operand); });
    default: return false;
  }
}

bool is_original_id(const Expr* e) {
  return e->kind == Kind::Convert && e->type->is_scalar(ScalarKind::I64) &&
         e->operands[0]->type->is_scalar(ScalarKind::Vid);
}

class Simplifier final : public Rewriter {
 public:
  Simplifier(const Module& module, PassContext& context)
      : Rewriter(context.context), facts_(module), uses_(module), context_(context) {}

 protected:
  const Expr* on_expr(const Expr* e) override {
    switch (e->kind) {
      case Kind::Eq:
      case Kind::Ne:
      case Kind::Lt:
      case Kind::Le:
      case Kind::Min:
      case Kind::Max: return compared(e);
      case Kind::Not: return negated(e->operands[0], e);
      case Kind::And:
      case Kind::Or: return e->operands[0] == e->operands[1] ? e->operands[0] : e;
      case Kind::Intersect: {
        // NaN equals nothing, and so is in no intersection.
        const bool equal_themselves = !e->type->columns[0]->is_scalar(ScalarKind::F64);
        return equal_themselves && e->operands[0] == e->operands[1] ? e->operands[0] : e;
      }
      case Kind::Diff:
        return e->operands[1]->kind == Kind::Literal && e->operands[1]->operands.empty() ? e->operands[0] : e;
      case Kind::Convert: {
        const Expr* inner = e->operands[0];
        const ConstBool* known = e->type->is_scalar(ScalarKind::I64) ? as<ConstBool>(inner) : nullptr;
        if (known != nullptr) return builder().integer(known->value ? 1 : 0);
        return e->type->is_scalar(ScalarKind::Vid) && is_original_id(inner) ? inner->operands[0] : e;
      }
      case Kind::Sorted: return facts_.list(e->operands[0]).ascending ? e->operands[0] : e;
      case Kind::Size: return size(e);
      case Kind::Contains: return contained(e);
      default: return e;
    }
  }

  void on_stmt(const Stmt* stmt, Stmts& out) override {
    builder().set_loc(stmt->loc);
    match(
        *stmt, [&](const Let& s) { let(s, out); },
        [&](const Block& s) {
          const Block* inner = block(&s);
          out.insert(out.end(), inner->body.begin(), inner->body.end());
        },
        [&](const For& s) {
          bool traps = s.lists.size() > 1 || traps_here(*s.lists[0]);
          const For* loop = static_cast<const For*>(rebuild(&s));
          if (!loop->body->body.empty() || traps) out.push_back(loop);
        },
        [&](const If& s) { branch(s, out); }, [&](const Collect& s) { collect(s, out); },
        [&](const Yield& s) { dropped_.contains(s.sink) ? keep_traps(s, out) : out.push_back(rebuild(&s)); },
        [&](const Stmt& s) { out.push_back(rebuild(&s)); });
  }

 private:
  const Expr* compared(const Expr* e) {
    const Expr* a = e->operands[0];
    const Expr* b = e->operands[1];
    bool choice = e->kind == Kind::Min || e->kind == Kind::Max;
    if (choice && a == b) return a;
    if (!is_original_id(a) || !is_original_id(b)) return e;
    const Expr* ranks = builder().make(e->kind, {a->operands[0], b->operands[0]});
    return choice ? builder().convert(ranks, e->type) : ranks;
  }

  /// `not(e)`, moved inward; `whole` if it cannot be.
  const Expr* negated(const Expr* e, const Expr* whole) {
    Builder& b = builder();
    bool real = !e->operands.empty() && e->operands[0]->type->is_scalar(ScalarKind::F64);
    switch (e->kind) {
      case Kind::Lt: return real ? whole : b.make(Kind::Le, {e->operands[1], e->operands[0]});
      case Kind::Le: return real ? whole : b.make(Kind::Lt, {e->operands[1], e->operands[0]});
      case Kind::Eq: return b.make(Kind::Ne, {e->operands[0], e->operands[1]});
      case Kind::Ne: return b.make(Kind::Eq, {e->operands[0], e->operands[1]});
      case Kind::And:
      case Kind::Or: {
        Kind other = e->kind == Kind::And ? Kind::Or : Kind::And;
        const Expr* first = b.make(Kind::Not, {e->operands[0]});
        const Expr* second = b.make(Kind::Not, {e->operands[1]});
        return b.make(other, {on_expr(first), on_expr(second)});
      }
      default: return whole;
    }
  }

  /// A look-up in a set operation becomes look-ups in its operands; in a short literal, comparisons. An operand that
  /// may trap comes first, because the others may be skipped.
  const Expr* contained(const Expr* e) {
    Builder& b = builder();
    const Expr* set = e->operands[0];
    const Expr* item = e->operands[1];
    const auto traps = [&](const Expr* part) { return facts_.may_trap(part); };
    bool own = is_all_neighbors(*set) && set->operands[1] == item && facts_.loop_free(set->operands[0]);
    if (own && !traps(item)) return b.boolean(false);
    if (is_set_op(set->kind)) {
      const Expr* both = looked_up_in_both(b, facts_, set, [&](const Expr* operand, bool negated) {
        const Expr* in = on_expr(b.make(Kind::Contains, {operand, item}));
        return negated ? on_expr(b.make(Kind::Not, {in})) : in;
      });
      return both != nullptr ? both : e;
    }
    bool cheap = set->kind == Kind::Literal && is_cheap(*set) && item->operands.empty();
    if (!cheap || set->operands.empty() || set->operands.size() > kMaxCompared) return e;
    if (std::any_of(set->operands.begin() + 1, set->operands.end(), traps)) return e;
    const Expr* any = nullptr;
    for (const Expr* other : set->operands) {
      const Expr* same = on_expr(b.make(Kind::Eq, {item, other}));
      any = any == nullptr ? same : b.make(Kind::Or, {any, same});
    }
    return any;
  }

  const Expr* size(const Expr* e) {
    const Expr* list = e->operands[0];
    if (list->kind == Kind::Sorted) return builder().make(Kind::Size, {list->operands[0]});
    const auto found = list->kind == Kind::Var ? sizes_.find(static_cast<const Var*>(list)) : sizes_.end();
    return found != sizes_.end() ? found->second : e;
  }

  void let(const Let& s, Stmts& out) {
    const Use& use = uses_.of(s.var);
    bool traps = traps_here(*s.value);
    const Expr* value = expr(s.value);
    builder().set_loc(s.loc);
    bool stays = reads_wide(*value);
    bool here = !use.crosses_loop && (!use.conditional || !traps);
    if (use.count == 0 && !traps) {
      context_.count("dead values");
    } else if (!stays &&
               ((!traps && is_cheap(*value) && node_count(*value) <= kCheapNodes) || (use.count == 1 && here))) {
      context_.count("values moved");
      if (traps) trapping_.insert(s.var);
      substitute(s.var, value);
    } else if (value->type->is_list() && use.size_count == use.count && use.count > 0) {
      context_.count("sizes");
      const Var* size = builder().var(builder().context().i64(), std::string(s.var->hint) + "_size");
      sizes_[s.var] = size;
      out.push_back(builder().let(size, builder().make(Kind::Size, {value})));
    } else {
      out.push_back(value == s.value ? &s : builder().let(s.var, value));
    }
  }

  void branch(const If& s, Stmts& out) {
    bool traps = traps_here(*s.cond);
    const If* rebuilt = static_cast<const If*>(rebuild(&s));
    builder().set_loc(s.loc);
    const Block* then_body = rebuilt->then_body;
    const Block* else_body = rebuilt->maybe_else;
    if (else_body != nullptr && else_body->body.empty()) else_body = nullptr;
    if (const ConstBool* constant = as<ConstBool>(rebuilt->cond)) {
      const Block* taken = constant->value ? then_body : else_body;
      if (taken != nullptr) out.insert(out.end(), taken->body.begin(), taken->body.end());
      return;
    }
    if (then_body->body.empty()) {
      if (else_body != nullptr) {
        out.push_back(builder().branch(on_expr(builder().make(Kind::Not, {rebuilt->cond})), else_body));
      } else if (traps) {
        out.push_back(rebuilt);
      }
      return;
    }
    const If* inner = then_body->body.size() == 1 ? as<If>(then_body->body[0]) : nullptr;
    if (else_body == nullptr && inner != nullptr && inner->maybe_else == nullptr) {
      out.push_back(builder().branch(both(rebuilt->cond, inner->cond), inner->then_body));
    } else if (else_body != rebuilt->maybe_else) {
      out.push_back(builder().branch(rebuilt->cond, then_body));
    } else {
      out.push_back(rebuilt);
    }
  }

  /// `outer and inner`, without the parts of `inner` that `outer` implies.
  const Expr* both(const Expr* outer, const Expr* inner) {
    std::vector<const Expr*> parts = conjuncts(outer);
    for (const Expr* part : conjuncts(inner)) {
      const auto holds = [&](const Expr* known) { return known == part || is_at_least(*known, *part); };
      if (std::ranges::none_of(parts, holds)) parts.push_back(part);
    }
    return conjunction(builder(), parts);
  }

  /// True if `a <= x` is known and `b <= x` tested, for numbers with b <= a.
  static bool is_at_least(const Expr& known, const Expr& asked) {
    if (known.kind != Kind::Le || asked.kind != Kind::Le || known.operands[1] != asked.operands[1]) return false;
    const ConstInt* a = as<ConstInt>(known.operands[0]);
    const ConstInt* b = as<ConstInt>(asked.operands[0]);
    return a != nullptr && b != nullptr && b->value <= a->value;
  }

  void collect(const Collect& s, Stmts& out) {
    std::vector<Sink> kept;
    for (const Sink& sink : s.sinks) {
      if (uses_.of(sink.var).count != 0) kept.push_back(sink);
    }
    if (kept.empty()) {
      if (!traps_below(s)) return context_.count("dead collects");
      kept.push_back(s.sinks[0]);
    }
    if (kept.size() == s.sinks.size()) {
      out.push_back(rebuild(&s));
      return;
    }
    for (const Sink& sink : s.sinks) dropped_.insert(sink.var);
    for (const Sink& sink : kept) dropped_.erase(sink.var);
    context_.count("dead sinks", static_cast<std::int64_t>(s.sinks.size() - kept.size()));
    const Block* body = block(s.body);
    builder().set_loc(s.loc);
    out.push_back(builder().collect(kept, body));
  }

  /// Keeps reads of `yield` that may trap, without the sink.
  void keep_traps(const Yield& yield, Stmts& out) {
    for (const Expr* value : yield.values) {
      if (!traps_here(*value)) continue;
      const Expr* kept = expr(value);
      builder().set_loc(yield.loc);
      out.push_back(builder().let(builder().var(kept->type, yield.sink->hint), kept));
    }
  }

  /// True if `e`, an expression of the input, may trap, including the values that move into it, which Facts see as
  /// names.
  bool traps_here(const Expr& e) const { return facts_.may_trap(&e) || reads(e, trapping_); }

  bool traps_below(const Collect& collect) const {
    bool traps = may_trap(facts_, collect);
    for_each_stmt(*collect.body, [&](const Stmt& stmt) {
      for_each_expr(stmt, [&](const Expr& e) { traps = traps || reads(e, trapping_); });
    });
    return traps;
  }

  Facts facts_;
  Uses uses_;
  PassContext& context_;
  std::unordered_map<const Var*, const Var*> sizes_;  ///< Lists of which only the size is kept.
  std::unordered_set<const Var*> dropped_;            ///< Unread sinks.
  std::unordered_set<const Var*> trapping_;           ///< Values that may trap and moved to their readers.
};

}  // namespace

Module simplify(const Module& module, PassContext& context) { return Simplifier(module, context).run(module); }

}  // namespace matcha::passes
