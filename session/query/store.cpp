#include "session/query/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "session/vertex_types.h"
#include "session/whole_graph.h"

namespace matcha::session::statement {

namespace {

constexpr const char* kTooManyRelationships = "a query of several steps has 2^32 relationships at most";

}  // namespace

Status Store::read(const query::Statement& statement, const SourceManager& sources, const BindOptions& options,
                   const runtime::IoOptions& io, const Reporter& log) {
  ledger::Wanted wanted;
  wanted.loc = statement.loc;
  wanted.edge_columns = statement.relationship_columns;
  wanted.vertex_columns = statement.node_columns;
  wanted.edge_labels = statement.asks_types;
  wanted.vertex_labels = statement.asks_labels;
  wanted.maybe_type = statement.maybe_type;
  wanted.all_vertices = wanted.directed = true;
  wanted.id_name = query::kIdColumn;
  wanted.vertex_ids = wanted.vertex_columns.erase(query::kIdColumn) != 0;
  if (options.table.vertices.empty() && wanted.vertex_columns.erase("id") != 0) wanted.vertex_ids = true;
  Status status = ledger::read_table(std::move(wanted), sources, options, io, log, table_);
  if (status != Status::Ok) return status;
  node_count_ = static_cast<std::uint32_t>(table_.universe->size());
  status = take_rows(log);
  if (status == Status::Ok) take_labels();
  return status;
}

Status Store::take(const query::Statement& statement, const SourceManager& sources, ResidentGraph& resident,
                   const Reporter& log) {
  const runtime::Result<WholeGraph> whole = WholeGraph::of(resident);
  if (!whole) return log.error(whole.error());
  const runtime::Graph& graph = **whole;
  const bool has_types = whole->has_info() && graph.facts().info == runtime::InfoKind::Int;
  Status status = check(statement, sources, graph, has_types, log);
  if (status != Status::Ok) return status;
  table_.universe = graph.shared_universe();
  take_edges(graph);
  if (statement.asks_types && has_types) take_types(graph);
  if (statement.asks_labels && graph.view().labels != nullptr) take_labels(graph);
  if (statement.node_columns.empty()) return take_rows(log);
  status = take_ids(log);
  return status == Status::Ok ? take_rows(log) : status;
}

Status Store::check(const query::Statement& statement, const SourceManager& sources, const runtime::Graph& graph,
                    bool has_types, const Reporter& log) const {
  const auto fail = [&](Status status, SourceLoc loc, const std::string& message, const std::string& hint) {
    return log.error_at(status, sources, loc, message, hint);
  };
  const runtime::GraphFacts& facts = graph.facts();
  for (const auto* columns : {&statement.node_columns, &statement.relationship_columns}) {
    const bool are_of_nodes = columns == &statement.node_columns;
    for (const auto& [name, loc] : *columns) {
      if (are_of_nodes && (name == "id" || name == query::kIdColumn)) continue;
      return fail(Status::Usage, loc, fmt::format("the graph has labels and no columns, and so no `{}`", name),
                  "`matcha query` reads columns from tables: matcha query QUERY TABLE.csv --vertices TABLE.csv");
    }
  }
  if (!facts.directed) {
    return fail(Status::Usage, statement.loc, "the query has arcs, and the graph has lost its own",
                "make it with `directed`");
  }
  if (statement.maybe_type && !has_types) {
    return fail(Status::Input, *statement.maybe_type, "the query asks for a type, and the edges of the graph have none",
                "give labels of edges with the graph (those of its file are read with --edge-labels), or ask for edges "
                "of any type");
  }
  if (statement.asks_labels && graph.view().labels == nullptr && graph.vertex_count() != 0) {
    return fail(Status::Input, statement.loc, "the query asks for labels, and the vertices of the graph have none",
                "give labels of vertices with the graph");
  }
  if (!facts.all_loops) {
    return fail(Status::Usage, statement.loc, "queries see loops, and the graph has lost its own",
                "make it with `keep_loops`");
  }
  if (facts.lost_repeats != 0) {
    return fail(Status::Input, statement.loc,
                fmt::format("the graph has left out {} repeated edge{}, and Cypher counts each relationship",
                            facts.lost_repeats, facts.lost_repeats == 1 ? "" : "s"),
                "`matcha query` on the file itself keeps them, not on a .mtg");
  }
  if (graph.view().arc_count <= std::numeric_limits<std::uint32_t>::max()) return Status::Ok;
  return fail(Status::Resource, statement.loc, kTooManyRelationships, "");
}

void Store::take_edges(const runtime::Graph& graph) {
  const runtime::GraphView view = graph.view();
  node_count_ = static_cast<std::uint32_t>(graph.vertex_count());
  std::vector<std::uint32_t> node_of;
  if (view.vertices != nullptr) {
    ranks_.assign(view.vertices, view.vertices + view.vertex_count);
    node_of.resize(view.universe);
    for (std::uint32_t node = 0; node < node_count_; ++node) node_of[ranks_[node]] = node;
  }
  table_.rows = view.arc_count;
  table_.sources.reserve(table_.rows);
  table_.targets.reserve(table_.rows);
  for (std::uint32_t node = 0; node < node_count_; ++node) {
    const auto [begin, end] = arcs_of(view, rank(node));
    for (std::uint64_t arc = begin; arc < end; ++arc) {
      table_.sources.push_back(node);
      table_.targets.push_back(node_of.empty() ? view.neighbors[arc] : node_of[view.neighbors[arc]]);
    }
  }
}

void Store::take_types(const runtime::Graph& graph) {
  const runtime::GraphView view = graph.view();
  std::map<std::string, std::uint32_t> known;
  std::map<std::int64_t, std::uint32_t*> by_code;
  const auto number = [&](std::int64_t code) -> std::uint32_t& {
    const auto [found, is_new] = by_code.try_emplace(code, nullptr);
    if (is_new) found->second = &known[graph.dictionary().name(code)];
    return *found->second;
  };
  const std::int64_t* const info = static_cast<const std::int64_t*>(view.edge_info);
  for (std::uint64_t arc = 0; arc < view.arc_count; ++arc) number(info[arc]);
  for (auto& [name, place] : known) {
    place = static_cast<std::uint32_t>(type_names_.size());
    type_names_.push_back(name);
  }
  for (std::uint32_t node = 0; node < node_count_; ++node) {
    const auto [begin, end] = arcs_of(view, rank(node));
    for (std::uint64_t arc = begin; arc < end; ++arc) types_.push_back(number(info[arc]));
  }
}

Status Store::take_ids(const Reporter& log) {
  runtime::CellTexts ids;
  for (std::uint32_t node = 0; node < node_count_; ++node) ids.add(table_.universe->id_text(rank(node)));
  ledger::Column& column = table_.vertices[query::kIdColumn];
  const Status status = ledger::take_ids(*table_.universe, std::move(ids), log, column);
  table_.texts.add(column.texts);
  table_.texts.sort();
  table_.texts.put_codes(column);
  return status;
}

void Store::take_labels(const runtime::Graph& graph) {
  std::map<std::int64_t, std::uint32_t> known;
  for (std::uint32_t node = 0; node < node_count_; ++node) {
    const std::int64_t code = graph.view().labels[rank(node)];
    const auto [found, is_new] = known.emplace(code, static_cast<std::uint32_t>(sets_.size()));
    if (is_new) sets_.push_back(session::types_of(graph.dictionary().name(code)));
    set_of_.push_back(found->second);
  }
}

Status Store::take_rows(const Reporter& log) {
  if (table_.rows > std::numeric_limits<std::uint32_t>::max()) {
    return log.error(Status::Resource, kTooManyRelationships, "");
  }
  if (table_.edge_labels.size() != 0) {
    std::map<std::string_view, std::uint32_t> known;
    for (std::uint64_t row = 0; row < table_.rows; ++row) known.emplace(table_.edge_labels.at(row), 0);
    for (auto& [name, number] : known) {
      number = static_cast<std::uint32_t>(type_names_.size());
      type_names_.emplace_back(name);
    }
    types_.resize(table_.rows);
    for (std::uint64_t row = 0; row < table_.rows; ++row) types_[row] = known.at(table_.edge_labels.at(row));
  }
  sort(true, out_begins_, out_);
  sort(false, in_begins_, in_);
  for (const auto& [name, column] : table_.vertices) node_columns_.push_back(&column);
  for (const auto& [name, column] : table_.edges) relationship_columns_.push_back(&column);
  return Status::Ok;
}

/// Rows by their source, or target, then by type, and then by their other end.
void Store::sort(bool by_source, std::vector<std::uint64_t>& begins, Lists& list) const {
  const auto sorted = [this](const Lists& rows, const std::vector<std::uint32_t>& ends,
                             std::vector<std::uint64_t>& at) {
    at.assign(static_cast<std::size_t>(nodes()) + 1, 0);
    for (const std::uint32_t end : ends) ++at[static_cast<std::size_t>(end) + 1];
    std::partial_sum(at.begin(), at.end(), at.begin());
    std::vector<std::uint64_t> next(at.begin(), at.end() - 1);
    Lists found(rows.size());
    for (const std::uint32_t row : rows) found[next[ends[row]]++] = row;
    return found;
  };
  Lists rows(table_.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  rows = sorted(rows, by_source ? table_.targets : table_.sources, begins);
  if (!types_.empty()) std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) { return types_[row]; });
  list = sorted(rows, by_source ? table_.sources : table_.targets, begins);
}

