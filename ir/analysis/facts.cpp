#include "ir/analysis/facts.h"

#include <algorithm>

#include "ir/analysis/bits.h"
#include "ir/analysis/blocks.h"
#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::ir {

namespace {

/// Upper bound of list lengths: arcs are counted in 40 bits (a graph of 2^40 arcs needs 4 TiB for its neighbours
/// alone).
constexpr std::int64_t kLongestList = std::int64_t{1} << 40;

Range clamp(__int128 low, __int128 high) {
  const auto cut = [](__int128 v) { return static_cast<std::int64_t>(std::clamp<__int128>(v, INT64_MIN, INT64_MAX)); };
  return {cut(low), cut(high)};
}

/// Upper bound for lists of vertices without repeats: ranks have 32 bits, of which two values are reserved.
constexpr std::int64_t kMostVertices = (std::int64_t{1} << 32) - 2;

bool overflows(__int128 low, __int128 high) { return low < INT64_MIN || high > INT64_MAX; }

struct Wide {
  __int128 low;
  __int128 high;
};

Wide apply(Arithmetic operation, Range a, Range b) {
  switch (operation) {
    case Arithmetic::Add: return {__int128{a.low} + b.low, __int128{a.high} + b.high};
    case Arithmetic::Sub: return {__int128{a.low} - b.high, __int128{a.high} - b.low};
    case Arithmetic::Mul: {
      __int128 corners[] = {__int128{a.low} * b.low, __int128{a.low} * b.high, __int128{a.high} * b.low,
                            __int128{a.high} * b.high};
      return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
    }
    case Arithmetic::Div:
    case Arithmetic::Mod: break;
  }
  MATCHA_UNREACHABLE("a sum, a difference or a product");
}

/// The only yield that fills a sink, and the loops between the collect and it, outermost first.
struct Filled {
  std::vector<const For*> loops;
  const Yield* yield = nullptr;
  bool single = true;  ///< False: several yields.
};

void find_fill(const Block& block, const Var* sink, std::vector<const For*>& loops, Filled& filled) {
  for (const Stmt* stmt : block.body) {
    match(
        *stmt,
        [&](const Yield& y) {
          if (y.sink != sink) return;
          filled.single = filled.yield == nullptr;
          filled.yield = &y;
          filled.loops = loops;
        },
        [&](const For& f) {
          loops.push_back(&f);
          find_fill(*f.body, sink, loops, filled);
          loops.pop_back();
        },
        [&](const OneOf<Block, If, Collect> auto& s) {
          for_each_block(s, [&](const Block& inner) { find_fill(inner, sink, loops, filled); });
        },
        [](const OneOf<Let, BuildGraph, Repeat, Again, Return, Region, Store> auto&) {});
  }
}

}  // namespace

Facts::Facts(const Module& module) : module_(module) {
  for (const Var* param : module.params) top_level_.insert(param);
  for_each_stmt(*module.body,
                [&](const Stmt& stmt) { for_each_binding(stmt, [&](const Var& var) { definitions_[&var] = &stmt; }); });
  for (const Stmt* stmt : module.body->body) {
    if (stmt->kind != Kind::For) for_each_binding(*stmt, [&](const Var& var) { top_level_.insert(&var); });
    if (const Region* region = as<Region>(stmt)) {
      for (const Sink& sink : region->collect->sinks) top_level_.insert(sink.var);
    }
  }
  prepare(*module.body);
}

const Var* Facts::graph_root(const Expr* graph) const { return as<Var>(resolve(*this, graph)); }

void Facts::prepare(const Block& block) {
  for (const Stmt* stmt : block.body) {
    const Region* const region = as<Region>(stmt);
    for_each_block(region != nullptr ? *region->collect : *stmt, [this](const Block& inner) { prepare(inner); });
    const auto find = [&](const Var& var) {
      if (var.type->is_list()) list(&var);
      if (var.type->is_scalar(ScalarKind::I64)) range(&var);
    };
    for_each_binding(*stmt, find);
    if (region != nullptr) for_each_binding(*region->collect, find);
  }
}

const Stmt* Facts::definition(const Var* var) const {
  const auto found = definitions_.find(var);
  return found == definitions_.end() ? nullptr : found->second;
}

bool Facts::simple(const Expr* graph) const {
  const Var* var = graph_root(graph);
  if (var == nullptr) return false;
  const Stmt* stmt = definition(var);
  if (stmt == nullptr) return assumes(module_, {AssumptionKind::Simple, var});
  const BuildGraph* build = as<BuildGraph>(stmt);
  return build != nullptr && list(build->edges).unique;
}

