#include <algorithm>
#include <optional>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/restrict_steps.h"
#include "passes/uses.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// The bounds of a time that the conditions of a loop give.
struct Times {
  std::vector<const Expr*> above;    ///< It is larger than each of these.
  std::vector<const Expr*> least;    ///< It is at least each of these.
  std::vector<const Expr*> below;    ///< It is less than each of these.
  std::vector<const Expr*> most;     ///< It is at most each of these.
  std::vector<const Expr*> only_if;  ///< No time is within the bounds unless all of these hold.
};

/// `x + w`, or `x - w`.
struct Shifted {
  const Expr* x;
  const Expr* w;
  bool minus;
};

class TimeSlicer final : public Rewriter {
 public:
  TimeSlicer(const Module& module, PassContext& context)
      : Rewriter(context.context), facts_(module), uses_(module), context_(context) {}

  Module run_on(const Module& module) {
    Module result = run(module);
    if (by_time_.empty()) return result;
    Stmts out;
    for (const Stmt* stmt : result.body->body) {
      out.push_back(stmt);
      const BuildGraph* build = as<BuildGraph>(stmt);
      const auto found = build != nullptr ? by_time_.find(build->var) : by_time_.end();
      if (found == by_time_.end()) continue;
      builder().set_loc(build->loc);
      out.push_back(
          builder().build_graph(found->second, build->edges, nullptr, build->maybe_info, build->index, RowOrder::Info));
    }
    builder().set_loc(module.body->loc);
    result.body = builder().block(out);
    return result;
  }

 protected:
  void on_stmt(const Stmt* stmt, Stmts& out) override {
    const bool loop = stmt->kind == Kind::For;
    depth_ += loop ? 1 : 0;
    const Stmt* rebuilt = rebuild(stmt);
    depth_ -= loop ? 1 : 0;
    builder().set_loc(stmt->loc);
    if (!loop || depth_ == 0 || !sliced(*static_cast<const For*>(rebuilt), out)) out.push_back(rebuilt);
  }

 private:
  /// The graph whose edges of one vertex the loop walks with their times; null if it walks something else.
  const BuildGraph* walked(const For& loop, const Var*& time) const {
    const Expr* first = loop.lists.empty() ? nullptr : loop.lists[0];
    if (loop.maybe_index != nullptr || loop.vars.size() != loop.lists.size()) return nullptr;
    for (std::size_t i = 0; i < loop.lists.size(); ++i) {
      const Expr& list = *loop.lists[i];
      const bool info = list.kind == Kind::EdgeInfo && list.type->columns[0]->is_scalar(ScalarKind::I64);
      if (!info && !is_all_neighbors(list)) return nullptr;
      if (!std::ranges::equal(list.operands, first->operands)) return nullptr;
      if (info) time = loop.vars[i];
    }
    const Var* graph = first != nullptr ? as<Var>(first->operands[0]) : nullptr;
    const Stmt* made = graph != nullptr ? facts_.definition(graph) : nullptr;
    const BuildGraph* build = made != nullptr ? as<BuildGraph>(made) : nullptr;
    return time != nullptr && build != nullptr && build->order == RowOrder::Target ? build : nullptr;
  }

  /// True if the items may come in another order: yielded values are added up or compared, or fill a list that begins
  /// and ends with an item.
  bool any_order(const For& loop, const std::unordered_set<const Var*>& inside) const {
    bool any = true;
    for_each_stmt(*loop.body, [&](const Stmt& stmt) {
      const Yield* yield = as<Yield>(&stmt);
      if (yield == nullptr || inside.contains(yield->sink)) return;
      const Sink* sink = uses_.sink(yield->sink);
      any = any && sink != nullptr && sink->kind != SinkKind::List;
    });
    return any;
  }

