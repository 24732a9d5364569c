#include <algorithm>
#include <utility>

#include "ir/analysis/nest_reader.h"
#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::ir {

namespace {

using TermKind = Term::Kind;

/// The condition that keys are in a table, by its number in `item`; its parts are the values.
constexpr std::string_view kPresence = "present";

bool is_presence(const Term& term) { return term.is(TermKind::Operation) && term.word == kPresence; }

void rename_in(Product& product, int from, int to) {
  for (Term& condition : product.conditions) condition = renamed(std::move(condition), from, to);
  for (Term& factor : product.factors) factor = renamed(std::move(factor), from, to);
}

void rename_in(Row& row, int from, int to) {
  std::ranges::replace(row.items, from, to);
  for (Term& condition : row.conditions) condition = renamed(std::move(condition), from, to);
  for (RowValue& column : row.columns) {
    column.term = renamed(std::move(column.term), from, to);
    for (Product& product : column.products) rename_in(product, from, to);
  }
}

/// A value of a row as a product over the items of the row too.
Product over_row(const Row& row, const Product& value) {
  Product product = value;
  product.items.insert(product.items.end(), row.items.begin(), row.items.end());
  product.conditions.insert(product.conditions.end(), row.conditions.begin(), row.conditions.end());
  drop_presences(product.conditions, product.vanishing);
  return product;
}

/// Makes the first columns of a row those vertices.
void equate(Row& row, const std::vector<int>& keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const int own = row.columns[i].term.item;
    if (own == keys[i]) continue;
    const auto bound = std::ranges::find(row.items, own);
    if (bound != row.items.end()) {
      row.items.erase(bound);
      rename_in(row, own, keys[i]);
    } else {
      row.conditions.push_back(Term::of(TermKind::Same, {Term::of_item(own), Term::of_item(keys[i])}));
    }
  }
}

/// Whether the conditions have this one, that one item is before another or that it is not.
bool says(const std::vector<Term>& conditions, const Term& wanted) {
  const bool negated = wanted.is(TermKind::Not);
  const Term& before = negated ? wanted.parts[0] : wanted;
  return std::ranges::any_of(conditions, [&](const Term& condition) {
    if (condition.is(TermKind::Not) != negated) return false;
    const Term& inner = negated ? condition.parts[0] : condition;
    return inner.is(TermKind::Before) && inner.word.empty() && inner.parts[0].item == before.parts[0].item &&
           inner.parts[1].item == before.parts[1].item;
  });
}

}  // namespace

void drop_presences(std::vector<Term>& conditions, std::vector<int>& implied) {
  std::vector<int> dropped;
  std::erase_if(conditions, [&](const Term& condition) {
    const bool drops = is_presence(condition) && std::ranges::find(implied, condition.item) != implied.end();
    if (drops) dropped.push_back(condition.item);
    return drops;
  });
  std::erase_if(implied, [&](int number) { return std::ranges::find(dropped, number) != dropped.end(); });
}

/// The list that a list was made of, item by item and in its order; itself if there is none.
const Expr* NestReader::source_of(const Expr* list) const {
  list = resolve(facts_, list);
  const auto sink = list->kind == Kind::Var ? sinks_.find(static_cast<const Var*>(list)) : sinks_.end();
  return sink != sinks_.end() && sink->second.maybe_source != nullptr ? sink->second.maybe_source : list;
}

/// The same for a sink; null unless the only loop of `collect` gives it one row for each of its items.
const Expr* NestReader::source_of(const Collect& collect, const Var* sink) const {
  const For* only = nullptr;
  for (const Stmt* stmt : collect.body->body) {
    if (stmt->kind == Kind::Let) continue;
    if (stmt->kind != Kind::For || only != nullptr) return nullptr;
    only = static_cast<const For*>(stmt);
  }
  if (only == nullptr) return nullptr;
  const auto gives = [&](const Stmt& stmt) {
    return stmt.kind == Kind::Yield && static_cast<const Yield&>(stmt).sink == sink;
  };
  const auto direct = std::ranges::count_if(only->body->body, [&](const Stmt* stmt) { return gives(*stmt); });
  std::ptrdiff_t all = 0;
  for_each_stmt(*only->body, [&](const Stmt& stmt) { all += gives(stmt) ? 1 : 0; });
  if (direct != 1 || all != 1) return nullptr;
  const Expr* const source = source_of(only->lists[0]);
  const bool in_step = std::ranges::all_of(only->lists, [&](const Expr* list) { return source_of(list) == source; });
  return in_step ? source : nullptr;
}

