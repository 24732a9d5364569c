#include "session/ledger/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "runtime/graph/label_form.h"
#include "runtime/graph/mtg.h"
#include "session/durations.h"

namespace matcha::session::ledger {

namespace {

using pattern::Condition;
using runtime::ColumnKind;
using runtime::ColumnRole;
using runtime::ColumnSpec;

constexpr const char* kEdges = "edges";
constexpr const char* kVertices = "vertices";
constexpr const char* kLabels = "labels";

ColumnSpec named(ColumnKind kind, const std::string& text, ColumnRole otherwise, unsigned index) {
  if (text.empty()) return ColumnSpec{index, kind, "", otherwise};
  const runtime::ColumnRef ref(text);
  return ColumnSpec{ref.index, kind, ref.name};
}

class TableReader {
 public:
  TableReader(Wanted wanted, const SourceManager& sources, const BindOptions& options, const Reporter& log,
              Table& table)
      : wanted_(std::move(wanted)), sources_(sources), options_(options), log_(log), table_(table) {}

  Status run(const runtime::IoOptions& io) {
    Status status = take_time(options_.table.time, log_, table_);
    if (status == Status::Ok) status = check();
    if (status != Status::Ok) return status;
    runtime::InputSet inputs(io);
    status = add_edges(inputs);
    if (status == Status::Ok && (!wanted_.vertex_columns.empty() || has_label_column_)) status = add_vertices(inputs);
    if (status == Status::Ok && has_label_file_) status = add_labels(inputs);
    if (status != Status::Ok) return status;
    runtime::Result<runtime::Inputs> read = inputs.finish();
    if (!read) return log_.error(read.error());
    return take(std::move(*read));
  }

  Status run_vertices(const runtime::IoOptions& io) {
    Status status = check();
    if (status != Status::Ok) return status;
    has_label_file_ = wanted_.vertex_labels && !options_.table.labels.empty();
    has_label_column_ = wanted_.vertex_labels && !has_label_file_ && !options_.table.vertices.empty();
    status = check_labels(true, has_label_file_ || has_label_column_);
    runtime::InputSet inputs(io);
    if (status == Status::Ok && (!wanted_.vertex_columns.empty() || has_label_column_)) status = add_vertices(inputs);
    if (status == Status::Ok && has_label_file_) status = add_labels(inputs);
    if (status != Status::Ok) return status;
    runtime::Result<runtime::Inputs> read = inputs.finish();
    if (!read) return log_.error(read.error());
    table_.universe = read->universe;
    if (has_label_file_) put_labels(read->lists.at(kLabels));
    if (has_label_column_) put_labels(read->lists.at(kVertices));
    return read->lists.contains(kVertices) ? take_vertices(read->lists.at(kVertices)) : Status::Ok;
  }

 private:
  Status check() {
    const TableBinding& given = options_.table;
    if (!wanted_.vertex_columns.empty() && given.vertices.empty()) {
      return fail(
          wanted_.vertex_columns.begin()->second,
          fmt::format("there is no table of vertices, and so no column `{}`", wanted_.vertex_columns.begin()->first),
          "give one: `--vertices FILE`; columns of edges stand behind the names of edges");
    }
    return given.check(log_);
  }

  Status add_edges(runtime::InputSet& inputs) {
    const TableBinding& given = options_.table;
    runtime::GraphSpec spec;
    spec.name = kEdges;
    spec.path = options_.graph;
    spec.as_list = spec.keep_loops = spec.may_lack_info = true;
    spec.directed = wanted_.directed;
    spec.columns = take_columns(spec.path);
    spec.edge_info = wanted_.edge_labels;
    spec.info = ColumnKind::Text;
    given.put_into(spec);
    if (!wanted_.vertex_labels && !wanted_.all_vertices) {
      spec.vertices_path = spec.labels_path = "";
      spec.id_column = spec.label_column = std::nullopt;
    }
    for (const auto& [name, loc] : wanted_.edge_columns) {
      spec.texts.push_back(name.empty() ? named(ColumnKind::Text, table_.time, ColumnRole::Time, 2)
                                        : ColumnSpec{0, ColumnKind::Text, name});
    }
    if (!given.edge_id.empty()) spec.texts.push_back(named(ColumnKind::Text, given.edge_id, ColumnRole::Any, 0));
    if (!runtime::is_mtg_file(spec.path)) return take_added(inputs.add_graph(spec), spec.path, wanted_.edge_columns);
    runtime::ListSpec list;
    list.name = kEdges;
    list.path = spec.path;
    list.columns = {{0, ColumnKind::Vertex}, {1, ColumnKind::Vertex}};
    list.columns.insert(list.columns.end(), spec.texts.begin(), spec.texts.end());
    // A list has no labels of vertices: files beside it may have them. Its own are refused as its columns are.
    has_label_file_ = wanted_.vertex_labels && !given.labels.empty();
    has_label_column_ = wanted_.vertex_labels && !has_label_file_ && !given.vertices.empty();
    const bool wants_own = wanted_.vertex_labels && !has_label_file_ && !has_label_column_;
    if (wanted_.edge_labels || wants_own) list.columns.push_back({2, ColumnKind::Text});
    return take_added(inputs.add_list(list), spec.path, wanted_.edge_columns);
  }

