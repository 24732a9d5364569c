#include <algorithm>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/exprs.h"
#include "passes/fuse_steps.h"
#include "passes/uses.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

bool is_one(const Expr* e) {
  const ConstInt* constant = as<ConstInt>(e);
  return constant != nullptr && constant->value == 1;
}

/// True if reading the list twice costs no more than once.
bool is_cheap(const Expr* e) {
  if (walks(e->kind) || e->kind == Kind::Select) return false;
  return std::all_of(e->operands.begin(), e->operands.end(), is_cheap);
}

class LoopFuser final : public Rewriter {
 public:
  LoopFuser(const Module& module, PassContext& context)
      : Rewriter(context.context), facts_(module), uses_(module), context_(context) {}

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const Stmt* rebuilt = rebuild(stmt);
    builder().set_loc(stmt->loc);
    match(
        *rebuilt, [&](const For& s) { loop(s, out); }, [&](const Collect& s) { collect(s, out); },
        [&](const OneOf<Block, Let, If, Yield, BuildGraph, Repeat, Again, Return, Region, Store> auto& s) {
          out.push_back(&s);
        });
  }

 private:
  /// The total of a loop in which `yield` adds to the sink each time, as values to yield once; empty if it depends on
  /// the item.
  std::vector<const Expr*> all_at_once(const Yield& yield, const For& loop, const Expr* size,
                                       const std::unordered_set<const Var*>& inside) {
    const Sink* sink = uses_.sink(yield.sink);
    if (sink == nullptr || yield.values.size() != 1) return {};
    const Expr* value = yield.values[0];
    if (sink->kind == SinkKind::Any) {
      const ConstBool* constant = as<ConstBool>(value);
      if (constant == nullptr || !constant->value) return {};
      return {builder().make(Kind::Lt, {builder().integer(0), size})};
    }
    bool adds = sink->kind == SinkKind::Sum && value->type->is_scalar(ScalarKind::I64);
    std::vector<const Expr*> totals;
    if (!adds || facts_.may_trap(value) || !add_totals(value, false, loop, size, inside, totals)) return {};
    bool trap = std::ranges::any_of(totals, [&](const Expr* total) { return facts_.may_trap(total); });
    return trap ? std::vector<const Expr*>() : totals;
  }

  /// Appends the total of `value` over all items, negated if `negative`; false if that depends on the items.
  bool add_totals(const Expr* value, bool negative, const For& loop, const Expr* size,
                  const std::unordered_set<const Var*>& inside, std::vector<const Expr*>& totals) {
    Builder& b = builder();
    const auto add = [&](const Expr* total) { totals.push_back(negative ? b.make(Kind::Neg, {total}) : total); };
    if (!reads(*value, inside)) {
      if (is_one(value)) return add(size), true;
      const Expr* product = b.make(Kind::Mul, {value, size});
      if (!facts_.may_trap(product)) return add(product), true;
      // For two lists of vertices only half of the product is known to fit.
      add(b.make(Kind::Mul, {value, b.make(Kind::Div, {size, b.integer(2)})}));
      const Expr* rounded_up = b.make(Kind::Add, {size, b.integer(1)});
      return add(b.make(Kind::Mul, {value, b.make(Kind::Div, {rounded_up, b.integer(2)})})), true;
    }
    if (value == loop.maybe_index) {
      // size * (size - 1) / 2, halved before it is multiplied.
      const Expr* odd = b.make(Kind::Mod, {size, b.integer(2)});
      const Expr* other = b.make(Kind::Add, {b.make(Kind::Sub, {size, b.integer(1)}), odd});
      return add(b.make(Kind::Mul, {b.make(Kind::Div, {size, b.integer(2)}), other})), true;
    }
    if (const Expr* found = found_each_time(value, loop, inside)) return add(b.make(Kind::Size, {found})), true;
    if (value->kind != Kind::Add && value->kind != Kind::Sub) return false;
    return add_totals(value->operands[0], negative, loop, size, inside, totals) &&
           add_totals(value->operands[1], negative != (value->kind == Kind::Sub), loop, size, inside, totals);
  }

  /// For `convert<i64>(contains(s, x))`: the items x in s, as a set.
  const Expr* found_each_time(const Expr* value, const For& loop, const std::unordered_set<const Var*>& inside) {
    const Expr* test = value->kind == Kind::Convert ? value->operands[0] : value;
    if (test->kind != Kind::Contains || loop.vars.size() != 1 || test->operands[1] != loop.vars[0]) return nullptr;
    const Expr* set = test->operands[0];
    const Expr* list = loop.lists[0];
    bool vertices = list->type->is_set() && list->type->columns[0]->is_scalar(ScalarKind::Vid);
    if (!vertices || set->type != list->type || reads(*set, inside)) return nullptr;
    return builder().make(Kind::Intersect, {list, set});
  }

  void loop(const For& s, Stmts& out) {
    std::unordered_set<const Var*> inside = bound_in(s);
    Stmts left;
    Stmts once;
    const Expr* size = s.lists.size() == 1 ? builder().make(Kind::Size, {s.lists[0]}) : nullptr;
    for (const Stmt* stmt : s.body->body) {
      const Yield* yield = s.lists.size() == 1 ? as<Yield>(stmt) : nullptr;
      std::vector<const Expr*> totals;
      if (yield != nullptr) totals = all_at_once(*yield, s, size, inside);
      if (totals.empty()) left.push_back(stmt);
      for (const Expr* total : totals) once.push_back(builder().yield(yield->sink, {&total, 1}));
    }
    if (once.empty() || (!left.empty() && !is_cheap(s.lists[0]))) {
      out.push_back(&s);
      return;
    }
    context_.count("products", static_cast<std::int64_t>(once.size()));
    named_size(size, once, out);
    out.insert(out.end(), once.begin(), once.end());
    if (!left.empty()) out.push_back(builder().loop(s.vars, s.lists, s.maybe_index, builder().block(left)));
  }

  /// Names the size if it is computed and the yields read it more than once.
  void named_size(const Expr* size, Stmts& yields, Stmts& out) {
    int reads = 0;
    for (const Stmt* stmt : yields) {
      for_each_expr(
          *stmt, [&](const Expr& e) { for_each_node(e, [&](const Expr& node) { reads += &node == size ? 1 : 0; }); });
    }
    if (reads < 2 || is_cheap(size)) return;
    const Var* name = builder().var(size->type, "count");
    out.push_back(builder().let(name, size));
    for (const Stmt*& stmt : yields) stmt = replace_in(builder(), stmt, {{size, name}});
  }

  void collect(const Collect& s, Stmts& out) {
    if (s.sinks.size() != 1 || s.body->body.empty()) {
      out.push_back(&s);
      return;
    }
    const Sink& sink = s.sinks[0];
    const Stmt* last = s.body->body.back();
    if (const Expr* list = copied(sink, *s.body)) {
      context_.count("copies of lists");
      out.push_back(builder().let(sink.var, list));
    } else if (const Expr* value = one_value(sink, *last, *s.body)) {
      context_.count("single values");
      out.insert(out.end(), s.body->body.begin(), s.body->body.end() - 1);
      out.push_back(builder().let(sink.var, value));
    } else {
      out.push_back(&s);
    }
  }

  /// The list whose items are copied to the sink, all of them and in order; else null.
  static const Expr* copied(const Sink& sink, const Block& body) {
    const For* loop = body.body.size() == 1 ? as<For>(body.body[0]) : nullptr;
    if (sink.kind != SinkKind::List || loop == nullptr || loop->lists.size() != 1 || loop->body->body.size() != 1) {
      return nullptr;
    }
    const Yield* yield = as<Yield>(loop->body->body[0]);
    bool same = yield != nullptr && yield->sink == sink.var && loop->lists[0]->type == sink.var->type &&
                std::equal(loop->vars.begin(), loop->vars.end(), yield->values.begin(), yield->values.end());
    return same ? loop->lists[0] : nullptr;
  }

  /// The value of a sink with one unconditional yield. Sums of floats stay: they turn -0 into 0.
  const Expr* one_value(const Sink& sink, const Stmt& last, const Block& body) {
    const Yield* yield = as<Yield>(&last);
    bool fits = yield != nullptr && yield->sink == sink.var && sink.kind != SinkKind::List &&
                !(sink.kind == SinkKind::Sum && sink.var->type->is_scalar(ScalarKind::F64));
    if (!fits) return nullptr;
    int yields = 0;
    for_each_stmt(body, [&](const Stmt& stmt) {
      const Yield* other = as<Yield>(&stmt);
      yields += other != nullptr && other->sink == sink.var;
    });
    return yields == 1 ? builder().convert(yield->values[0], sink.var->type) : nullptr;
  }

  Facts facts_;
  Uses uses_;
  PassContext& context_;
};

}  // namespace

Module fuse_loops(const Module& module, PassContext& context) { return LoopFuser(module, context).run(module); }

}  // namespace matcha::passes
