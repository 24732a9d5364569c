#include "runtime/graph/detail/raw_graph.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <unordered_map>
#include <unordered_set>

#include "runtime/graph/column_names.h"
#include "runtime/graph/detail/duckdb.h"
#include "runtime/graph/detail/ntriples.h"
#include "runtime/graph/detail/raw_rows.h"
#include "runtime/graph/detail/table.h"
#include "runtime/graph/detail/tokens.h"
#include "runtime/graph/detail/tve.h"
#include "runtime/graph/formats/read_format.h"
#include "runtime/graph/mtg.h"

namespace matcha::runtime::detail {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A symmetric matrix stores one triangle; its graph has both directions. `flips`: numbers change their sign.
void add_reversed(Rows& rows, bool flips, bool are_floats) {
  const auto mirrored = [=](std::int64_t cell) {
    if (!flips) return cell;
    return are_floats ? std::bit_cast<std::int64_t>(-std::bit_cast<double>(cell)) : -cell;
  };
  for (RowChunk& chunk : rows.chunks) {
    const std::uint64_t count = chunk.rows;
    for (std::uint64_t at = 0; at < count; ++at) {
      const std::int64_t source = chunk.cells[0][at];
      const std::int64_t target = chunk.cells[1][at];
      if (source == target) continue;
      chunk.cells[0].push_back(target);
      chunk.cells[1].push_back(source);
      if (chunk.labels.size() != 0) {
        const bool is_word = !chunk.labels.is_word.empty() && chunk.labels.is_word[at];
        chunk.labels.values.push_back(is_word ? chunk.labels.values[at] : mirrored(chunk.labels.values[at]));
        if (!chunk.labels.is_word.empty()) chunk.labels.is_word.push_back(chunk.labels.is_word[at]);
      } else if (chunk.cells.size() > 2) {
        chunk.cells[2].push_back(mirrored(chunk.cells[2][at]));
      }
      ++chunk.rows;
    }
    rows.count += chunk.rows - count;
  }
}

Error not_in_pieces(const std::string& path, const std::string& what) {
  return input_error(path, 0, what + " cannot be read with a memory limit");
}

/// Checks that the rows of a .mtg can stay in its file.
Status check_mtg_pieces(const RawGraph& raw, const Graph& graph) {
  const GraphSpec& spec = raw.spec;
  // A new .mtg stores edges by number too, which requires a sort in memory.
  if (graph.facts().info == InfoKind::Int && !graph.label_slices().is_made()) {
    return not_in_pieces(spec.path, "a .mtg with labels of edges, but no rows by label,");
  }
  if (spec.labels_path.empty() && spec.vertices_path.empty()) return Done{};
  return not_in_pieces(spec.path, "a .mtg that gets labels or vertices");
}

Status read_mtg_graph(RawGraph& raw, const IoOptions& options, RunIds& ids) {
  Graph graph = MATCHA_TRY(read_mtg(raw.spec.path, options));
  MATCHA_TRY(options.piece_bytes != 0 ? check_mtg_pieces(raw, graph) : Status(Done{}));
  MATCHA_TRY(check_mtg_ids(raw.spec.path, graph.universe(), ids));
  if ((raw.spec.directed || raw.spec.temporal) && !graph.facts().directed) {
    return input_error(raw.spec.path, 0, "the .mtg is undirected and no longer knows which way its edges went",
                       "convert the graph again with --directed, or with --temporal");
  }
  raw.report.lines = graph.edge_count();
  raw.is_closed = true;
  raw.is_blank = raw.spec.may_lack_info && graph.facts().info == InfoKind::None;
  raw.mtg = std::move(graph);
  return Done{};
}

/// A function that appends rows to the file of edges.
TakeRows taker_of(const RawGraph& raw) {
  return [edges = raw.maybe_edges.get()](const RowChunk& chunk) { return edges->add(chunk); };
}

/// Converts declared vertices to ids of the run.
Status lift_declared(RawGraph& raw, IdKind kind) {
  if (kind == IdKind::Int) return Done{};
  std::vector<std::int64_t> ids;
  for (std::uint64_t at = 0; at < raw.declared.count; ++at) {
    ids.push_back(raw.declared.first + static_cast<std::int64_t>(at));
  }
  raw.declared = IdRange{};
  Status lifted = lift_ids(raw.spec.path, kind, raw.vertex_names, ids);
  raw.vertex_ids.insert(raw.vertex_ids.end(), ids.begin(), ids.end());
  return lifted;
}

/// The same for all ids of a matrix or t/v/e file.
Status lift_graph(RawGraph& raw, IdKind kind) {
  if (kind == IdKind::Int) return Done{};
  Status lifted = lift_ids(raw.spec.path, kind, raw.vertex_names, raw.vertex_ids);
  if (lifted) lifted = lift_declared(raw, kind);
  if (lifted && raw.labels) lifted = lift_ids(raw.spec.path, kind, raw.labels->names, raw.labels->ids);
  if (raw.maybe_edges) {
    raw.maybe_edges->lift();
    return lifted ? lift_ids(raw.spec.path, kind, raw.maybe_edges->names(), raw.maybe_edges->places()) : lifted;
  }
  for (RowChunk& chunk : raw.rows.chunks) {
    for (std::size_t column = 0; column < 2 && lifted; ++column) {
      lifted = lift_ids(raw.spec.path, kind, chunk.names, chunk.cells[column]);
    }
  }
  return lifted;
}

/// Applies the vertices and labels in the table of names of a matrix's comments.
Status name_matrix(RawGraph& raw, const MatrixNames& names, std::uint64_t size, IdKind run) {
  const std::string& path = raw.spec.path;
  MATCHA_TRY(name_rows(path, names, run, columns_of(raw.spec, raw.is_blank), raw.rows));
  if (names.has_numbers() && names.ids.empty()) {
    raw.declared = IdRange{names.first_id, size};
  } else {
    raw.declared = IdRange{};
    for (std::uint64_t row = 1; row <= size; ++row) {
      raw.vertex_ids.push_back(names.cell(static_cast<std::int64_t>(row), run, raw.vertex_names));
    }
  }
  if (names.labelled_rows.empty()) return Done{};
  raw.labels = RawLabels{path, false, {}, {}, names.labels, names.label_lines};
  for (const std::uint64_t row : names.labelled_rows) {
    raw.labels->ids.push_back(names.cell(static_cast<std::int64_t>(row), run, raw.labels->names));
  }
  return Done{};
}

Status read_matrix_graph(RawGraph& raw, LineSource& source, const IoOptions& options, Budget& budget, RunIds& ids) {
  MatrixHeader header;
  const TakeRows take = taker_of(raw);
  RowPlan plan{columns_of(raw.spec, raw.is_blank)};
  if (raw.maybe_edges) plan.maybe_take = &take;
  raw.rows = MATCHA_TRY(read_matrix(source, plan, options, budget, header));
  raw.report.lines = raw.rows.count;
  raw.declared = IdRange{1, header.size};
  raw.is_closed = true;
  const bool keeps_arcs = raw.spec.directed || raw.spec.temporal;
  if (keeps_arcs && header.symmetry != MatrixHeader::Symmetry::General) {
    const bool flips = header.symmetry == MatrixHeader::Symmetry::Skew && plan.columns.size() > 2;
    if (raw.maybe_edges && flips) return not_in_pieces(raw.spec.path, "numbers of a skew-symmetric matrix");
    if (raw.maybe_edges) {
      raw.maybe_edges->reverse();
    } else {
      add_reversed(raw.rows, flips, flips && plan.columns[2].kind == ColumnKind::Float);
    }
  }
  if (raw.maybe_edges) raw.maybe_edges->close(IdKind::Int);
  if (!header.names) return lift_graph(raw, ids.wanted);
  if (raw.maybe_edges) return not_in_pieces(raw.spec.path, "a matrix with names in its comments");
  ids.wanted = std::max(ids.wanted, header.names->kind);
  Status named = name_matrix(raw, *header.names, header.size, ids.wanted);
  return named && header.names->has_numbers() ? lift_graph(raw, ids.wanted) : named;
}

Status read_tve_graph(RawGraph& raw, LineSource& source, const IoOptions& options, Budget& budget) {
  const TakeRows take = taker_of(raw);
  TveRequest ask{columns_of(raw.spec, raw.is_blank)};
  if (raw.maybe_edges) ask.maybe_take = &take;
  TveFile file = MATCHA_TRY(read_tve(source, ask, options, budget));
  raw.rows = std::move(file.edges);
  raw.report.lines = raw.rows.count;
  raw.report.note = std::move(file.note);
  raw.vertex_ids = std::move(file.vertex_ids);
  raw.is_closed = !raw.vertex_ids.empty();
  if (file.has_labels) {
    raw.labels =
        RawLabels{raw.spec.path, false, raw.vertex_ids, {}, std::move(file.labels), std::move(file.vertex_lines)};
  }
  return Done{};
}

/// Stores edges in a file from now on.
Status open_pieces(RawGraph& raw, LineSource& source, const IoOptions& options) {
  raw.maybe_edges = MATCHA_TRY(EdgeFile::create(options));
  source.read_once();
  return Done{};
}

/// Checks that ends of edges in a file are vertices of the t/v/e file. A second pass finds the first that is not.
Status find_stranger(const RawGraph& raw, const LineSource& source, const IoOptions& options) {
  if (raw.vertex_ids.empty()) return Done{};
  std::vector<std::int64_t> listed = raw.vertex_ids;
  std::sort(listed.begin(), listed.end());
  const IdSpan ids = raw.maybe_edges->numbers();
  if (std::includes(listed.begin(), listed.end(), ids.ids, ids.ids + ids.count)) return Done{};
  std::unique_ptr<LineSource> again = MATCHA_TRY(source.again(options));
  const TakeRows drop = [](const RowChunk&) -> Status { return Done{}; };
  Budget budget(options);
  const Result<TveFile> found = read_tve(*again, {columns_of(raw.spec, raw.is_blank), &drop, &listed}, options, budget);
  return found ? Status(Done{}) : Status(found.error());
}

/// Opens the file of the edges, or the rows of the query.
Result<std::unique_ptr<LineSource>> open_edges(RawGraph& raw, const IoOptions& options) {
  if (raw.spec.sql.empty()) return LineSource::open(raw.spec.path, options);
  raw.spec.path = kSqlPath;
  raw.report.path = kSqlPath;
  raw.spec.format = Format::EdgeList;
  raw.spec.table.heading = Heading::Yes;
  std::shared_ptr<const FileBytes> rows = MATCHA_TRY(query_table(raw.spec.sql, options));
  return LineSource::of_bytes(rows, kSqlPath, options);
}

/// Detects the format if `format` is Auto. Consumes a size line of an edge list and stores it in `raw.declared`.
Status find_format(RawGraph& raw, LineSource& source, const IoOptions& options, Format& format) {
  const bool asked_edges = format == Format::EdgeList;
  if (format == Format::Auto || source.is_mtg()) {
    format = MATCHA_TRY(source.sniff(sets_table_options(raw.spec.table) || !raw.spec.columns.empty()));
  }
  if (format == Format::EdgeList && raw.spec.sql.empty()) {
    SizeLine size = MATCHA_TRY(take_size_line(source, columns_of(raw.spec, raw.is_blank), raw.spec.table, asked_edges,
                                              raw.spec.directed, format, options));
    raw.declared = size.vertices;
    raw.is_closed = raw.declared.count != 0;
    raw.has_size_line = raw.is_closed;
    raw.report.note = std::move(size.note);
    raw.report.guessed_size = size.is_guessed;
  }
  raw.report.format = format;
  const FormatEntry& entry = entry_of(format);
  Status labels = check_label_column(raw.spec, entry);
  if (!labels || entry.maybe_read != nullptr) return labels;
  return check_named_columns(raw.spec.path, format, !raw.spec.columns.empty());
}

/// Formats other than tables have no columns beside labels.
Status fit_list(RawGraph& raw, Format format) {
  raw.spec.info = ColumnKind::Label;
  if (format == Format::EdgeList || raw.spec.texts.empty()) return Done{};
  return columns_of_no_table(raw.spec.path, format);
}

Status read_edges(RawGraph& raw, const IoOptions& options, Budget& budget, RunIds& ids) {
  std::unique_ptr<LineSource> source = MATCHA_TRY(open_edges(raw, options));
  raw.report.compression = source->compression();
  raw.report.file_bytes = source->file_bytes();
  Format format = raw.spec.format != Format::Auto ? raw.spec.format : raw.spec.table.format;
  Status columns = find_format(raw, *source, options, format);
  if (!columns) return columns;
  if (columns && format != Format::Mtg && options.piece_bytes != 0) columns = open_pieces(raw, *source, options);
  if (!columns) return columns;
  if (raw.spec.as_list) MATCHA_TRY(fit_list(raw, format));
  if (const FormatEntry& entry = entry_of(format); entry.maybe_read != nullptr) {
    MATCHA_TRY(read_format(raw, entry, *source, options, budget, ids));
    return lift_declared(raw, ids.wanted);
  }
  switch (format) {
    case Format::Mtg: return read_mtg_graph(raw, options, ids);
    case Format::MatrixMarket: return read_matrix_graph(raw, *source, options, budget, ids);
    case Format::Tve: {
      Status read = read_tve_graph(raw, *source, options, budget);
      if (read && raw.maybe_edges) {
        raw.maybe_edges->close(IdKind::Int);
        read = find_stranger(raw, *source, options);
      }
      return read ? lift_graph(raw, ids.wanted) : read;
    }
    default: break;
  }
  const TakeRows take = taker_of(raw);
  TableRequest ask{columns_of(raw.spec, raw.is_blank), !raw.spec.columns.empty(), raw.spec.table, ids.kind};
  if (raw.maybe_edges) ask.maybe_take = &take;
  ask.drops_repeats = !raw.spec.edge_info && !raw.spec.temporal && !raw.spec.as_list;
  Rows rows = MATCHA_TRY(format == Format::NTriples ? read_triples_as(*source, ask.columns, raw.spec.table,
                                                                      ask.maybe_take, options, budget, ids)
                                                    : read_table(*source, ask, options, budget, ids.wanted));
  raw.report.table = std::move(rows.table);
  raw.report.comments = rows.comments;
  raw.report.leading_zeros = rows.leading_zeros;
  raw.rows = std::move(rows);
  raw.report.lines = raw.rows.count + raw.rows.repeats;
  raw.report.duplicates = raw.rows.repeats;
  if (raw.maybe_edges) raw.maybe_edges->close(ids.wanted);
  return lift_declared(raw, ids.wanted);
}

/// The labels of rows of vertices, whose ids were moved to `ids`.
RawLabels labels_of_rows(const std::string& path, Rows& rows, const std::vector<std::int64_t>& ids) {
  RawLabels labels;
  labels.path = path;
  labels.ids = ids;
  std::unordered_map<std::string, std::int64_t> positions;
  for (RowChunk& chunk : rows.chunks) {
    for (const std::uint64_t line : chunk.row_lines) labels.lines.push_back(chunk.first_line + line);
    append_labels(labels.cells, std::move(chunk.labels), positions);
  }
  return labels;
}

/// The ids of column 0 of all chunks; ids that are text become numbers of `names`.
std::vector<std::int64_t> take_ids(Rows& rows, IdKind kind, NameTable& names) {
  std::vector<std::int64_t> ids;
  ids.reserve(rows.count);
  for (RowChunk& chunk : rows.chunks) {
    for (const std::int64_t cell : chunk.cells[0]) {
      ids.push_back(kind == IdKind::Text ? names.intern(chunk.names.name(static_cast<std::uint64_t>(cell))) : cell);
    }
  }
  return ids;
}

/// The column of labels in a vertices file, if the user names none and no labels file: the one whose name in the
/// heading is usual, such as `type`, or `label` among several. A heading names the column of ids too.
Result<std::optional<ColumnRef>> usual_label_column(const GraphSpec& spec, LineSource& source) {
  if (!spec.labels_path.empty() || spec.table.heading == Heading::No) return std::optional<ColumnRef>();
  std::vector<std::vector<std::string>> lines = MATCHA_TRY(first_cells(source, 1));
  std::vector<std::string> found;
  bool has_ids = spec.id_column.has_value();
  for (const std::string& name : lines.empty() ? std::vector<std::string>() : lines.front()) {
    has_ids = has_ids || id_likeness(name) != 0;
    if (is_usual_name(name, ColumnRole::Label)) found.push_back(name);
  }
  const auto label =
      std::find_if(found.begin(), found.end(), [](const std::string& name) { return lower_case(name) == "label"; });
  if (!has_ids || found.empty() || (found.size() > 1 && label == found.end())) return std::optional<ColumnRef>();
  return std::optional<ColumnRef>(label == found.end() ? found.front() : *label);
}

/// Whether the files that were read have no ids, so that the next one decides about their kind.
bool has_no_ids(const RawGraph& raw) {
  const bool has_ids_of_edges =
      raw.maybe_edges && (raw.maybe_edges->numbers().count != 0 || raw.maybe_edges->has_places());
  return raw.rows.count == 0 && !has_ids_of_edges && !raw.mtg && raw.vertex_ids.empty() && raw.declared.count == 0;
}

Status read_vertices(RawGraph& raw, const IoOptions& options, Budget& budget, RunIds& ids) {
  const GraphSpec& spec = raw.spec;
  std::unique_ptr<LineSource> source = MATCHA_TRY(LineSource::open(spec.vertices_path, options));
  if (source->is_mtg()) {
    return input_error(spec.vertices_path, 0, "expected a vertices file, found a .mtg", "one id a line");
  }
  std::optional<ColumnRef> label = spec.label_column;
  const bool has_labels = raw.labels || (raw.mtg && raw.mtg->view().labels != nullptr);
  if (!label && !has_labels) {
    label = MATCHA_TRY(usual_label_column(spec, *source));
  }
  TableRequest ask{{{0, ColumnKind::Vertex, "", ColumnRole::Id}}, true, spec.table, std::max(ids.kind, ids.wanted)};
  ask.decides_ids = has_no_ids(raw);
  ask.lists_vertices = label.has_value();
  if (spec.id_column) ask.columns[0] = {spec.id_column->index, ColumnKind::Vertex, spec.id_column->name};
  if (label) ask.columns.push_back({label->index, ColumnKind::Label, label->name});
  const bool by_name = !ask.columns[0].name.empty() || (ask.columns.size() > 1 && !ask.columns[1].name.empty());
  if (by_name) ask.options.heading = Heading::Auto;
  ask.options.text_ids = false;
  Rows rows = MATCHA_TRY(read_table(*source, ask, options, budget, ids.wanted));
  std::vector<std::int64_t> listed = take_ids(rows, ids.wanted, raw.vertex_names);
  if (label) {
    raw.labels = labels_of_rows(spec.vertices_path, rows, listed);
    if (ids.wanted == IdKind::Text) {
      raw.labels->ids.clear();
      raw.labels->ids = take_ids(rows, ids.wanted, raw.labels->names);
    }
  }
  raw.vertex_ids.insert(raw.vertex_ids.end(), listed.begin(), listed.end());
  raw.is_closed = true;
  return Done{};
}

/// `decides`: no file before has an id.
Result<RawLabels> read_labels(const std::string& path, bool decides, const IoOptions& options, Budget& budget,
                              RunIds& ids) {
  std::unique_ptr<LineSource> source = MATCHA_TRY(LineSource::open(path, options));
  if (source->is_mtg()) {
    return input_error(path, 0, "expected a labels file, found a .mtg", "a .mtg carries its own labels");
  }
  constexpr std::size_t kLookedAt = 100;
  std::vector<std::vector<std::string>> lines = MATCHA_TRY(first_cells(*source, kLookedAt));
  // The first line may be a heading.
  const bool has_text = !lines.empty() && lines.back().size() == 2 && !is_meant_as_number(lines.back().front());
  if (decides && has_text) ids.wanted = IdKind::Text;
  const IdKind kind = std::max(ids.kind, ids.wanted);
  MATCHA_TRY(check_label_columns(*source, lines, kind));
  if (kind == IdKind::Int) {
    std::optional<RawLabels> plain = MATCHA_TRY(read_plain_labels(*source, options, budget));
    if (plain) return std::move(*plain);
  }
  TableRequest ask{{{0, ColumnKind::Vertex}, {1, ColumnKind::Label}}, false, {}, kind};
  ask.has_types = true;
  ask.decides_ids = false;
  ask.lists_vertices = true;
  const std::size_t columns = lines.empty() ? 0 : lines.front().size();
  if (columns == 1) ask.columns = {{0, ColumnKind::Label}};
  if (columns > 2) {
    return input_error(path, source->first_line(), "the line has " + std::to_string(columns) + " columns",
                       "a label, or an id and a label; of wider tables: --vertices FILE --id COLUMN --label COLUMN");
  }
  Rows rows = MATCHA_TRY(read_table(*source, ask, options, budget, ids.wanted));
  RawLabels labels = labels_of_rows(path, rows, {});
  labels.by_order = columns == 1;
  if (!labels.by_order) labels.ids = take_ids(rows, ids.wanted, labels.names);
  return labels;
}

/// Calls `visit` with the ends of edges, as text, until it returns false.
template <typename Visit>
void for_each_end(const RawGraph& raw, IdKind kind, const Visit& visit) {
  for (const RowChunk& chunk : raw.rows.chunks) {
    for (std::uint64_t at = 0; kind == IdKind::Text && at < chunk.names.size(); ++at) {
      if (!visit(chunk.names.name(at))) return;
    }
    for (std::size_t column = 0; kind == IdKind::Int && column < 2; ++column) {
      for (const std::int64_t id : chunk.cells[column]) {
        if (!visit(std::to_string(id))) return;
      }
    }
  }
}

std::string label_id(const RawLabels& labels, std::size_t at, IdKind kind) {
  const std::int64_t id = labels.ids[at];
  return kind == IdKind::Text ? std::string(labels.names.name(static_cast<std::uint64_t>(id))) : std::to_string(id);
}

/// True if some of the first ends of edges has a label, as in nearly all files. Looks at a few ids.
bool labels_first_ends(const RawGraph& raw, IdKind kind) {
  constexpr std::size_t kEnds = 64, kLabels = 1024;
  std::unordered_set<std::string> ends;
  for_each_end(raw, kind, [&ends](const std::string_view end) {
    ends.emplace(end);
    return ends.size() < kEnds;
  });
  for (std::size_t at = 0; at < std::min(kLabels, raw.labels->ids.size()); ++at) {
    if (ends.contains(label_id(*raw.labels, at, kind))) return true;
  }
  return false;
}

/// If no id of a labels file is an end of an edge but all of its labels are, its columns are swapped.
Status check_turned_labels(const RawGraph& raw, IdKind kind) {
  const RawLabels& labels = *raw.labels;
  if (labels.by_order || labels.cells.size() == 0 || raw.rows.count == 0 || raw.maybe_edges) return Done{};
  if (kind == IdKind::Unsigned || labels_first_ends(raw, kind)) return Done{};
  std::unordered_set<std::string> words(labels.cells.words.begin(), labels.cells.words.end());
  for (std::size_t at = 0; at < labels.cells.size(); ++at) {
    const bool is_word = !labels.cells.is_word.empty() && labels.cells.is_word[at];
    if (!is_word) words.insert(std::to_string(labels.cells.values[at]));
  }
  std::unordered_set<std::string> missing = words, ends;
  for_each_end(raw, kind, [&](const std::string_view end) {
    missing.erase(std::string(end));
    return !missing.empty();
  });
  if (!missing.empty()) return Done{};
  for_each_end(raw, kind, [&ends](const std::string_view end) { return ends.emplace(end), true; });
  for (std::size_t at = 0; at < labels.ids.size(); ++at) {
    if (ends.contains(label_id(labels, at, kind))) return Done{};
  }
  return input_error(labels.path, labels.lines.front(),
                     "no id of the labels file has an edge, and each of its labels is the id of a vertex that has one",
                     "a labels file has the id first; of other tables the columns are named: --vertices " +
                         labels.path + " --id 1 --label 0");
}

/// A file with one label a line gives labels to the ids 0…labels-1, if these include all ids of the graph and 0 is one
/// of them: else the labels may be those of 1…labels.
void declare_labelled_range(RawGraph& raw, IdKind kind) {
  if (!raw.labels || !raw.labels->by_order || raw.is_closed || kind != IdKind::Int) return;
  const std::uint64_t count = raw.labels->cells.size();
  bool has_zero = false;
  const auto fits = [count, &has_zero](std::int64_t id) {
    has_zero = has_zero || id == 0;
    return id >= 0 && static_cast<std::uint64_t>(id) < count;
  };
  const IdSpan numbers = raw.maybe_edges ? raw.maybe_edges->numbers() : IdSpan{};
  if (!std::all_of(numbers.ids, numbers.ids + numbers.count, fits)) return;
  for (const RowChunk& chunk : raw.rows.chunks) {
    for (std::size_t column = 0; column < 2 && !raw.maybe_edges; ++column) {
      if (!std::all_of(chunk.cells[column].begin(), chunk.cells[column].end(), fits)) return;
    }
  }
  if (has_zero) raw.declared = IdRange{0, count};
}

}  // namespace

