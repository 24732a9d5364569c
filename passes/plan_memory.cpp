#include "passes/plan_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "ir/analysis/facts.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/exprs.h"
#include "passes/sort_lists.h"

namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

class MemoryPlanner {
 public:
  MemoryPlanner(const Module& module, PassContext& context)
      : module_(module), facts_(module), context_(context), builder_(context.context) {}

  Module run() {
    Stmts out;
    emit_into(out, [&] {
      for (const Stmt* stmt : module_.body->body) this->stmt(*stmt);
    });
    Module result = module_;
    result.stage = Stage::Kernel;
    result.body = builder_.block(out);
    return result;
  }

 private:
  using Vars = std::unordered_set<const Var*>;

  template <typename F>
  void emit_into(Stmts& out, F&& emit) {
    Stmts* outer = std::exchange(out_, &out);
    stored_.emplace_back();
    emit();
    stored_.pop_back();
    out_ = outer;
  }

  const Block* block(const Block& b) {
    Stmts out;
    emit_into(out, [&] {
      for (const Stmt* stmt : b.body) this->stmt(*stmt);
    });
    builder_.set_loc(b.loc);
    return builder_.block(out);
  }

  void emit(const Stmt* stmt) { out_->push_back(stmt); }

  // Statements

  void stmt(const Stmt& s) {
    builder_.set_loc(s.loc);
    match(
        s,
        [&](const Block& b) {
          for (const Stmt* inner : b.body) stmt(*inner);
        },
        [&](const Let& l) { let(l.var, l.value); },
        [&](const For& f) { in_region_ ? emit(loop(f)) : without_sinks(f); },
        [&](const If& i) { in_region_ ? branch(i) : without_sinks(i); },
        [&](const Collect& c) { in_region_ ? collect(c) : regions(c); }, [&](const Yield& y) { yield(y); },
        [&](const BuildGraph& b) { build(b); }, [&](const Return& r) { emit(builder_.ret(values(r.values))); },
        [&](const Repeat& r) { emit(builder_.repeat(r.vars, values(r.starts), scalar(r.times))); },
        [&](const Again& a) { emit(builder_.again(a.vars, values(a.values), a.until_equal)); },
        [](const OneOf<Region, Store> auto&) { MATCHA_UNREACHABLE("stage loop"); });
  }

  void let(const Var* var, const Expr* value) {
    if (!value->type->is_list()) return emit(builder_.let(var, scalar(value)));
    if (!flat(*var->type, value->loc)) return;
    if (is_set_op(value->kind)) return store(var, value);
    switch (value->kind) {
      case Kind::Sorted:
        if (facts_.list(value->operands[0]).ascending) return let(var, value->operands[0]);
        [[fallthrough]];
      case Kind::BitRows:
      case Kind::Keyed:
      case Kind::Sequence: return store(var, value);
      case Kind::Select: return choose(var, value);
      case Kind::Literal: return store_literal(var, value);
      default: return emit(builder_.let(var, view(value)));
    }
  }

  const For* loop(const For& s) {
    std::vector<const Expr*> lists = views(s.lists);
    const Block* body = block(*s.body);
    builder_.set_loc(s.loc);
    return builder_.loop(s.vars, lists, s.maybe_index, body);
  }

  void branch(const If& s) {
    const Expr* cond = scalar(s.cond);
    const Block* then_body = block(*s.then_body);
    const Block* else_body = s.maybe_else != nullptr ? block(*s.maybe_else) : nullptr;
    builder_.set_loc(s.loc);
    emit(builder_.branch(cond, then_body, else_body));
  }

  void collect(const Collect& s) {
    std::vector<Sink> sinks(s.sinks.begin(), s.sinks.end());
    for (Sink& sink : sinks) {
      if (sink.kind != SinkKind::List) continue;
      if (flat(*sink.var->type, s.loc)) sink.maybe_buffer = buffer(sink.var, facts_.bound(builder_, sink.var), s.loc);
    }
    const Block* body = block(*s.body);
    builder_.set_loc(s.loc);
    emit(builder_.collect(sinks, body));
  }