bool Facts::labelled(const Expr* graph) const {
  const Var* var = graph_root(graph);
  return var != nullptr && assumes(module_, {AssumptionKind::Labelled, var});
}

bool Facts::has_rows(const Expr* graph) const {
  const Var* var = graph_root(graph);
  if (var == nullptr) return false;
  const Stmt* stmt = definition(var);
  if (stmt == nullptr) return true;
  const BuildGraph* build = as<BuildGraph>(stmt);
  return build != nullptr && build->index == GraphIndex::Csr;
}

RowOrder Facts::order(const Expr* graph) const {
  const Var* var = graph_root(graph);
  const Stmt* stmt = var != nullptr ? definition(var) : nullptr;
  const BuildGraph* build = stmt != nullptr ? as<BuildGraph>(stmt) : nullptr;
  return build != nullptr ? build->order : RowOrder::Target;
}

bool Facts::loop_free(const Expr* graph) const {
  const Var* var = graph_root(graph);
  if (var == nullptr) return false;
  const Stmt* stmt = definition(var);
  if (stmt == nullptr) return assumes(module_, {AssumptionKind::LoopFree, var});
  const BuildGraph* build = as<BuildGraph>(stmt);
  const Yield* arc = build != nullptr ? arc_of(*build) : nullptr;
  if (arc == nullptr) return false;
  const Expr* forth = graph_of_walk(arc->values[0], arc->values[1]);
  const Expr* back = graph_of_walk(arc->values[1], arc->values[0]);
  return (forth != nullptr && loop_free(forth)) || (back != nullptr && loop_free(back));
}

const Var* Facts::supergraph(const Expr* graph) const {
  const Var* var = graph_root(graph);
  if (var == nullptr) return nullptr;
  const Stmt* stmt = definition(var);
  if (stmt == nullptr) return var;
  const BuildGraph* build = as<BuildGraph>(stmt);
  const Yield* arc = build != nullptr && list(build->edges).unique ? arc_of(*build) : nullptr;
  const Expr* walked = arc != nullptr ? graph_of_walk(arc->values[0], arc->values[1]) : nullptr;
  return walked != nullptr ? supergraph(walked) : nullptr;
}

/// The only yield of the arcs of a graph; null if there are several, or other sources.
const Yield* Facts::arc_of(const BuildGraph& build) const {
  const Var* edges = as<Var>(build.edges);
  const Stmt* made = edges != nullptr ? definition(edges) : nullptr;
  const Collect* collect = made != nullptr ? as<Collect>(made) : nullptr;
  if (const Region* region = made != nullptr ? as<Region>(made) : nullptr) collect = region->collect;
  if (collect == nullptr) return nullptr;
  Filled filled;
  std::vector<const For*> loops;
  find_fill(*collect->body, edges, loops, filled);
  return filled.single && filled.yield != nullptr && filled.yield->values.size() == 2 ? filled.yield : nullptr;
}

/// The graph in which `v` is the item of a walk over neighbours of `u`, or whose edges a walk binds to both; null if
/// there is none.
const Expr* Facts::graph_of_walk(const Expr* u, const Expr* v) const {
  const Var* item = as<Var>(v);
  const Stmt* stmt = item != nullptr ? definition(item) : nullptr;
  const For* loop = stmt != nullptr ? as<For>(stmt) : nullptr;
  if (loop == nullptr || loop->lists.size() != 1) return nullptr;
  const Expr* list = loop->lists[0];
  for (;;) {
    if (const Var* name = as<Var>(list)) {
      const Stmt* bound_by = definition(name);
      const Let* let = bound_by != nullptr ? as<Let>(bound_by) : nullptr;
      if (let == nullptr) return nullptr;
      list = let->value;
    } else if (is_slice(list->kind)) {
      list = list->operands[0];
    } else {
      break;
    }
  }
  if (list->kind == Kind::Edges) {
    return loop->vars[0] == u && loop->vars[1] == v ? list->operands[0] : nullptr;
  }
  return list->kind == Kind::Neighbors && list->operands[1] == u ? list->operands[0] : nullptr;
}