  runtime::ListSpec list_of(const char* name, const std::string& path) const {
    runtime::ListSpec spec;
    spec.name = name;
    spec.path = path;
    spec.table = options_.table.options();
    return spec;
  }

  Status add_vertices(runtime::InputSet& inputs) const {
    runtime::ListSpec spec = list_of(kVertices, options_.table.vertices);
    spec.columns = {named(ColumnKind::Vertex, options_.table.id, ColumnRole::Id, 0)};
    spec.is_named = !options_.table.id.empty();
    for (const auto& [name, loc] : wanted_.vertex_columns)
      spec.columns.push_back(ColumnSpec{0, ColumnKind::Text, name});
    if (has_label_column_) spec.columns.push_back(named(ColumnKind::Text, options_.table.label, ColumnRole::Any, 1));
    return take_added(inputs.add_list(spec), spec.path, wanted_.vertex_columns);
  }

  Status add_labels(runtime::InputSet& inputs) const {
    runtime::ListSpec spec = list_of(kLabels, options_.table.labels);
    spec.table.heading = runtime::Heading::No;
    spec.columns = {ColumnSpec{0, ColumnKind::Vertex}, ColumnSpec{1, ColumnKind::Text}};
    spec.is_named = true;
    return take_added(inputs.add_list(spec), spec.path, {});
  }

  /// An error about a column that the heading lacks is moved to the pattern.
  Status take_added(const runtime::Status& added, const std::string& path,
                    const std::map<std::string, SourceLoc>& columns) const {
    if (added) return Status::Ok;
    const runtime::Error& error = added.error();
    for (const auto& [name, loc] : columns) {
      const bool lacks_time = name.empty() && error.message.starts_with("which column has the times?");
      if (lacks_time) return fail(loc, fmt::format("{}: {}", path, error.message), "name it: `--time COLUMN`");
      const bool is_lacking = !name.empty() && error.message.ends_with(fmt::format("no column `{}`", name));
      if (is_lacking) return fail(loc, fmt::format("{}: {}", path, error.message), error.hint);
    }
    return log_.error(error);
  }

  Status fail(SourceLoc loc, const std::string& message, const std::string& hint) const {
    Diagnostics diagnostics(sources_);
    diagnostics.error(DiagId::PatternCondition, loc, message, hint);
    log_.report(diagnostics);
    return Status::Query;
  }

  /// Labels that are asked for, and that the files do not have.
  Status check_labels(bool has_edge_labels, bool has_vertex_labels) const {
    if (wanted_.maybe_type && !has_edge_labels) {
      return log_.error_at(Status::Input, sources_, *wanted_.maybe_type,
                           "a type is asked for, and the edges of the file have none",
                           "types are a third column, or that of --edge-label; `-->` is an edge of any");
    }
    const bool is_empty = table_.universe != nullptr && table_.universe->size() == 0;
    if (wanted_.vertex_labels && !has_vertex_labels && !is_empty) {
      return log_.error_at(Status::Input, sources_, wanted_.loc, "the vertices of the graph have no labels",
                           "give them labels with `--labels FILE`, or `--vertices FILE --label COLUMN`");
    }
    return Status::Ok;
  }