/// Adds the items of a set of vertices, or of the edges of a graph, with their conditions.
void NestReader::walk_source(const Expr* list) {
  if (list->kind == Kind::Edges) {
    const int u = next_item_++, v = next_item_++;
    items_.insert(items_.end(), {u, v});
    if (!built_.add_arc(graph_var(list->operands[0]), u, v, conditions_))
      conditions_.push_back(edge(list->operands[0], u, v));
    return;
  }
  items_.push_back(next_item_++);
  add_members(list, items_.back(), conditions_);
  check_set(list);
}

void NestReader::bind(const Var* var, const RowValue& column) {
  if (var->type->is_scalar(ScalarKind::Vid)) {
    item_of_[var] = column.term.item;
  } else {
    value_of_[var] = column;
  }
}

/// The loop is that of its rows, one kind after the other.
void NestReader::walk_rows(const For& loop, const std::vector<Row>& rows) {
  const std::size_t items = items_.size();
  const std::size_t conditions = conditions_.size();
  for (const Row& row : rows) {
    if (!may_copy({Nest{row.items, row.conditions, {}, Nest::kOne, {}}}, loop.loc)) return;
    const Row own = fresh(row);
    items_.insert(items_.end(), own.items.begin(), own.items.end());
    conditions_.insert(conditions_.end(), own.conditions.begin(), own.conditions.end());
    for (std::size_t i = 0; i < loop.vars.size(); ++i) bind(loop.vars[i], own.columns[i]);
    walk(*loop.body);
    items_.resize(items);
    conditions_.resize(conditions);
  }
}

/// Lists that have one row for each item of the same list are walked as that list: the rows at a position are those of
/// one item, and the lists are equally long.
void NestReader::walk_in_step(const For& loop) {
  const Expr* const source = source_of(loop.lists[0]);
  const bool is_known = source->kind == Kind::Edges || is_vertex_set(source);
  const auto has_source = [&](const Expr* list) { return source_of(list) == source; };
  if (!is_known || !std::ranges::all_of(loop.lists, has_source))
    return static_cast<void>(give_up("lists are walked in step", loop.loc));
  const std::size_t items = items_.size();
  const std::size_t conditions = conditions_.size();
  walk_source(source);
  const std::vector<int> own(items_.begin() + static_cast<std::ptrdiff_t>(items), items_.end());
  std::size_t at = 0;
  for (const Expr* list : loop.lists) {
    list = resolve(facts_, list);
    if (list == source) {
      for (const int one : own) item_of_[loop.vars[at++]] = one;
      continue;
    }
    const std::vector<Row>& rows = sinks_.at(as<Var>(list)).rows;
    if (rows.size() != 1 || rows[0].items.size() != own.size())
      return static_cast<void>(give_up("lists are walked in step", loop.loc));
    Row row = fresh(rows[0]);
    for (std::size_t i = 0; i < own.size(); ++i) rename_in(row, row.items[i], own[i]);
    for (const RowValue& column : row.columns) bind(loop.vars[at++], column);
  }
  walk(*loop.body);
  items_.resize(items);
  conditions_.resize(conditions);
}

void NestReader::yield_row(const Yield& yield, OpenSink& sink) {
  for (const Expr* value : yield.values) check_trap(*value);
  Nest nest = nest_of(sink, Product{});
  for (Row& row : rows_with({Row{nest.items, nest.conditions, {}}}, yield.values)) sink.rows.push_back(std::move(row));
  const auto is_item = [&](const Expr* value) {
    return value->type->is_scalar(ScalarKind::Vid) && resolve(facts_, value)->kind == Kind::Var;
  };
  if (yield.values.size() > 2 || !std::ranges::all_of(yield.values, is_item)) {
    sink.is_of_vertices = false;
    return;
  }
  nest.value = read(yield.values[0]);
  if (yield.values.size() == 2) nest.value = Term::operation("row", {nest.value, read(yield.values[1])});
  sink.nests.push_back(std::move(nest));
}