  void yield(const Yield& s) {
    if (s.sink->type->is_list() && !flat(*s.sink->type, s.loc)) return;
    std::vector<const Expr*> yielded = values(s.values);
    builder_.set_loc(s.loc);
    emit(builder_.yield(s.sink, yielded));
  }

  void build(const BuildGraph& s) {
    const Expr* edges = view(s.edges);
    const Expr* labels = s.maybe_labels != nullptr ? view(s.maybe_labels) : nullptr;
    const Expr* info = s.maybe_info != nullptr ? view(s.maybe_info) : nullptr;
    builder_.set_loc(s.loc);
    emit(builder_.build_graph(s.var, edges, labels, info, s.index, s.order));
  }

  // Regions

  /// The regions of a collect at top level: one for each group of statements that share a sink.
  void regions(const Collect& s) {
    std::vector<const Stmt*> work;
    run_once(*s.body, work);
    std::vector<Sink> left(s.sinks.begin(), s.sinks.end());
    for (const Sink& sink : left) {
      if (sink.kind == SinkKind::List) flat(*sink.var->type, s.loc);
    }
    // Statements without sinks are kept for their traps.
    std::vector<const Stmt*> idle;
    std::copy_if(work.begin(), work.end(), std::back_inserter(idle),
                 [](const Stmt* w) { return sinks_of(*w).empty(); });
    while (!left.empty()) {
      Vars sinks = {left.front().var};
      std::vector<const Stmt*> group = group_of(work, sinks);
      group.insert(group.end(), idle.begin(), idle.end());
      idle.clear();
      std::vector<Sink> taken;
      for (const Sink& sink : left) {
        if (sinks.contains(sink.var)) taken.push_back(sink);
      }
      std::erase_if(left, [&](const Sink& sink) { return sinks.contains(sink.var); });
      region(taken, group, s.loc);
    }
  }

  /// A statement of the top level without sinks is kept for its traps.
  void without_sinks(const Stmt& s) {
    const Sink idle{builder_.var(builder_.context().i64(), "idle"), SinkKind::Sum, nullptr};
    region({idle}, {&s}, s.loc);
  }

  /// Statements that run exactly once run before the regions; `work` receives the others.
  void run_once(const Block& body, std::vector<const Stmt*>& work) {
    for (const Stmt* inner : body.body) {
      if (inner->kind == Kind::Let || inner->kind == Kind::Collect) {
        stmt(*inner);
      } else if (const Block* nested = as<Block>(inner)) {
        run_once(*nested, work);
      } else if (const For* loop = chosen_loop(*inner)) {
        work.push_back(loop);
      } else {
        work.push_back(inner);
      }
    }
  }

  /// `if c { for x in l { … } }` as a loop over all of l or none of it, which can run in parallel; else null.
  const For* chosen_loop(const Stmt& s) {
    const If* branch = as<If>(&s);
    if (branch == nullptr || branch->maybe_else != nullptr || branch->then_body->body.size() != 1) return nullptr;
    const For* loop = as<For>(branch->then_body->body[0]);
    if (loop == nullptr || loop->lists.size() != 1 || facts_.may_trap(loop->lists[0])) return nullptr;
    builder_.set_loc(loop->loc);
    const Expr* list = loop->lists[0];
    const Expr* none = builder_.integer(0);
    const Expr* end = builder_.make(Kind::Select, {branch->cond, builder_.make(Kind::Size, {list}), none});
    const Expr* walked = builder_.make(Kind::Span, {list, none, end});
    return builder_.loop(loop->vars, {&walked, 1}, loop->maybe_index, loop->body);
  }

  static Vars sinks_of(const Stmt& stmt) {
    Vars sinks;
    Vars own;
    const auto visit = [&](const Stmt& s) {
      if (const Yield* yield = as<Yield>(&s)) sinks.insert(yield->sink);
      if (const Collect* collect = as<Collect>(&s)) {
        for (const Sink& sink : collect->sinks) own.insert(sink.var);
      }
    };
    for_each_stmt_of(stmt, visit);
    for (const Var* var : own) sinks.erase(var);
    return sinks;
  }