  Status take(runtime::Inputs inputs) {
    runtime::InputList& edges = inputs.lists.at(kEdges);
    table_.path = options_.graph;
    table_.how = edges.table;
    table_.universe = inputs.universe;
    table_.rows = edges.size;
    table_.sources = std::move(edges.columns[0].ranks);
    table_.targets = std::move(edges.columns[1].ranks);
    std::size_t at = 2;
    const std::size_t texts = wanted_.edge_columns.size() + (options_.table.edge_id.empty() ? 0 : 1);
    const bool has_edge_labels = edges.columns.size() != at + texts;
    if (has_edge_labels) table_.edge_labels = std::move(edges.columns[at++].texts);
    if (has_label_file_) put_labels(inputs.lists.at(kLabels));
    if (has_label_column_) put_labels(inputs.lists.at(kVertices));
    const Status labels = check_labels(has_edge_labels, edges.vertex_labels || table_.vertex_labels.size() != 0);
    if (labels != Status::Ok) return labels;
    if (wanted_.vertex_labels && edges.vertex_labels) table_.vertex_labels = std::move(*edges.vertex_labels);
    for (const auto& [name, loc] : wanted_.edge_columns) {
      table_.edges.emplace(name, column_of(std::move(edges.columns[at++].texts)));
    }
    if (!options_.table.edge_id.empty()) table_.edge_ids = ids_of(std::move(edges.columns[at].texts));
    if (!table_.edge_ids.lacks.empty()) {
      return log_.error(Status::Input,
                        fmt::format("`--edge-id {}`: ids of edges are whole numbers or text, and each "
                                    "edge has one",
                                    options_.table.edge_id),
                        "");
    }
    Status status = inputs.lists.contains(kVertices) ? take_vertices(inputs.lists.at(kVertices)) : Status::Ok;
    if (status == Status::Ok) status = take_ids();
    if (status != Status::Ok) return status;
    code_texts();
    return status;
  }

  /// The last column of the list by rank.
  void put_labels(const runtime::InputList& list) {
    std::vector<std::string_view> by_rank(table_.universe->size());
    const std::vector<std::uint32_t>& ranks = list.columns[0].ranks;
    for (std::size_t row = 0; row < ranks.size(); ++row) by_rank[ranks[row]] = list.columns.back().texts.at(row);
    for (const std::string_view label : by_rank) table_.vertex_labels.add(runtime::label_form(label));
  }

  /// Columns by row become columns by rank.
  Status take_vertices(runtime::InputList& list) {
    const std::vector<std::uint32_t>& ranks = list.columns[0].ranks;
    std::vector<std::uint64_t> row_of(table_.universe->size(), ranks.size());
    for (std::size_t row = 0; row < ranks.size(); ++row) {
      std::uint64_t& mine = row_of[ranks[row]];
      if (mine != ranks.size()) {
        return log_.error(Status::Input,
                          fmt::format("{}: vertex {} has two rows, {} and {}", options_.table.vertices,
                                      table_.universe->id_text(ranks[row]), mine, row),
                          "");
      }
      mine = row;
    }
    std::size_t at = 1;
    for (const auto& [name, loc] : wanted_.vertex_columns) {
      const runtime::CellTexts& cells = list.columns[at++].texts;
      runtime::CellTexts by_rank;
      for (const std::uint64_t row : row_of) by_rank.add(row == ranks.size() ? std::string_view() : cells.at(row));
      table_.vertices.emplace(name, column_of(std::move(by_rank)));
    }
    return Status::Ok;
  }

  /// The column of the ids of vertices, if conditions name it.
  Status take_ids() {
    if (!wanted_.vertex_ids) return Status::Ok;
    runtime::CellTexts ids;
    for (std::uint64_t rank = 0; rank < table_.universe->size(); ++rank) ids.add(table_.universe->id_text(rank));
    return ledger::take_ids(*table_.universe, std::move(ids), log_, table_.vertices[wanted_.id_name]);
  }

  void code_texts() {
    for (const auto* columns : {&table_.edges, &table_.vertices}) {
      for (const auto& [name, column] : *columns) table_.texts.add(column.texts);
    }
    table_.texts.add(table_.edge_ids.texts);
    for (const std::string& text : wanted_.texts) table_.texts.add(text);
    table_.texts.sort();
    for (auto* columns : {&table_.edges, &table_.vertices}) {
      for (auto& [name, column] : *columns) table_.texts.put_codes(column);
    }
    table_.texts.put_codes(table_.edge_ids);
  }

