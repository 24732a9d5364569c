#include "ir/analysis/nests.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/analysis/first_items.h"
#include "ir/analysis/nest_reader.h"
#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::ir {

namespace {

using TermKind = Term::Kind;

bool is_positive(const Expr& value) {
  if (value.kind == Kind::Convert) return is_positive(*value.operands[0]);
  return value.kind == Kind::ConstInt && as<ConstInt>(&value)->value > 0;
}

}  // namespace

NestReader::NestReader(const Module& module, const std::vector<std::string>* maybe_labels, bool has_arcs)
    : module_(module), facts_(module), has_arcs_(has_arcs), is_labelled_(maybe_labels != nullptr) {
  for (std::size_t i = 0; i < module.params.size(); ++i) {
    if (is_labelled_ && !(*maybe_labels)[i].empty()) labels_.emplace(module.params[i], (*maybe_labels)[i]);
  }
}

ModuleNests NestReader::run() {
  for (const Var* param : module_.params) {
    if (param->type->is_list()) give_up("a list is read", param->loc);
    if (!param->type->is_graph()) continue;
    const bool is_other = labels_.contains(param);
    if (!is_other && graph_ != nullptr) give_up("there are several graphs", param->loc);
    if (!is_other) graph_ = param;
    const bool is_simple = facts_.simple(param) && facts_.loop_free(param);
    if (!is_simple && (is_other || !is_labelled_))
      give_up("edges may carry information, or no row of the graph is read", {});
  }
  if (graph_ == nullptr) give_up("no graph is read", {});
  walk(*module_.body);
  for (SinkNests& sink : found_.sinks) {
    for (Nest& nest : sink.expanded) drop_first_items(nest, next_item_);
    check_orders(sink);
  }
  found_.item_count = next_item_;
  return std::move(found_);
}

Term NestReader::give_up(std::string_view why, SourceLoc loc) {
  if (!failed()) {
    found_.problem = why;
    found_.loc = loc;
  }
  return Term{};
}

bool NestReader::may_go_on(SourceLoc loc) {
  if (++steps_ > kMostSteps || depth_ > kDeepest) give_up("the program is too large", loc);
  return !failed();
}

bool NestReader::may_copy(const std::vector<Nest>& nests, SourceLoc loc) {
  for (const Nest& nest : nests) parts_ += size_of(nest);
  if (parts_ > kMostParts) give_up("the program is too large", loc);
  return !failed();
}

/// True if `expr` may end with an error other than overflow.
bool NestReader::may_fail(const Expr& expr) {
  if (look_up_of(expr) != nullptr) return false;  // Its keys are vertices.
  if (std::ranges::any_of(expr.operands, [&](const Expr* operand) { return may_fail(*operand); })) return true;
  switch (expr.kind) {
    case Kind::Add:
    case Kind::Sub:
    case Kind::Mul:
    case Kind::Neg:
    case Kind::Keyed:
    case Kind::CommonNeighbors: return false;
    case Kind::At: {
      const Expr* const list = list_of_first(&expr);
      return facts_.may_trap(&expr) && (list == nullptr || !has_item(list));
    }
    case Kind::Div:
    case Kind::Mod: return !is_positive(*expr.operands[1]) && facts_.may_trap(&expr);
    default: return ir::may_trap(expr.kind) && facts_.may_trap(&expr);
  }
}

/// Reports a trap in an item that might be excluded later: such an item must not end the run.
void NestReader::check_trap(const Expr& expr) {
  if (may_fail(expr)) give_up("a step may end with an error before it is known whether it counts", expr.loc);
}

void NestReader::walk(const Block& block) {
  for (const Stmt* stmt : block.body) {
    if (!may_go_on(stmt->loc)) return;
    match(
        *stmt, [&](const Let& s) { check_trap(*s.value); }, [&](const For& s) { walk_for(s); },
        [&](const If& s) { walk_if(s); }, [&](const Collect& s) { walk_collect(s); },
        [&](const Yield& s) { walk_yield(s); },
        [&](const Return& s) {
          for (const Expr* value : s.values) {
            if (!value->type->is_scalar()) give_up("the result is a list, whose order shows", s.loc);
            read(value);
          }
        },
        [&](const BuildGraph& s) { walk_graph(s); },
        [&](const OneOf<Repeat, Again> auto& s) { give_up("steps are repeated", s.loc); },
        [&](const OneOf<Block, Region, Store> auto& s) { give_up("a step is of another stage", s.loc); });
  }
}

void NestReader::walk_for(const For& loop) {
  if (loop.maybe_index != nullptr) give_up("a position in a list is read", loop.loc);
  if (failed()) return;
  ++loops_;
  const Expr* list = resolve(facts_, loop.lists[0]);
  if (loop.lists.size() != 1) {
    walk_in_step(loop);
  } else if (list->kind == Kind::Edges || is_vertex_set(list)) {
    const std::size_t items = items_.size();
    const std::size_t conditions = conditions_.size();
    walk_source(list);
    for (std::size_t i = 0; i < loop.vars.size(); ++i) item_of_[loop.vars[i]] = items_[items + i];
    walk(*loop.body);
    items_.resize(items);
    conditions_.resize(conditions);
  } else if (const std::optional<std::vector<Row>> rows = rows_of(list)) {
    walk_rows(loop, *rows);
  } else {
    give_up("a list of other things than vertices is walked", loop.loc);
  }
  --loops_;
}