  /// The statements that fill `sinks`; adds the other sinks that they fill.
  static std::vector<const Stmt*> group_of(const std::vector<const Stmt*>& work, Vars& sinks) {
    std::vector<const Stmt*> group;
    std::size_t known = 0;
    do {
      known = sinks.size();
      group.clear();
      for (const Stmt* stmt : work) {
        Vars filled = sinks_of(*stmt);
        bool shares = std::any_of(filled.begin(), filled.end(), [&](const Var* var) { return sinks.contains(var); });
        if (!shares) continue;
        group.push_back(stmt);
        sinks.insert(filled.begin(), filled.end());
      }
    } while (sinks.size() != known);
    return group;
  }

  void region(const std::vector<Sink>& sinks, const std::vector<const Stmt*>& group, SourceLoc loc) {
    Schedule schedule;
    schedule.parallel = group.size() == 1 && group[0]->kind == Kind::For;
    schedule.split =
        schedule.parallel ? static_cast<std::uint32_t>(std::max<std::int64_t>(0, context_.option("split"))) : 0;
    std::vector<const Expr*> lists;
    if (schedule.parallel) lists = views(static_cast<const For*>(group[0])->lists);
    in_region_ = true;
    buffers_.clear();
    counters_ = nullptr;
    Stmts body;
    emit_into(body, [&] {
      if (schedule.parallel) {
        const For& outer = *static_cast<const For*>(group[0]);
        const Block* inner = block(*outer.body);
        builder_.set_loc(outer.loc);
        emit(builder_.loop(outer.vars, lists, outer.maybe_index, inner));
      } else {
        for (const Stmt* stmt : group) this->stmt(*stmt);
      }
    });
    in_region_ = false;
    builder_.set_loc(loc);
    const Collect* collect = builder_.collect(sinks, builder_.block(body));
    emit(builder_.region(schedule, buffers_, collect));
    context_.count(schedule.parallel ? "parallel regions" : "sequential regions");
  }

  // Expressions

  std::vector<const Expr*> views(std::span<const Expr* const> lists) {
    std::vector<const Expr*> result;
    for (const Expr* list : lists) result.push_back(view(list));
    return result;
  }

  std::vector<const Expr*> values(std::span<const Expr* const> exprs) {
    std::vector<const Expr*> result;
    for (const Expr* expr : exprs) result.push_back(expr->type->is_list() ? view(expr) : scalar(expr));
    return result;
  }

  const Expr* with_values(const Expr* e) {
    return e->operands.empty() ? e : builder_.with_operands(e, values(e->operands));
  }

  const Expr* scalar(const Expr* e) {
    if (is_lazy(e->kind)) return choice(e);
    if (ir::group_of(e->kind) == Group::ListFact) return of_list(e);
    return e->kind == Kind::CommonNeighbors ? tallied(e) : with_values(e);
  }

  /// A count that uses the counters of the worker, of which a region has one array.
  const Expr* tallied(const Expr* e) {
    if (!in_region_) return own_region(e);
    std::vector<const Expr*> operands = values(e->operands);
    if (counters_ == nullptr) {
      counters_ = builder_.var(builder_.context().list(builder_.context().vid()), "count-wedges");
      const Expr* capacity = builder_.make(Kind::Size, {builder_.make(Kind::Vertices, {e->operands[0]})});
      buffers_.push_back(Buffer{counters_, capacity, true});
    }
    builder_.set_loc(e->loc);
    const Var* found = builder_.var(e->type, "shared");
    emit(builder_.store(found, counters_, builder_.with_operands(e, operands)));
    return found;
  }