  const Wanted wanted_;
  const SourceManager& sources_;
  const BindOptions& options_;
  const Reporter& log_;
  Table& table_;
  bool has_label_file_ = false, has_label_column_ = false;  ///< Labels of vertices beside a .mtg.
};

}  // namespace

Status take_ids(const runtime::Universe& universe, runtime::CellTexts ids, const Reporter& log, Column& column) {
  if (universe.kind() == runtime::IdKind::Unsigned) {
    return log.error(Status::Usage, "ids beyond 63 bits are not compared", "`--ids text` takes them as text");
  }
  if (universe.are_places()) {
    return log.error(Status::Usage, "ids of which some are neither text nor ints of 64 bits are not compared",
                     "give the graph ids that are all text");
  }
  column = ids_of(std::move(ids));
  return Status::Ok;
}

Wanted wanted_by(const pattern::PatternSet& set, bool names_ids) {
  Wanted wanted;
  wanted.loc = set.loc;
  wanted.edge_labels =
      std::ranges::any_of(set.edges, [](const pattern::EdgeUse& edge) { return !edge.labels.empty(); });
  wanted.vertex_labels = set.patterns.front().labelled();
  const auto typed = std::ranges::find(set.labels, true, &pattern::LabelUse::of_edge);
  if (wanted.edge_labels) wanted.maybe_type = typed == set.labels.end() ? set.loc : typed->loc;
  const std::function<void(const Condition&)> add = [&](const Condition& term) {
    if (term.kind == Condition::Kind::Text) wanted.texts.push_back(term.text);
    std::ranges::for_each(term.parts, add);
  };
  for (const Condition& condition : set.conditions) {
    add(condition);
    pattern::for_each_column(condition, [&](const Condition& column) {
      if (column.subject.of_edge) {
        wanted.edge_columns.try_emplace(column.text, column.loc);
      } else if (names_ids && column.text == "id") {
        wanted.vertex_ids = true;
      } else if (!column.text.empty()) {
        wanted.vertex_columns.try_emplace(column.text, column.loc);
      }
    });
  }
  return wanted;
}

Status take_time(const std::string& given, const Reporter& log, Table& table) {
  std::string name = given, unit;
  const std::size_t colon = name.rfind(':');
  if (colon != std::string::npos) {
    unit = name.substr(colon + 1);
    name.resize(colon);
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::optional<std::int64_t> ns = ns_of_unit(unit);
    if (!ns || *ns > kSecond || name.empty()) {
      return log.error(Status::Usage, fmt::format("`--time {}`: `{}` is no unit of time", given, unit),
                       "`--time COLUMN:ms`, with s, ms, us or ns");
    }
    table.time_per_second = static_cast<std::uint64_t>(kSecond / *ns);
    table.has_time_unit = true;
  }
  table.time = name;
  return Status::Ok;
}

std::optional<std::uint32_t> Table::rank_of(const std::string& id) const {
  if (find_vertex) return find_vertex(id);
  for (std::uint64_t rank = 0; rank < universe->size(); ++rank) {
    if (universe->id_text(rank) == id) return static_cast<std::uint32_t>(rank);
  }
  return std::nullopt;
}

std::string Table::description(bool directed, bool keeps_loops) const {
  std::uint64_t loops = 0;
  for (std::uint64_t row = 0; row < rows; ++row) loops += sources[row] == targets[row] ? 1 : 0;
  return fmt::format("{}: {}{}{}: {} lines, {} vertices{}", path, how, how.empty() ? "" : ", ",
                     directed ? "directed" : "undirected", rows, universe->size(),
                     loops == 0 || keeps_loops ? "" : fmt::format("; dropped {} loops", loops));
}

Status read_vertices(Wanted wanted, const SourceManager& sources, const BindOptions& options,
                     const runtime::IoOptions& io, const Reporter& log, Table& table) {
  return TableReader(std::move(wanted), sources, options, log, table).run_vertices(io);
}

Status read_table(Wanted wanted, const SourceManager& sources, const BindOptions& options, const runtime::IoOptions& io,
                  const Reporter& log, Table& table) {
  return TableReader(std::move(wanted), sources, options, log, table).run(io);
}

Status read_table(const pattern::PatternSet& set, const SourceManager& sources, const BindOptions& options,
                  bool names_ids, const runtime::IoOptions& io, const Reporter& log, Table& table) {
  Wanted wanted = wanted_by(set, names_ids);
  wanted.directed = options.directed;
  return read_table(std::move(wanted), sources, options, io, log, table);
}

}  // namespace matcha::session::ledger