std::vector<ColumnSpec> columns_of(const GraphSpec& spec, bool is_blank) {
  std::vector<ColumnSpec> columns = {{0, ColumnKind::Vertex, "", ColumnRole::Source},
                                     {1, ColumnKind::Vertex, "", ColumnRole::Target}};
  if ((spec.edge_info && !is_blank) || spec.temporal) {
    const bool is_label = spec.info == ColumnKind::Label || spec.info == ColumnKind::Text;
    columns.push_back({2, spec.info, "",
                       spec.temporal ? ColumnRole::Time
                       : is_label    ? ColumnRole::Label
                                     : ColumnRole::Info});
  }
  for (std::size_t at = 0; at < spec.columns.size() && at < columns.size(); ++at) {
    const ColumnRef& given = spec.columns[at];
    if (given.is_given) columns[at] = {given.index, columns[at].kind, given.name};
  }
  columns.insert(columns.end(), spec.texts.begin(), spec.texts.end());
  return columns;
}

Result<RawGraph> read_raw_graph(const GraphSpec& spec, const IoOptions& options, Budget& budget, RunIds& ids) {
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  RawGraph raw;
  raw.spec = spec;
  raw.report.path = spec.path;
  raw.report.directed = spec.directed || spec.temporal;
  raw.report.temporal = spec.temporal;
  if (spec.table.text_ids) ids.wanted = IdKind::Text;
  raw.is_blank = spec.may_lack_info && spec.columns.size() == 2;
  Status edges = read_edges(raw, options, budget, ids);
  const bool is_lacking = !edges && (edges.error().lacks_edge_info || edges.error().hint == kNoEdgeLabel);
  if (is_lacking) edges.error().lacks_edge_info = true;
  const bool is_skipped = !edges && spec.may_skip_info && edges.error().kind == ErrorKind::Input;
  if ((is_lacking || is_skipped) && spec.may_lack_info && !raw.is_blank) {
    // All lines have two columns, or the first exception is reported now.
    raw = RawGraph(raw.spec, raw.report);
    raw.is_blank = true;
    edges = read_edges(raw, options, budget, ids);
  }
  if (!edges) return edges.error();
  if (!spec.vertices_path.empty()) {
    MATCHA_TRY(read_vertices(raw, options, budget, ids));
  }
  if (!spec.labels_path.empty()) {
    const IdKind kind = ids.wanted;
    raw.labels = MATCHA_TRY(read_labels(spec.labels_path, has_no_ids(raw), options, budget, ids));
    MATCHA_TRY(kind == ids.wanted ? check_turned_labels(raw, kind) : Status(Done{}));
    declare_labelled_range(raw, ids.wanted);
  }
  raw.report.read_seconds = seconds_since(start);
  return raw;
}