  /// A scalar `and`, `or` or `select`: becomes an `if` if an operand that is evaluated conditionally needs statements.
  const Expr* choice(const Expr* e) {
    const Expr* cond = scalar(e->operands[0]);
    std::vector<Stmts> stmts(e->operands.size());
    std::vector<const Expr*> operands = {cond};
    bool simple = true;
    for (std::size_t i = 1; i < e->operands.size(); ++i) {
      emit_into(stmts[i], [&] { operands.push_back(scalar(e->operands[i])); });
      simple = simple && stmts[i].empty();
    }
    if (!simple && e->type->is_scalar(ScalarKind::I128)) {
      // Values of 128 bits exist only at top level, where eager evaluation happens once.
      for (const Stmts& some : stmts) out_->insert(out_->end(), some.begin(), some.end());
      simple = true;
    }
    if (simple) return builder_.with_operands(e, operands);
    if (!in_region_) return own_region(e);
    builder_.set_loc(e->loc);
    Sink sink = choice_sink(e->type);
    const Var* result = sink.var;
    const auto branch_of = [&](std::size_t i) {
      const Expr* value = operands[i];
      stmts[i].push_back(builder_.yield(result, {&value, 1}));
      return builder_.block(stmts[i]);
    };
    const Expr* yes = builder_.boolean(true);
    const Stmt* known = builder_.yield(result, {&yes, 1});
    const Stmt* branch = nullptr;
    if (e->kind == Kind::And) {
      branch = builder_.branch(cond, branch_of(1));
    } else if (e->kind == Kind::Or) {
      branch = builder_.branch(cond, builder_.block({&known, 1}), branch_of(1));
    } else {
      branch = builder_.branch(cond, branch_of(1), branch_of(2));
    }
    emit(builder_.collect({&sink, 1}, builder_.block({&branch, 1})));
    return result;
  }

  /// A sink whose value is the single value yielded into it.
  Sink choice_sink(const Type* type) {
    return {builder_.var(type, "choice"), type->is_scalar(ScalarKind::Bool) ? SinkKind::Any : SinkKind::Min, nullptr};
  }

  /// `e` with names for values computed from 128-bit ones, because regions cannot read those.
  const Expr* without_wide(const Expr* e) {
    if (in_region_ || !reads_wide(*e)) return e;
    bool choice = is_lazy(e->kind) || e->kind == Kind::Literal;
    if (choice || e->type->is_list()) {
      std::vector<const Expr*> operands;
      for (const Expr* operand : e->operands) operands.push_back(without_wide(operand));
      return builder_.with_operands(e, operands);
    }
    const Expr* value = scalar(e);
    builder_.set_loc(e->loc);
    const Var* var = builder_.var(e->type, "value");
    emit(builder_.let(var, value));
    return var;
  }

  /// A scalar at top level whose statements need a region.
  const Expr* own_region(const Expr* given) {
    const Expr* e = without_wide(given);
    Sink sink = choice_sink(e->type);
    sequential_region(sink, [&] {
      const Expr* value = scalar(e);
      emit(builder_.yield(sink.var, {&value, 1}));
    });
    return sink.var;
  }

  template <typename F>
  void sequential_region(const Sink& sink, F&& fill) {
    in_region_ = true;
    buffers_.clear();
    counters_ = nullptr;
    Stmts body;
    emit_into(body, fill);
    in_region_ = false;
    emit(builder_.region(Schedule{false, 0, 1}, buffers_, builder_.collect({&sink, 1}, builder_.block(body))));
  }

  /// A slice of a choice as a choice of slices; other lists are returned unchanged.
  const Expr* distributed(const Expr* e) {
    if (!is_slice(e->kind)) return e;
    const Expr* list = distributed(e->operands[0]);
    if (list->kind != Kind::Select) return e;
    std::vector<const Expr*> operands(e->operands.begin(), e->operands.end());
    operands[0] = list->operands[1];
    const Expr* first = builder_.with_operands(e, operands);
    operands[0] = list->operands[2];
    return builder_.make(Kind::Select, {list->operands[0], first, builder_.with_operands(e, operands)});
  }