  bool sliced(const For& loop, Stmts& out) {
    const Var* time = nullptr;
    const BuildGraph* build = walked(loop, time);
    Guarded guarded;
    if (build == nullptr || !is_guarded(loop, guarded)) return false;
    inside_ = bound_in(loop);
    const auto traps = [&](const Stmt* let) { return may_trap(facts_, *let); };
    if (!any_order(loop, inside_) || std::ranges::any_of(guarded.lets, traps)) return false;
    Times times;
    std::vector<const Expr*> left;
    bool safe = true;
    for (const Expr* part : conjuncts(guarded.branch->cond)) {
      if (safe && bounds(part, time, times)) continue;
      left.push_back(part);
      safe = safe && !facts_.may_trap(part);
    }
    if (times.above.empty() && times.least.empty() && times.below.empty() && times.most.empty()) return false;
    context_.count("slices by time");
    emit(loop, *build, times, body_of(guarded, left), out);
    return true;
  }

  const Block* body_of(const Guarded& guarded, const std::vector<const Expr*>& left) {
    Stmts body = guarded.lets;
    const Block* then_body = guarded.branch->then_body;
    if (left.empty()) {
      body.insert(body.end(), then_body->body.begin(), then_body->body.end());
    } else {
      body.push_back(builder().branch(conjunction(builder(), left), then_body));
    }
    return builder().block(body);
  }

  /// True if `e` has one value for all items of the loop, and always has one.
  bool is_outer(const Expr* e) const { return !reads(*e, inside_) && !facts_.may_trap(e); }

  /// A sum or difference of two ints that are the same for all items.
  std::optional<Shifted> shifted(const Expr* e) const {
    const bool sum = e->kind == Kind::Add || e->kind == Kind::Sub;
    if (!sum || !e->type->is_scalar(ScalarKind::I64)) return std::nullopt;
    if (!is_outer(e->operands[0]) || !is_outer(e->operands[1])) return std::nullopt;
    return Shifted{e->operands[0], e->operands[1], e->kind == Kind::Sub};
  }

  /// If the condition `part` bounds the time, adds the bound to `times`. True: `part` says no more than this bound.
  bool bounds(const Expr* part, const Var* time, Times& times) {
    if (part->kind != Kind::Lt && part->kind != Kind::Le && part->kind != Kind::Eq) return false;
    const bool strict = part->kind == Kind::Lt;
    for (const bool first : {true, false}) {
      const Expr* mine = part->operands[first ? 0 : 1];
      const Expr* other = part->operands[first ? 1 : 0];
      if (mine == time) {
        if (is_outer(other)) {
          if (first || part->kind == Kind::Eq) (strict ? times.below : times.most).push_back(other);
          if (!first || part->kind == Kind::Eq) (strict ? times.above : times.least).push_back(other);
          return true;
        }
        const std::optional<Shifted> sum = shifted(other);
        return sum.has_value() && part->kind != Kind::Eq && bounded(*sum, first, times) && !strict;
      }
      const bool difference = mine->kind == Kind::Sub && mine->type->is_scalar(ScalarKind::I64);
      if (!difference || part->kind == Kind::Eq || !is_outer(other)) continue;
      // time - x <= w says time <= x + w; x - time <= w says time >= x - w.
      if (mine->operands[0] == time && is_outer(mine->operands[1])) {
        return bounded({mine->operands[1], other, false}, first, times) && !strict;
      }
      if (mine->operands[1] == time && is_outer(mine->operands[0])) {
        return bounded({mine->operands[0], other, true}, !first, times) && !strict;
      }
    }
    return false;
  }

  /// Adds that the time is at most (`upper`) or at least x + w or x - w, as integers without limit. Of results beyond
  /// 64 bits on one side nothing is within the bounds, on the other side all.
  bool bounded(const Shifted& sum, bool upper, Times& times) {
    Builder& b = builder();
    const Op op = sum.minus ? Kind::Sub : Kind::Add;
    const Expr* plain = b.make(op, {sum.x, sum.w});
    std::vector<const Expr*>& bounds = upper ? times.most : times.least;
    if (!facts_.may_trap(plain)) {
      bounds.push_back(plain);
      return true;
    }
    const Expr* up = b.make(Kind::Max, {sum.w, b.integer(0)});
    const Expr* down = b.make(Kind::Min, {sum.w, b.integer(0)});
    // The largest and the least x for which the result fits.
    const Expr* largest = b.make(sum.minus ? Kind::Add : Kind::Sub, {b.integer(INT64_MAX), sum.minus ? down : up});
    const Expr* smallest = b.make(sum.minus ? Kind::Add : Kind::Sub, {b.integer(INT64_MIN), sum.minus ? up : down});
    times.only_if.push_back(upper ? b.make(Kind::Le, {smallest, sum.x}) : b.make(Kind::Le, {sum.x, largest}));
    const Expr* fits = b.make(Kind::Max, {b.make(Kind::Min, {sum.x, largest}), smallest});
    bounds.push_back(b.make(op, {fits, sum.w}));
    return true;
  }