void collect_names(Rows& rows, const std::vector<ColumnSpec>& columns, std::vector<NamedCells>& cells) {
  for (RowChunk& chunk : rows.chunks) {
    NamedCells& piece = cells.emplace_back(NamedCells{&chunk.names, {}});
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if (columns[column].kind == ColumnKind::Vertex) piece.columns.push_back(&chunk.cells[column]);
    }
  }
}

void collect_names(RawGraph& raw, std::vector<NamedCells>& cells) {
  if (raw.maybe_edges) {
    cells.push_back({&raw.maybe_edges->names(), {&raw.maybe_edges->places()}});
  } else {
    collect_names(raw.rows, {{0, ColumnKind::Vertex}, {1, ColumnKind::Vertex}}, cells);
  }
  cells.push_back({&raw.vertex_names, {&raw.vertex_ids}});
  if (raw.labels && !raw.labels->by_order) cells.push_back({&raw.labels->names, {&raw.labels->ids}});
  cells.push_back({&raw.mtg_names, {&raw.mtg_ids}});
}

void lift_mtg(RawGraph& raw, IdKind kind) {
  if (!raw.mtg) return;
  const Universe& universe = raw.mtg->universe();
  raw.mtg_ids.reserve(universe.size());
  for (std::uint64_t rank = 0; rank < universe.size(); ++rank) {
    raw.mtg_ids.push_back(id_of_mtg(universe, rank, kind, raw.mtg_names));
  }
}