/// A walk over several lists in step keeps the order of each, so the facts about the list whose items are yielded carry
/// over.
ListFacts Facts::walked_in_step(const For& loop, const Yield& yield) const {
  std::size_t begin = 0;
  for (const Expr* walked : loop.lists) {
    const std::size_t columns = walked->type->columns.size();
    const auto first = loop.vars.begin() + static_cast<std::ptrdiff_t>(begin);
    if (std::equal(first, first + static_cast<std::ptrdiff_t>(columns), yield.values.begin(), yield.values.end())) {
      return list(walked);
    }
    begin += columns;
  }
  return {};
}

/// Rows are the loop variables, so facts about the lists carry over: different items of an outer list without repeats
/// begin different rows.
ListFacts Facts::collected(const Collect& collect, const Var* sink) const {
  Filled filled;
  std::vector<const For*> loops;
  find_fill(*collect.body, sink, loops, filled);
  if (!filled.single) return {};
  if (filled.loops.size() == 1 && filled.loops[0]->lists.size() > 1)
    return walked_in_step(*filled.loops[0], *filled.yield);
  bool ascending = true;
  bool unique = true;
  std::vector<const Var*> vars;
  for (const For* loop : filled.loops) {
    if (loop->lists.size() != 1) return {};
    ListFacts source = list(loop->lists[0]);
    ascending = ascending && unique && source.ascending;
    unique = unique && source.unique;
    vars.insert(vars.end(), loop->vars.begin(), loop->vars.end());
  }
  if (filled.loops.empty()) return {true, true};  // At most one item.
  std::span<const Expr* const> values = filled.yield->values;
  bool same_order = std::equal(vars.begin(), vars.end(), values.begin(), values.end());
  bool all_there = std::all_of(vars.begin(), vars.end(), [&](const Var* var) {
    return std::find(values.begin(), values.end(), var) != values.end();
  });
  return {ascending && same_order, unique && all_there};
}

ListFacts Facts::list(const Expr* list_expr) const {
  if (const auto found = lists_.find(list_expr); found != lists_.end()) return found->second;
  lists_[list_expr] = {};  // The result for an invalid module in which a sink is filled from itself.
  ListFacts facts = list_of(list_expr);
  lists_[list_expr] = facts;
  return facts;
}

ListFacts Facts::list_of(const Expr* list_expr) const {
  if (keeps_order_of_first(list_expr->kind)) return list(list_expr->operands[0]);
  switch (list_expr->kind) {
    case Kind::Vertices: return {true, true};
    case Kind::Edges:
    case Kind::Neighbors: return {order(list_expr->operands[0]) == RowOrder::Target, simple(list_expr->operands[0])};
    case Kind::EdgeInfo: return {order(list_expr->operands[0]) == RowOrder::Info, false};
    case Kind::Sorted: return {true, list(list_expr->operands[0]).unique};
    case Kind::Keyed:
    case Kind::Sequence: return {true, true};
    case Kind::BitRow:
    case Kind::AllBits: return {true, true};
    case Kind::Literal: {
      bool trivial = list_expr->operands.size() <= list_expr->type->columns.size();
      return {trivial, trivial};
    }
    case Kind::Select: {
      ListFacts a = list(list_expr->operands[1]);
      ListFacts b = list(list_expr->operands[2]);
      return {a.ascending && b.ascending, a.unique && b.unique};
    }
    case Kind::Var: break;
    default: return {};
  }
  if (list_expr->type->is_table()) return {true, true};
  const Stmt* stmt = definition(static_cast<const Var*>(list_expr));
  if (stmt == nullptr) return {};
  if (const Let* let = as<Let>(stmt)) return list(let->value);
  if (const Store* store = as<Store>(stmt)) return list(store->value);
  if (const Collect* collect = as<Collect>(stmt)) return collected(*collect, static_cast<const Var*>(list_expr));
  return {};
}

bool Facts::outlives_region(const Expr* list) const {
  switch (list->kind) {
    case Kind::Vertices:
    case Kind::Edges:
    case Kind::Neighbors:
    case Kind::EdgeInfo: return true;
    case Kind::Cut:
    case Kind::Span: return outlives_region(list->operands[0]);
    case Kind::Var: break;
    default: return false;
  }
  const Var* var = static_cast<const Var*>(list);
  if (top_level(var)) return true;
  const Stmt* stmt = definition(var);
  const Let* let = stmt != nullptr ? as<Let>(stmt) : nullptr;
  return let != nullptr && outlives_region(let->value);
}

/// The constant that an expression equals or is limited by; null if there is none.
static const ConstInt* known_limit(const Expr* e) { return as<ConstInt>(e->kind == Kind::AtMost ? e->operands[1] : e); }