  /// `size`, `contains`, `lower_bound`, `at`: the list is read in place, or only counted.
  const Expr* of_list(const Expr* e) {
    const Expr* list = distributed(e->operands[0]);
    const auto over = [&](const Expr* other) {
      std::vector<const Expr*> operands(e->operands.begin(), e->operands.end());
      operands[0] = other;
      return builder_.with_operands(e, operands);
    };
    builder_.set_loc(e->loc);
    if (list->kind == Kind::Select) {
      return scalar(builder_.make(Kind::Select, {list->operands[0], over(list->operands[1]), over(list->operands[2])}));
    }
    bool order_is_lost = e->kind == Kind::Size || e->kind == Kind::Contains;
    if (list->kind == Kind::Sorted && order_is_lost) return scalar(over(list->operands[0]));
    bool set_operation = is_set_op(list->kind) && !list->type->bits;
    if (set_operation && e->kind == Kind::Size) return over(computed(list));
    if (set_operation && e->kind == Kind::Contains) {
      const Expr* both = looked_up_in_both(builder_, facts_, list, [&](const Expr* operand, bool negated) {
        return negated ? builder_.make(Kind::Not, {over(operand)}) : over(operand);
      });
      if (both != nullptr) return scalar(both);
    }
    std::vector<const Expr*> operands = {e->kind == Kind::Contains ? searchable(list) : view(list)};
    for (const Expr* operand : e->operands.subspan(1)) operands.push_back(scalar(operand));
    return builder_.with_operands(e, operands);
  }

  /// A set operation over allowed operands: slices, stored sets, and a literal as the second.
  const Expr* computed(const Expr* e) {
    if (e->kind == Kind::Sequence) return with_values(e);
    bool rows = e->type->is_bit_rows();
    std::vector<const Expr*> operands = {rows ? e->operands[0] : view(e->operands[0])};
    if (e->operands.size() == 2) operands.push_back(rows ? view(e->operands[1]) : searchable(e->operands[1]));
    return builder_.with_operands(e, operands);
  }

  /// A list for look-ups: a short literal, or a view that ascends.
  const Expr* searchable(const Expr* list) {
    if (list->kind == Kind::Literal && static_cast<std::int64_t>(list->operands.size()) <= context_.option("literal")) {
      return builder_.with_operands(list, values(list->operands));
    }
    if (facts_.list(list).ascending) return view(list);
    builder_.set_loc(list->loc);
    return view(builder_.make(Kind::Sorted, {list}));
  }

  /// A list that is available without computation; others are stored before.
  const Expr* view(const Expr* e) {
    switch (ir::group_of(e->kind)) {
      case Group::Slice: {
        const Expr* chosen = distributed(e);
        if (chosen != e) return view(chosen);
        std::vector<const Expr*> operands(e->operands.begin(), e->operands.end());
        return builder_.with_operands(e, values(operands));
      }
      case Group::SetOp: return e->type->bits ? computed(e) : named(e);
      case Group::Reorder:
        if (e->kind == Kind::Flatten) {
          nested(e->loc);
          return e;
        }
        return e->kind == Kind::Sorted && facts_.list(e->operands[0]).ascending ? view(e->operands[0]) : named(e);
      case Group::Choice:
      case Group::Literal: return named(e);
      case Group::Leaf:
      case Group::Arithmetic:
      case Group::Comparison:
      case Group::Logic:
      case Group::Extremum:
      case Group::Conversion:
      case Group::ListFact:
      case Group::GraphFact:
      case Group::GraphList:
      case Group::Bits:
      case Group::Statement: break;
    }
    return with_values(e);
  }

  /// The stored list of `e`, stored once for all uses below the place of its first use.
  const Expr* named(const Expr* e) {
    for (const auto& scope : stored_) {
      if (const auto found = scope.find(e); found != scope.end()) return found->second;
    }
    builder_.set_loc(e->loc);
    const Var* var = builder_.var(e->type, e->kind == Kind::Literal ? "items" : "set");
    let(var, e);
    stored_.back()[e] = var;
    return var;
  }

  // Stores

  void store(const Var* var, const Expr* value) { keep(var, computed(value), value); }

  /// Binds `var` to `value`, whose operands are ready; `original` gives the bound.
  void keep(const Var* var, const Expr* value, const Expr* original) {
    builder_.set_loc(original->loc);
    if (!in_region_) return emit(builder_.let(var, value));
    const Var* place = buffer(var, facts_.bound(builder_, original), original->loc);
    builder_.set_loc(original->loc);
    emit(builder_.store(var, place, value));
    context_.count("stores");
  }