  const Expr* all_of(Kind kind, const std::vector<const Expr*>& values) {
    const Expr* all = values[0];
    for (std::size_t i = 1; i < values.size(); ++i) all = builder().make(kind, {all, values[i]});
    return all;
  }

  /// The number of times that are at most `bound`, or below it.
  const Expr* position(const Expr* infos, const Expr* bound, bool at_most) {
    Builder& b = builder();
    if (!at_most) return b.make(Kind::LowerBound, {infos, bound});
    const Expr* above = b.make(Kind::Size, {b.make({Kind::Cut, Side::Upper}, {infos, bound})});
    return b.make(Kind::Sub, {b.make(Kind::Size, {infos}), above});
  }

  void emit(const For& loop, const BuildGraph& build, const Times& times, const Block* body, Stmts& out) {
    Builder& b = builder();
    const Var*& graph = by_time_[build.var];
    if (graph == nullptr) graph = b.var(b.context().graph(), std::string(build.var->hint) + "_by_time");
    const Expr* vertex = loop.lists[0]->operands[1];
    const Type* ints = b.context().list(std::vector<const Type*>{b.context().i64()});
    const Expr* infos = b.make(Kind::EdgeInfo, {graph, vertex}, ints);
    std::vector<const Expr*> begins, ends;
    if (!times.above.empty()) begins.push_back(position(infos, all_of(Kind::Max, times.above), true));
    if (!times.least.empty()) begins.push_back(position(infos, all_of(Kind::Max, times.least), false));
    if (!times.most.empty()) ends.push_back(position(infos, all_of(Kind::Min, times.most), true));
    if (!times.below.empty()) ends.push_back(position(infos, all_of(Kind::Min, times.below), false));
    if (begins.empty()) begins.push_back(b.integer(0));
    if (ends.empty()) ends.push_back(b.make(Kind::Size, {infos}));
    const Var* begin = b.var(b.context().i64(), "begin");
    const Var* end = b.var(b.context().i64(), "end");
    out.push_back(b.let(begin, all_of(Kind::Max, begins)));
    const Expr* last = all_of(Kind::Min, ends);
    const bool always = times.only_if.empty();
    out.push_back(
        b.let(end, always ? last : b.make(Kind::Select, {conjunction(b, times.only_if), last, b.integer(0)})));
    std::vector<const Var*> vars;
    std::vector<const Expr*> lists;
    for (std::size_t i = 0; i < loop.lists.size(); ++i) {
      // A list whose items are not read is not walked.
      if (!reads_in(*body, loop.vars[i]) && (!vars.empty() || i + 1 < loop.lists.size())) continue;
      const Expr* list = loop.lists[i]->kind == Kind::EdgeInfo ? infos : b.make(Kind::Neighbors, {graph, vertex});
      vars.push_back(loop.vars[i]);
      lists.push_back(b.make(Kind::Span, {list, begin, end}));
    }
    out.push_back(b.loop(vars, lists, nullptr, body));
  }

  static bool reads_in(const Block& body, const Var* var) {
    bool found = false;
    for_each_stmt(
        body, [&](const Stmt& stmt) { for_each_expr(stmt, [&](const Expr& e) { found = found || reads(e, {var}); }); });
    return found;
  }

  Facts facts_;
  Uses uses_;
  PassContext& context_;
  std::unordered_map<const Var*, const Var*> by_time_;  ///< Of a graph the same with its edges by time.
  std::unordered_set<const Var*> inside_;               ///< Bound by the loop that is looked at.
  int depth_ = 0;                                       ///< Loops around the statement.
};

}  // namespace

Module restrict_times(const Module& module, PassContext& context) { return TimeSlicer(module, context).run_on(module); }

}  // namespace matcha::passes