/// The rows with further columns. The smaller of two vertices is one or the other, by a condition.
std::vector<Row> NestReader::rows_with(const std::vector<Row>& begun, std::span<const Expr* const> values) {
  std::vector<Row> rows = begun;
  for (const Expr* value : values) {
    if (value->type->is_scalar(ScalarKind::Vid)) {
      rows = with_vertex(rows, resolve(facts_, value));
      continue;
    }
    RowValue column;
    column.term = read(value);
    column.is_opaque =
        !value->type->is_scalar(ScalarKind::I64) || may_fail(*value) || !expand(value, true, column.products);
    if (column.is_opaque) column.products.clear();
    for (Row& row : rows) row.columns.push_back(column);
  }
  return rows;
}

std::vector<Row> NestReader::with_vertex(const std::vector<Row>& begun, const Expr* vertex) {
  std::vector<Row> rows;
  const bool is_extreme = vertex->kind == Kind::Min || vertex->kind == Kind::Max;
  const int a = item(is_extreme ? vertex->operands[0] : vertex);
  const int b = item(is_extreme ? vertex->operands[1] : vertex);
  const int low = std::min(a, b), high = std::max(a, b);  // By number; the order of the vertices is a condition.
  const Term before = pair(TermKind::Before, low, high);
  const Term not_before = Term::of(TermKind::Not, {before});
  for (const Row& row : begun) {
    const auto add = [&](const Term* maybe_condition, int one) {
      Row& made = rows.emplace_back(row);
      if (maybe_condition != nullptr && !says(row.conditions, *maybe_condition))
        made.conditions.push_back(*maybe_condition);
      RowValue column;
      column.term = Term::of_item(one);
      made.columns.push_back(std::move(column));
    };
    if (a == b) {
      add(nullptr, a);
      continue;
    }
    const bool is_least = vertex->kind == Kind::Min;
    if (!says(row.conditions, not_before)) add(&before, is_least ? low : high);
    if (!says(row.conditions, before)) add(&not_before, is_least ? high : low);
  }
  return rows;
}

/// The rows of a list; nothing if they are unknown.
std::optional<std::vector<Row>> NestReader::rows_of(const Expr* list) {
  const Deeper deeper(depth_);
  if (!may_go_on(list->loc)) return std::nullopt;
  list = resolve(facts_, list);
  if (list->kind == Kind::Var) {
    const auto sink = sinks_.find(static_cast<const Var*>(list));
    if (sink == sinks_.end() || sink->second.kind != SinkKind::List) return std::nullopt;
    return sink->second.rows;
  }
  if (list->kind == Kind::Keyed) return rows_of_table(*list);
  if (list->kind != Kind::Literal) return std::nullopt;
  const std::size_t columns = list->type->columns.size();
  if (!list->type->is_flat_list()) return std::nullopt;
  for (const Expr* value : list->operands) check_trap(*value);
  std::vector<Row> rows;
  for (std::size_t at = 0; at < list->operands.size(); at += columns) {
    for (Row& row : rows_with({Row{}}, list->operands.subspan(at, columns))) rows.push_back(std::move(row));
  }
  return rows;
}

/// A table has one kind of rows: its keys are all vertices for which a value is not 0.
std::optional<std::vector<Row>> NestReader::rows_of_table(const Expr& table) {
  const std::size_t keys = table.type->keys;
  const std::span<const Type* const> columns = table.type->columns;
  const auto is_vertex = [](const Type* type) { return type->is_scalar(ScalarKind::Vid); };
  const auto is_int = [](const Type* type) { return type->is_scalar(ScalarKind::I64); };
  if (as<Keyed>(&table)->fold != Fold::Sum || !std::ranges::all_of(columns.first(keys), is_vertex) ||
      !std::ranges::all_of(columns.subspan(keys), is_int)) {
    return std::nullopt;
  }
  const std::optional<std::vector<Row>> rows = rows_of(table.operands[0]);
  if (!rows) return std::nullopt;
  Row row;
  for (std::size_t i = 0; i < keys; ++i) {
    row.items.push_back(next_item_++);
    row.columns.emplace_back().term = Term::of_item(row.items.back());
  }
  Term presence = Term::operation(std::string(kPresence), {});
  presence.item = next_presence_++;
  for (std::size_t column = keys; column < columns.size(); ++column) {
    RowValue value = looked_up(*rows, {Row{{}, {}, row.columns}}, keys, column, table.loc);
    for (Product& product : value.products) product.vanishing.push_back(presence.item);
    presence.parts.push_back(value.term);
    row.columns.push_back(std::move(value));
  }
  row.conditions.push_back(std::move(presence));
  return std::vector<Row>{std::move(row)};
}