  void choose(const Var* var, const Expr* value) {
    const std::uint32_t keys = value->type->keys;
    if (keys == 0 && (!value->type->is_set() || !facts_.list(value).ascending)) return copy_choice(var, value);
    // A list copied by a choice is not known to ascend, and is no table.
    builder_.set_loc(value->loc);
    const Var* items = builder_.var(builder_.context().list(value->type->columns), "chosen");
    copy_choice(items, value);
    keep(var, keys != 0 ? builder_.keyed(Fold::Max, items, keys) : builder_.make(Kind::Sorted, {items}), value);
  }

  void copy_choice(const Var* var, const Expr* given) {
    const Expr* value = without_wide(given);
    fill(var, value, [&] {
      const Expr* cond = scalar(value->operands[0]);
      const Block* first = copy_into(var, value->operands[1]);
      const Block* second = copy_into(var, value->operands[2]);
      emit(builder_.branch(cond, first, second));
    });
  }

  const Block* copy_into(const Var* sink, const Expr* list) {
    Stmts out;
    emit_into(out, [&] {
      const Expr* items = view(list);
      std::vector<const Var*> columns;
      for (const Type* column : list->type->columns) columns.push_back(builder_.var(column, "x"));
      std::vector<const Expr*> row(columns.begin(), columns.end());
      const Stmt* yield = builder_.yield(sink, row);
      emit(builder_.loop(columns, {&items, 1}, nullptr, builder_.block({&yield, 1})));
    });
    return builder_.block(out);
  }

  void store_literal(const Var* var, const Expr* given) {
    const Expr* value = without_wide(given);
    fill(var, value, [&] {
      std::vector<const Expr*> items = values(value->operands);
      std::size_t columns = value->type->columns.size();
      for (std::size_t i = 0; i < items.size(); i += columns) {
        emit(builder_.yield(var, std::span<const Expr* const>(&items[i], columns)));
      }
    });
  }

  /// A collect into the single list `var`, which gets the items of `original`.
  template <typename F>
  void fill(const Var* var, const Expr* original, F&& yields) {
    builder_.set_loc(original->loc);
    Sink sink{var, SinkKind::List, nullptr};
    if (!in_region_) return sequential_region(sink, yields);
    sink.maybe_buffer = buffer(var, facts_.bound(builder_, original), original->loc);
    Stmts body;
    emit_into(body, yields);
    emit(builder_.collect({&sink, 1}, builder_.block(body)));
  }

  const Var* buffer(const Var* var, const Expr* capacity, SourceLoc loc) {
    if (capacity == nullptr) {
      context_.diagnostics.error(DiagId::UnboundedList, loc, "this list must be stored, and nothing bounds its size",
                                 "count it with `size` or `sum`, or build it over a list whose size is known");
      capacity = builder_.integer(0);
    }
    const Var* place = builder_.var(var->type, fmt::format("{}_buffer", var->hint.empty() ? "set" : var->hint));
    buffers_.push_back(Buffer{place, capacity});
    return place;
  }

  // Errors

  bool flat(const Type& type, SourceLoc loc) {
    bool stored = type.is_flat_list() || type.bits || type.is_bit_rows();
    if (!stored) nested(loc);
    return stored;
  }

  void nested(SourceLoc loc) {
    context_.diagnostics.error(DiagId::StoredNest, loc, "a list of lists would have to be stored here",
                               "join the inner lists with `flatten`, or reduce each with `size`, `sum`, `any`, …");
  }

  const Module& module_;
  Facts facts_;
  PassContext& context_;
  Builder builder_;
  Stmts* out_ = nullptr;
  std::vector<std::unordered_map<const Expr*, const Expr*>> stored_;  ///< By scope, innermost last.
  std::vector<Buffer> buffers_;
  const Var* counters_ = nullptr;  ///< The counters of the region, if it needs them.
  bool in_region_ = false;
};

}  // namespace

Module plan_memory(const Module& module, PassContext& context) {
  Module sorted = sort_lists(module, context);
  std::size_t errors = context.diagnostics.error_count();
  Module planned = MemoryPlanner(sorted, context).run();
  return context.diagnostics.error_count() == errors ? planned : module;
}

}  // namespace matcha::passes
