#include "runtime/graph/detail/raw_rows.h"

#include <algorithm>
#include <cstring>

#include "runtime/graph/detail/ntriples.h"
#include "runtime/graph/detail/table.h"
#include "runtime/graph/detail/tve.h"
#include "runtime/graph/formats/read_format.h"
#include "runtime/graph/mtg.h"

namespace matcha::runtime::detail {

namespace {

/// Describes how N-Triples were read, for LoadReport::table.
std::string text_of_triples(std::uint64_t literals, bool dropped) {
  std::string text(format_name(Format::NTriples));
  if (literals == 0) return text;
  return text + ", " + std::to_string(literals) + (literals == 1 ? " literal" : " literals") +
         (dropped ? " left out" : "");
}

Result<Rows> rows_of_mtg(const ListSpec& spec, const IoOptions& options, RunIds& ids) {
  Graph graph = MATCHA_TRY(read_mtg(spec.path, options));
  MATCHA_TRY(check_mtg_ids(spec.path, graph.universe(), ids));
  const IdKind kind = ids.wanted;
  const GraphView view = graph.view();
  const bool is_float = graph.facts().info == InfoKind::Float;
  for (const ColumnSpec& column : spec.columns) {
    const bool is_info = column.index == 2 && view.edge_info != nullptr;
    if (column.index > (is_info ? 2U : 1U)) {
      return input_error(spec.path, 0, "the .mtg has no column " + std::to_string(column.index),
                         "0 and 1 are the ends of an edge, 2 is its edge info");
    }
    if (is_info && graph.facts().word_info) {
      return input_error(spec.path, 0, "the edges of the .mtg have labels that are words, and a list has numbers");
    }
    if (is_info && (column.kind == ColumnKind::Float) != is_float) {
      return input_error(spec.path, 0, std::string("the edge info of the .mtg is ") + (is_float ? "float" : "int"));
    }
  }
  Rows rows;
  RowChunk& chunk = rows.chunks.emplace_back();
  chunk.cells.resize(spec.columns.size());
  for (std::uint64_t source = 0; source < view.universe; ++source) {
    for (std::uint64_t arc = view.offsets[source]; arc < view.offsets[source + 1]; ++arc) {
      const std::uint64_t target = view.neighbors[arc];
      if (!graph.facts().directed && target < source) continue;
      for (std::size_t column = 0; column < spec.columns.size(); ++column) {
        const unsigned index = spec.columns[column].index;
        const std::uint64_t rank = index == 0 ? source : target;
        std::int64_t info = 0;
        if (index == 2) std::memcpy(&info, static_cast<const std::uint64_t*>(view.edge_info) + arc, sizeof(info));
        if (index == 2) {
          chunk.cells[column].push_back(info);
        } else {
          chunk.cells[column].push_back(id_of_mtg(graph.universe(), rank, kind, chunk.names));
        }
      }
      ++chunk.rows;
    }
  }
  rows.count = chunk.rows;
  return rows;
}

bool has_role(const ColumnSpec& column) { return column.role != ColumnRole::Any; }
bool takes_text(const ColumnSpec& column) { return column.kind == ColumnKind::Text; }

/// The columns of a list. A heading selects those of edges and vertices that the user does not name.
std::vector<ColumnSpec> columns_of(const ListSpec& spec) {
  std::vector<ColumnSpec> columns = spec.columns;
  if (std::ranges::any_of(columns, has_role)) return columns;
  for (std::size_t at = 0; at < columns.size() && !spec.is_named; ++at) {
    const bool is_vertex = columns[at].kind == ColumnKind::Vertex;
    columns[at].role = ColumnRole::Next;
    if (columns.size() == 1 && is_vertex) columns[at].role = ColumnRole::Id;
    if (columns.size() > 1 && at < 2) columns[at].role = at == 0 ? ColumnRole::Source : ColumnRole::Target;
    if (at == 2 && !is_vertex) columns[at].role = ColumnRole::Info;
  }
  return columns;
}

}  // namespace

Status check_named_columns(const std::string& path, Format format, bool named) {
  if (!named || format == Format::EdgeList || format == Format::Auto) return Done{};
  return input_error(path, 0, "only the columns of edge lists can be named", "leave the columns out");
}

Error columns_of_no_table(const std::string& path, Format format) {
  return input_error(path, 0, "the file is " + std::string(format_name(format)) + ", and columns are those of tables",
                     "a table is a text with a line for each edge, and the names of its columns above");
}

bool sets_table_options(const TableOptions& table) { return table.text_ids || table.heading != Heading::Auto; }

std::int64_t id_of_mtg(const Universe& universe, std::uint64_t rank, IdKind kind, NameTable& names) {
  if (kind == IdKind::Text) return names.intern(universe.id_text(rank));
  if (kind == IdKind::Int) return universe.id(rank);
  const std::uint64_t id =
      universe.names() != nullptr ? universe.names()->number(rank) : static_cast<std::uint64_t>(universe.id(rank));
  return flip_id(id);
}

Status check_mtg_ids(const std::string& path, const Universe& universe, RunIds& ids) {
  ids.wanted = std::max(ids.wanted, universe.kind());
  if (ids.wanted == universe.kind()) return Done{};
  const bool negative = universe.size() != 0 && universe.kind() == IdKind::Int && universe.id(0) < 0;
  if (ids.wanted == IdKind::Unsigned && !negative) return Done{};
  return input_error(path, 0, "the ids of the .mtg are integers, those of another input are not",
                     "convert the graph again with `--ids text`");
}

Status lift_ids(const std::string& path, IdKind kind, NameTable& names, std::vector<std::int64_t>& ids) {
  for (std::int64_t& id : ids) {
    if (kind == IdKind::Unsigned && id < 0) {
      return input_error(path, 0, "id `" + std::to_string(id) + "` is negative, and others are beyond 64 bits",
                         "`--ids text` takes all of them as text");
    }
    if (kind == IdKind::Unsigned) id = flip_id(static_cast<std::uint64_t>(id));
    if (kind == IdKind::Text) id = names.intern(std::to_string(id));
  }
  return Done{};
}

Result<Rows> read_triples_as(LineSource& source, const std::vector<ColumnSpec>& columns, const TableOptions& table,
                             const TakeRows* maybe_take, const IoOptions& options, Budget& budget, RunIds& ids) {
  TripleRows read = MATCHA_TRY(read_triples(source, columns, table.drop_literals, maybe_take, options, budget));
  ids.wanted = IdKind::Text;
  read.rows.table = text_of_triples(read.literals, table.drop_literals);
  return std::move(read.rows);
}

Result<Rows> read_list(const ListSpec& spec, const IoOptions& options, Budget& budget, RunIds& ids) {
  std::unique_ptr<LineSource> source = MATCHA_TRY(LineSource::open(spec.path, options));
  const bool is_table = sets_table_options(spec.table) || spec.is_named;
  Format format =
      MATCHA_TRY(spec.table.format == Format::Auto ? source->sniff(is_table) : Result<Format>(spec.table.format));
  TableOptions table = spec.table;
  if (format != Format::EdgeList && std::ranges::any_of(spec.columns, takes_text)) {
    return columns_of_no_table(spec.path, format);
  }
  if (format == Format::EdgeList) {
    // Only lists of edges can have a size line.
    const bool are_edges = spec.columns.size() == 2 && spec.columns[0].index == 0 && spec.columns[1].index == 1;
    SizeLine size = MATCHA_TRY(!are_edges ? Result<SizeLine>(SizeLine{})
                                          : take_size_line(*source, spec.columns, table,
                                                           table.format == Format::EdgeList, false, format, options));
  }
  if (const FormatEntry& entry = entry_of(format); entry.maybe_read != nullptr) {
    if (spec.table.text_ids) ids.wanted = IdKind::Text;
    return read_format_rows(spec, entry, *source, options, budget, ids);
  }
  const bool by_name = std::any_of(spec.columns.begin(), spec.columns.end(),
                                   [](const ColumnSpec& column) { return !column.name.empty(); });
  MATCHA_TRY(check_named_columns(spec.path, format, by_name));
  if (spec.table.text_ids) ids.wanted = IdKind::Text;
  MatrixHeader header;
  Rows lifted;
  switch (format) {
    case Format::Mtg: return rows_of_mtg(spec, options, ids);
    case Format::MatrixMarket: {
      lifted = MATCHA_TRY(read_matrix(*source, RowPlan{spec.columns}, options, budget, header));
      if (!header.names) break;
      ids.wanted = std::max(ids.wanted, header.names->kind);
      MATCHA_TRY(name_rows(spec.path, *header.names, ids.wanted, spec.columns, lifted));
      if (!header.names->has_numbers()) return lifted;
      break;
    }
    case Format::Tve: {
      TveFile file = MATCHA_TRY(read_tve(*source, {spec.columns}, options, budget));
      lifted = std::move(file.edges);
      break;
    }
    case Format::NTriples: return read_triples_as(*source, spec.columns, spec.table, nullptr, options, budget, ids);
    default: {
      TableRequest ask{columns_of(spec), spec.is_named, table, ids.kind};
      ask.is_list = std::ranges::none_of(spec.columns, has_role);
      return read_table(*source, ask, options, budget, ids.wanted);
    }
  }
  for (RowChunk& chunk : lifted.chunks) {
    for (std::size_t column = 0; column < spec.columns.size(); ++column) {
      if (spec.columns[column].kind != ColumnKind::Vertex) continue;
      MATCHA_TRY(lift_ids(spec.path, ids.wanted, chunk.names, chunk.cells[column]));
    }
  }
  return lifted;
}

}  // namespace matcha::runtime::detail