std::span<const std::uint32_t> Store::between(std::span<const std::uint32_t> typed, bool are_out,
                                              std::uint32_t other) const {
  const auto end = [&](std::uint32_t row) { return are_out ? target(row) : source(row); };
  const auto found = std::ranges::equal_range(typed, other, {}, end);
  return {found.begin(), found.end()};
}

std::optional<std::span<const std::uint32_t>> Store::nodes_with(std::size_t column, const Value& value) {
  const ledger::Column& cells = *node_columns_[column];
  if (cells.per_second != 0 || value.is(Value::Kind::Time)) return std::nullopt;
  const auto of = [&](std::uint32_t node) { return cell(cells, node); };
  const auto is_less = [](const Value& a, const Value& b) { return ordered(a, b) < 0; };
  const auto [found, is_new] = by_value_.try_emplace(column);
  if (is_new) {
    found->second.resize(nodes());
    std::iota(found->second.begin(), found->second.end(), 0U);
    std::ranges::stable_sort(found->second, is_less, of);
  }
  const auto range = std::ranges::equal_range(found->second, value, is_less, of);
  return std::span<const std::uint32_t>(range.begin(), range.end());
}

std::span<const std::uint32_t> Store::typed(std::span<const std::uint32_t> all, std::uint32_t type) const {
  const auto found = std::ranges::equal_range(all, type, {}, [this](std::uint32_t row) { return this->type(row); });
  return {found.begin(), found.end()};
}