/// One for each row.
std::vector<Nest> NestReader::counted_rows(const std::vector<Row>& rows) {
  std::vector<Nest> nests;
  for (const Row& row : rows) {
    Row own = fresh(row);
    nests.push_back(Nest{std::move(own.items), std::move(own.conditions), Term::constant("1"), Nest::kOne, {}});
  }
  return nests;
}

/// The row with items and presences of its own.
Row NestReader::fresh(const Row& row) {
  Row made = row;
  for (const int item : row.items) rename_in(made, item, next_item_++);
  for (Term& condition : made.conditions) {
    if (!is_presence(condition)) continue;
    const int number = std::exchange(condition.item, next_presence_++);
    for (RowValue& column : made.columns) {
      for (Product& product : column.products) std::ranges::replace(product.vanishing, number, condition.item);
    }
  }
  return made;
}

/// The product with items of its own, since a value may be a factor twice.
Product NestReader::fresh(const Product& product) {
  Product made = product;
  for (int& item : made.items) {
    const int now = next_item_++;
    rename_in(made, std::exchange(item, now), now);
  }
  return made;
}

/// The sum of a column over the rows whose first columns are the keys: `wanted` has them, in each case.
RowValue NestReader::looked_up(const std::vector<Row>& rows, const std::vector<Row>& wanted, std::size_t keys,
                               std::size_t column, SourceLoc loc) {
  RowValue value;
  value.is_opaque = false;
  std::vector<Nest> nests;
  for (const Row& one : wanted) {
    std::vector<int> items;
    for (std::size_t i = 0; i < keys; ++i) items.push_back(one.columns[i].term.item);
    for (const Row& row : rows) {
      Row own = fresh(row);
      equate(own, items);
      own.conditions.insert(own.conditions.end(), one.conditions.begin(), one.conditions.end());
      const RowValue& found = own.columns[column];
      nests.push_back(Nest{own.items, own.conditions, found.term, Nest::kOne, {}});
      value.is_opaque = value.is_opaque || found.is_opaque;
      for (const Product& product : found.products) value.products.push_back(over_row(own, product));
    }
  }
  if (value.is_opaque || value.products.size() > kMostProducts) value = RowValue{};
  value.term = may_copy(nests, loc) ? fold_of("sum", nests) : Term{};
  return value;
}

/// The value of a look-up in a table of sums by vertices; nothing if `value` is something else.
std::optional<RowValue> NestReader::look_up(const Expr& value) {
  const Expr* const find = look_up_of(value);
  if (find == nullptr) return std::nullopt;
  const Expr* const table = resolve(facts_, find->operands[0]);
  const std::optional<std::vector<Row>> rows = rows_of(table->operands[0]);
  if (!rows) return std::nullopt;
  const std::uint32_t column = as<At>(resolve(facts_, value.operands[1]))->column;
  const std::span<const Expr* const> keys = find->operands.subspan(1);
  return looked_up(*rows, rows_with({Row{}}, keys), keys.size(), column, value.loc);
}

const Expr* NestReader::look_up_of(const Expr& value) const {
  if (value.kind != Kind::Select) return nullptr;
  const auto is_zero = [&](const Expr* number) {
    return number->kind == Kind::ConstInt && as<ConstInt>(number)->value == 0;
  };
  const Expr* const condition = resolve(facts_, value.operands[0]);
  const At* const at = as<At>(resolve(facts_, value.operands[1]));
  if (condition->kind != Kind::Le || !is_zero(condition->operands[0]) || at == nullptr) return nullptr;
  const Expr* const find = resolve(facts_, condition->operands[1]);
  if (find->kind != Kind::FindRow || find != resolve(facts_, at->operands[1])) return nullptr;
  const Expr* const table = resolve(facts_, find->operands[0]);
  if (table != resolve(facts_, at->operands[0]) || !is_zero(resolve(facts_, value.operands[2]))) return nullptr;
  const Keyed* const keyed = as<Keyed>(table);
  if (keyed == nullptr || keyed->fold != Fold::Sum) return nullptr;
  const std::size_t keys = table->type->keys;
  const std::span<const Type* const> columns = table->type->columns;
  const auto is_vertex = [](const Type* type) { return type->is_scalar(ScalarKind::Vid); };
  const bool fits = find->operands.size() == keys + 1 && at->column >= keys &&
                    std::ranges::all_of(columns.first(keys), is_vertex) &&
                    columns[at->column]->is_scalar(ScalarKind::I64);
  return fits ? find : nullptr;
}

}  // namespace matcha::ir