bool is_lone_mtg(const RawGraph& raw) {
  return raw.mtg && raw.vertex_ids.empty() && (!raw.labels || raw.labels->by_order);
}

void collect_ids(const RawGraph& raw, std::vector<IdSpan>& spans, std::vector<IdRange>& ranges) {
  if (raw.maybe_edges) spans.push_back(raw.maybe_edges->numbers());
  for (const RowChunk& chunk : raw.rows.chunks) {
    for (std::size_t column = 0; column < 2 && !raw.maybe_edges; ++column) {
      spans.push_back(IdSpan{chunk.cells[column].data(), chunk.cells[column].size()});
    }
  }
  spans.push_back(IdSpan{raw.vertex_ids.data(), raw.vertex_ids.size()});
  if (raw.labels && !raw.is_closed) spans.push_back(IdSpan{raw.labels->ids.data(), raw.labels->ids.size()});
  if (raw.declared.count != 0) ranges.push_back(raw.declared);
  if (raw.mtg) {
    const Universe& universe = raw.mtg->universe();
    if (universe.is_identity()) {
      if (universe.size() != 0) ranges.push_back(IdRange{0, universe.size()});
    } else {
      spans.push_back(IdSpan{universe.ids(), universe.size()});
    }
  }
}

}  // namespace matcha::runtime::detail