std::vector<std::uint32_t> Store::types_of(const std::vector<std::string>& names) const {
  std::vector<std::uint32_t> all;
  for (const std::string& name : names) {
    const auto found = std::ranges::lower_bound(type_names_, name);
    if (found != type_names_.end() && *found == name) {
      all.push_back(static_cast<std::uint32_t>(found - type_names_.begin()));
    }
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

Value Store::type_name(std::uint32_t relationship) const {
  return Value::of_text(types_.empty() ? no_type_ : type_names_[types_[relationship]]);
}

void Store::take_labels() {
  std::map<std::string_view, std::uint32_t> known;
  for (std::uint64_t rank = 0; rank < table_.vertex_labels.size(); ++rank) {
    const std::string_view cell = table_.vertex_labels.at(rank);
    const auto [found, is_new] = known.emplace(cell, static_cast<std::uint32_t>(sets_.size()));
    if (is_new) sets_.push_back(session::types_of(cell));
    set_of_.push_back(found->second);
  }
}

Value Store::labels(std::uint32_t node) const {
  std::vector<Value> all;
  for (const std::string& label : sets_[label_set(node)]) all.push_back(Value::of_text(label));
  return Value::of_list(std::move(all));
}

std::size_t Store::add_test(const std::vector<std::vector<std::string>>& labels) {
  std::vector<bool> passes;
  for (const std::vector<std::string>& set : sets_) {
    const auto has = [&set](const std::string& label) { return std::ranges::find(set, label) != set.end(); };
    passes.push_back(std::ranges::all_of(labels, [&has](const auto& any) { return std::ranges::any_of(any, has); }));
  }
  const std::size_t same = static_cast<std::size_t>(std::ranges::find(tests_, passes) - tests_.begin());
  if (same == tests_.size()) tests_.push_back(std::move(passes));
  return same;
}

const std::vector<std::uint32_t>& Store::passing(std::size_t test) {
  const auto [found, is_new] = passing_.try_emplace(test);
  for (std::uint32_t node = 0; is_new && node < nodes(); ++node) {
    if (passes(test, node)) found->second.push_back(node);
  }
  return found->second;
}

std::size_t Store::number_of(const std::vector<const ledger::Column*>& all, const ledger::Column& one) {
  return static_cast<std::size_t>(std::ranges::find(all, &one) - all.begin());
}

Value Store::cell(const ledger::Column& column, std::uint64_t row) const {
  if (column.is_null || !column.has_value(row)) return {};
  switch (column.type) {
    case ledger::Column::Type::Float: return Value::of_float(column.floats[row]);
    case ledger::Column::Type::Bool: return Value::of(Value::Kind::Bool, column.ints[row]);
    case ledger::Column::Type::Text: return Value::of_text(table_.texts.text(column.ints[row]));
    case ledger::Column::Type::Int: break;
  }
  Value value = Value::of(column.per_second == 0 ? Value::Kind::Int : Value::Kind::Time, column.ints[row]);
  value.per_second = column.per_second;
  return value;
}

Value Store::relationship_id(std::uint32_t relationship) const {
  if (table_.edge_ids.is_null) return Value::of(Value::Kind::Int, relationship);
  return cell(table_.edge_ids, relationship);
}

}  // namespace matcha::session::statement