std::int64_t Facts::longest(const Expr* list_expr) const {
  const Var* rows = list_expr->type->bits ? rows_of(*this, list_expr) : nullptr;
  const Expr* base = rows != nullptr ? base_of(*this, rows) : nullptr;
  if (base == nullptr) {
    bool vertices = list_expr->type->is_set() && list_expr->type->columns[0]->is_scalar(ScalarKind::Vid);
    return vertices && list(list_expr).unique ? kMostVertices : kLongestList;
  }
  base = resolve(*this, base);
  const ConstInt* begin = base->kind == Kind::Span ? as<ConstInt>(base->operands[1]) : nullptr;
  const ConstInt* end = base->kind == Kind::Span ? known_limit(base->operands[2]) : nullptr;
  bool known = begin != nullptr && end != nullptr && begin->value >= 0 && end->value >= begin->value;
  return known ? std::min(end->value - begin->value, kLongestList) : kLongestList;
}

Range Facts::range(const Expr* value) const {
  if (const auto found = ranges_.find(value); found != ranges_.end()) return found->second;
  Range range = range_of(value);
  ranges_[value] = range;
  return range;
}

Range Facts::range_of(const Expr* value) const {
  switch (value->kind) {
    case Kind::ConstInt: {
      std::int64_t constant = static_cast<const ConstInt*>(value)->value;
      return {constant, constant};
    }
    case Kind::Size: return {0, longest(value->operands[0])};
    case Kind::LowerBound:
    case Kind::MaxDegree: return {0, kLongestList};
    case Kind::FindRow: return {-1, kLongestList};
    case Kind::CommonNeighbors: return {0, INT64_MAX};
    case Kind::Neg: {
      Range a = range(value->operands[0]);
      return clamp(-__int128{a.high}, -__int128{a.low});
    }
    case Kind::Add:
    case Kind::Sub:
    case Kind::Mul: {
      if (value->type->scalar != ScalarKind::I64) return {};
      Wide wide = apply(arithmetic_of(value->kind), range(value->operands[0]), range(value->operands[1]));
      return clamp(wide.low, wide.high);
    }
    case Kind::Div:
    case Kind::Mod: {
      const ConstInt* divisor = value->type->scalar == ScalarKind::I64 ? as<ConstInt>(value->operands[1]) : nullptr;
      if (divisor == nullptr || divisor->value <= 0) return {};
      Range a = range(value->operands[0]);
      if (value->kind == Kind::Div) return {a.low / divisor->value, a.high / divisor->value};
      return {a.low < 0 ? 1 - divisor->value : 0, a.high > 0 ? divisor->value - 1 : 0};
    }
    case Kind::Min:
    case Kind::Max: {
      if (value->type->scalar != ScalarKind::I64) return {};
      Range a = range(value->operands[0]);
      Range b = range(value->operands[1]);
      if (value->kind == Kind::Min) return {std::min(a.low, b.low), std::min(a.high, b.high)};
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    }
    case Kind::AtMost: {
      Range a = range(value->operands[0]);
      return {a.low, std::max(a.low, std::min(a.high, range(value->operands[1]).high))};
    }
    case Kind::Select: {
      Range a = range(value->operands[1]);
      Range b = range(value->operands[2]);
      return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    case Kind::Convert: return value->operands[0]->type->is_scalar(ScalarKind::Bool) ? Range{0, 1} : Range{};
    case Kind::Var: break;
    default: return {};
  }
  const Var* var = static_cast<const Var*>(value);
  const Stmt* stmt = definition(var);
  if (stmt == nullptr) return {};
  if (const Let* let = as<Let>(stmt)) return range(let->value);
  if (const For* loop = as<For>(stmt); loop != nullptr && loop->maybe_index == var) {
    return {0, loop->lists.empty() ? kLongestList : longest(loop->lists[0])};
  }
  return {};
}

/// True for an item of the rows' list, at a position in a set of their bits.
bool Facts::has_item(const Expr& at) const {
  const Var* position = as<Var>(resolve(*this, at.operands[1]));
  const Stmt* stmt = position != nullptr ? definition(position) : nullptr;
  const For* walk = stmt != nullptr ? as<For>(stmt) : nullptr;
  if (walk == nullptr || !walk->lists[0]->type->bits || walk->vars[0] != position) return false;
  const Var* rows = rows_of(*this, walk->lists[0]);
  const Expr* base = rows != nullptr ? base_of(*this, rows) : nullptr;
  return base != nullptr && resolve(*this, base) == resolve(*this, at.operands[0]);
}

bool Facts::may_be_empty(const Var* var) const {
  const Stmt* stmt = definition(var);
  const Collect* collect = stmt != nullptr ? as<Collect>(stmt) : nullptr;
  return collect != nullptr && std::any_of(collect->sinks.begin(), collect->sinks.end(), [&](const Sink& sink) {
           return sink.var == var && may_be_empty(sink.kind);
         });
}

bool Facts::node_may_trap(const Expr& e) const {
  if (!ir::may_trap(e.kind)) return false;
  switch (e.kind) {
    case Kind::Var: return may_be_empty(static_cast<const Var*>(&e));
    case Kind::Add:
    case Kind::Sub:
    case Kind::Mul: {
      if (e.type->scalar == ScalarKind::F64) return false;
      if (e.type->scalar == ScalarKind::I128) return true;
      Wide wide = apply(arithmetic_of(e.kind), range(e.operands[0]), range(e.operands[1]));
      return overflows(wide.low, wide.high);
    }
    case Kind::Neg:
      return e.type->scalar == ScalarKind::I128 ||
             (e.type->scalar == ScalarKind::I64 && range(e.operands[0]).low == INT64_MIN);
    case Kind::Div:
    case Kind::Mod: {
      if (e.type->scalar == ScalarKind::F64) return true;
      const ConstInt* divisor = as<ConstInt>(e.operands[1]);
      return divisor == nullptr || divisor->value == 0 || divisor->value == -1;
    }
    case Kind::AtMost: return range(e.operands[0]).high > range(e.operands[1]).low;
    case Kind::At: return !has_item(e);
    case Kind::Label: return !labelled(e.operands[0]);
    case Kind::Convert: {
      const Type& from = *e.operands[0]->type;
      return e.type->is_scalar(ScalarKind::Vid) ||
             (from.is_scalar(ScalarKind::I128) && e.type->is_scalar(ScalarKind::I64));
    }
    default: return true;
  }
}

bool Facts::may_trap(const Expr* expr) const {
  if (const auto found = traps_.find(expr); found != traps_.end()) return found->second;
  bool traps = node_may_trap(*expr) || std::any_of(expr->operands.begin(), expr->operands.end(),
                                                   [&](const Expr* operand) { return may_trap(operand); });
  traps_[expr] = traps;
  return traps;
}

const Expr* Facts::collected_bound(Builder& b, const Block& block, const Var* sink) const {
  const Expr* total = b.integer(0);
  const auto add = [&](const Expr* more) {
    total = more == nullptr || total == nullptr ? nullptr : b.make(Kind::Add, {total, more});
  };
  for (const Stmt* stmt : block.body) {
    match(
        *stmt,
        [&](const Yield& y) {
          if (y.sink == sink) add(b.integer(1));
        },
        [&](const For& f) {
          const Expr* inner = collected_bound(b, *f.body, sink);
          const ConstInt* constant = inner != nullptr ? as<ConstInt>(inner) : nullptr;
          if (constant != nullptr && constant->value == 0) return;
          const Expr* trips = nullptr;
          for (const Expr* list_expr : f.lists) {
            if (trips == nullptr) trips = bound(b, list_expr);
          }
          if (inner == nullptr || trips == nullptr) return add(nullptr);
          add(constant != nullptr && constant->value == 1 ? trips : b.make(Kind::Mul, {trips, inner}));
        },
        [&](const OneOf<Block, If, Collect> auto& s) {
          for_each_block(s, [&](const Block& inner) { add(collected_bound(b, inner, sink)); });
        },
        [](const OneOf<Let, BuildGraph, Repeat, Again, Return, Region, Store> auto&) {});
  }
  return total;
}

const Expr* Facts::bound(Builder& b, const Expr* list_expr) const {
  if (const auto found = bounds_.find(list_expr); found != bounds_.end()) return found->second;
  bounds_[list_expr] = nullptr;
  const Expr* bound = bound_of(b, list_expr);
  bounds_[list_expr] = bound;
  return bound;
}

/// An upper bound of an i64, of top-level values; null if there is none.
const Expr* Facts::most_of(Builder& b, const Expr* value) const {
  if (is_constant(value->kind)) return value;
  if (value->kind == Kind::Size) return bound(b, value->operands[0]);
  if (value->kind == Kind::Min) {
    const Expr* first = most_of(b, value->operands[0]);
    return first != nullptr ? first : most_of(b, value->operands[1]);
  }
  const Var* var = as<Var>(value);
  if (var == nullptr) return nullptr;
  if (top_level(var)) return may_be_empty(var) ? nullptr : var;
  const Stmt* stmt = definition(var);
  const Let* let = stmt != nullptr ? as<Let>(stmt) : nullptr;
  return let != nullptr ? most_of(b, let->value) : nullptr;
}

const Expr* Facts::bound_of(Builder& b, const Expr* list_expr) const {
  switch (list_expr->kind) {
    case Kind::Neighbors:
    case Kind::EdgeInfo: {
      const Var* graph = graph_root(list_expr->operands[0]);
      return graph != nullptr ? b.make(Kind::MaxDegree, {graph}) : nullptr;
    }
    case Kind::Vertices:
    case Kind::Edges: {
      const Var* graph = graph_root(list_expr->operands[0]);
      return graph != nullptr ? b.make(Kind::Size, {b.make(list_expr->kind, {graph})}) : nullptr;
    }
    case Kind::Literal:
      return b.integer(static_cast<std::int64_t>(list_expr->operands.size() / list_expr->type->columns.size()));
    case Kind::Span: {
      const ConstInt* begin = as<ConstInt>(list_expr->operands[1]);
      const ConstInt* end = known_limit(list_expr->operands[2]);
      const Expr* all = bound(b, list_expr->operands[0]);
      if (all == nullptr || begin == nullptr || end == nullptr || begin->value < 0) return all;
      return b.make(Kind::Min, {all, b.integer(end->value > begin->value ? end->value - begin->value : 0)});
    }
    case Kind::Intersect:
      // Vertices do not repeat, so each item of the other list is found at most once.
      if (list_expr->operands[0]->kind == Kind::Vertices) {
        if (const Expr* other = bound(b, list_expr->operands[1])) return other;
      }
      return bound(b, list_expr->operands[0]);
    case Kind::Keyed:
    case Kind::BitRow:
    case Kind::AllBits: return bound(b, list_expr->operands[0]);
    case Kind::Sequence: {
      const Range begin = range(list_expr->operands[0]);
      const Range end = range(list_expr->operands[1]);
      if (end.low == end.high && begin.low > INT64_MIN) {
        const __int128 items = __int128{end.high} - begin.low;
        return items <= INT64_MAX ? b.integer(items < 0 ? 0 : static_cast<std::int64_t>(items)) : nullptr;
      }
      const Expr* most = begin.low < 0 ? nullptr : most_of(b, list_expr->operands[1]);
      return most != nullptr ? b.make(Kind::Max, {most, b.integer(0)}) : nullptr;
    }
    case Kind::BitRows: return bound(b, list_expr->operands[1]);
    case Kind::Select: {
      const Expr* first = bound(b, list_expr->operands[1]);
      const Expr* second = bound(b, list_expr->operands[2]);
      return first != nullptr && second != nullptr ? b.make(Kind::Max, {first, second}) : nullptr;
    }
    case Kind::Var: break;
    default: return is_part_of_first(list_expr->kind) ? bound(b, list_expr->operands[0]) : nullptr;
  }
  const Var* var = static_cast<const Var*>(list_expr);
  if (top_level(var)) return b.make(Kind::Size, {var});
  const Stmt* stmt = definition(var);
  if (const Let* let = as<Let>(stmt)) return bound(b, let->value);
  if (const Store* store = as<Store>(stmt)) return bound(b, store->value);
  if (const Collect* collect = as<Collect>(stmt)) return collected_bound(b, *collect->body, var);
  return nullptr;
}

std::unordered_map<const Var*, int> count_uses(const Block& block) {
  std::unordered_map<const Var*, int> uses;
  for_each_stmt(block, [&](const Stmt& stmt) {
    for_each_expr(stmt, [&](const Expr& expr) {
      for_each_node(expr, [&](const Expr& node) {
        if (const Var* var = as<Var>(&node)) ++uses[var];
      });
    });
    if (const Store* store = as<Store>(&stmt)) ++uses[store->buffer];
  });
  return uses;
}

void free_vars(const Expr& expr, std::vector<const Var*>& out) {
  for_each_node(expr, [&](const Expr& node) {
    const Var* var = as<Var>(&node);
    if (var != nullptr && std::find(out.begin(), out.end(), var) == out.end()) out.push_back(var);
  });
}

}  // namespace matcha::ir