void NestReader::walk_graph(const BuildGraph& build) {
  const auto sink = sinks_.find(as<Var>(resolve(facts_, build.edges)));
  const bool is_plain = build.maybe_labels == nullptr && build.maybe_info == nullptr;
  if (!is_plain || sink == sinks_.end() || !sink->second.top || !sink->second.is_of_vertices ||
      !built_.add(build.var, sink->second.nests)) {
    give_up("a graph is built of other edges than those in the direction of an order", build.loc);
  }
}

/// Reports a sink with two orders, each of which depends on the other. The expanded nests may have one alone.
void NestReader::check_orders(SinkNests& sink) {
  const auto has_one = [](const std::vector<Nest>& nests) {
    std::set<std::string> orders;
    for (const Nest& nest : nests) {
      for (const Term& condition : nest.conditions) add_orders(condition, orders);
      add_orders(nest.value, orders);
    }
    return orders.size() < 2;
  };
  if (has_one(sink.nests)) return;
  if (sink.expanded.empty() || !has_one(sink.expanded)) {
    give_up("vertices are compared by id and by their numbers of neighbours", sink.loc);
  }
  sink.nests = sink.expanded;
}

void NestReader::walk_if(const If& branch) {
  const Term condition = read(branch.cond);
  check_trap(*branch.cond);
  conditions_.push_back(condition);
  walk(*branch.then_body);
  if (branch.maybe_else != nullptr) {
    conditions_.back() = Term::of(TermKind::Not, {condition});
    walk(*branch.maybe_else);
  }
  conditions_.pop_back();
}

void NestReader::walk_collect(const Collect& collect) {
  for (const Sink& sink : collect.sinks) {
    OpenSink& open = sinks_[sink.var] = OpenSink{};  // A loop over several kinds of rows comes here for each.
    open.kind = sink.kind;
    open.top = loops_ == 0 && conditions_.empty();
    open.items = items_.size();
    open.conditions = conditions_.size();
    if (open.top && sink.kind != SinkKind::List) {
      top_.emplace(sink.var, found_.sinks.size());
      found_.sinks.push_back(SinkNests{collect.loc, sink.var, {}, {}});
    }
  }
  walk(*collect.body);
  for (const Sink& sink : collect.sinks) {
    if (sink.kind == SinkKind::List) sinks_[sink.var].maybe_source = source_of(collect, sink.var);
  }
}

void NestReader::walk_yield(const Yield& yield) {
  OpenSink& sink = sinks_[yield.sink];
  if (sink.kind == SinkKind::List) return yield_row(yield, sink);
  const auto result = top_.find(yield.sink);
  if (result == top_.end()) {
    for (const Expr* value : yield.values) check_trap(*value);
    Nest nest = nest_of(sink, Product{});
    nest.value = read(yield.values[0]);
    sink.nests.push_back(std::move(nest));
    expand_yield(yield, sink, sink.expanded);
    return;
  }
  SinkNests& found = found_.sinks[result->second];
  const Expr* value = yield.values[0];
  const bool adds = sink.kind == SinkKind::Sum;
  std::vector<Product> products;
  if (!adds || !expand(value, false, products)) products = {Product{Nest::kOne, {}, {}, {read(value)}, {}}};
  for (const Product& product : products) found.nests.push_back(nest_of(sink, product));
  expand_yield(yield, sink, found.expanded);
}

/// Adds the nests of a yield with its value multiplied out; if that is impossible, the sum has none.
void NestReader::expand_yield(const Yield& yield, OpenSink& sink, std::vector<Nest>& out) {
  std::vector<Product> products;
  const bool adds = sink.kind == SinkKind::Sum && !sink.is_opaque && !may_fail(*yield.values[0]);
  sink.is_opaque = !adds || !expand(yield.values[0], true, products);
  for (const Product& product : products) out.push_back(nest_of(sink, product));
  if (sink.is_opaque) out.clear();
}

/// The surrounding nest of a yield into `sink`, with the value `product`.
Nest NestReader::nest_of(const OpenSink& sink, const Product& product) const {
  Nest nest;
  nest.items.assign(items_.begin() + static_cast<std::ptrdiff_t>(sink.items), items_.end());
  nest.items.insert(nest.items.end(), product.items.begin(), product.items.end());
  nest.conditions.assign(conditions_.begin() + static_cast<std::ptrdiff_t>(sink.conditions), conditions_.end());
  nest.conditions.insert(nest.conditions.end(), product.conditions.begin(), product.conditions.end());
  nest.vanishing = product.vanishing;
  drop_presences(nest.conditions, nest.vanishing);
  drop_implied_joins(nest.conditions);
  nest.weight = product.weight;
  nest.value = product.factors.empty()       ? Term::constant("1")
               : product.factors.size() == 1 ? product.factors[0]
                                             : Term::operation("*", product.factors);
  return nest;
}

ModuleNests read_nests(const Module& module, const std::vector<std::string>* maybe_labels, bool has_arcs) {
  return NestReader(module, maybe_labels, has_arcs).run();
}

}  // namespace matcha::ir
