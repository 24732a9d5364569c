#include "runtime/graph/detail/raw_graph.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "runtime/graph/detail/tve.h"
#include "runtime/graph/mtg.h"

namespace matcha::runtime::detail {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<ColumnSpec> columns_of(const GraphSpec& spec) {
  std::vector<ColumnSpec> columns = {{0, ColumnKind::Vertex}, {1, ColumnKind::Vertex}};
  if (spec.edge_info || spec.temporal) columns.push_back({2, spec.info});
  for (std::size_t at = 0; at < spec.columns.size() && at < columns.size(); ++at) columns[at].index = spec.columns[at];
  return columns;
}

/// Other formats say what their columns are.
Status check_named_columns(const std::string& path, Format format, bool named) {
  if (!named || format == Format::EdgeList || format == Format::Auto) return Done{};
  return input_error(path, 0, "only the columns of edge lists can be named", "leave the columns out");
}

/// A symmetric matrix stores one triangle; its graph has both directions.
void add_reversed(Rows& rows) {
  for (RowChunk& chunk : rows.chunks) {
    const std::uint64_t count = chunk.rows;
    for (std::uint64_t at = 0; at < count; ++at) {
      const std::int64_t source = chunk.cells[0][at];
      const std::int64_t target = chunk.cells[1][at];
      if (source == target) continue;
      chunk.cells[0].push_back(target);
      chunk.cells[1].push_back(source);
      if (chunk.labels.size() != 0) {
        chunk.labels.values.push_back(chunk.labels.values[at]);
        if (!chunk.labels.is_word.empty()) chunk.labels.is_word.push_back(chunk.labels.is_word[at]);
      } else if (chunk.cells.size() > 2) {
        chunk.cells[2].push_back(chunk.cells[2][at]);
      }
      ++chunk.rows;
    }
    rows.count += chunk.rows - count;
  }
}

Status read_mtg_graph(RawGraph& raw, const IoOptions& options) {
  Result<Graph> graph = read_mtg(raw.spec.path, options);
  if (!graph) return graph.error();
  if ((raw.spec.directed || raw.spec.temporal) && !graph->facts().directed) {
    return input_error(raw.spec.path, 0, "the .mtg is undirected and no longer knows which way its edges went",
                       "convert the graph again with --directed, or with --temporal");
  }
  raw.report.lines = graph->edge_count();
  raw.is_closed = true;
  raw.mtg = std::move(*graph);
  return Done{};
}

Status read_matrix_graph(RawGraph& raw, LineSource& source, const IoOptions& options, Budget& budget) {
  MatrixHeader header;
  Result<Rows> rows = read_matrix(source, RowPlan{columns_of(raw.spec)}, options, budget, header);
  if (!rows) return rows.error();
  raw.rows = std::move(*rows);
  raw.report.lines = raw.rows.count;
  raw.declared = IdRange{1, header.size};
  raw.is_closed = true;
  const bool keeps_arcs = raw.spec.directed || raw.spec.temporal;
  if (keeps_arcs && header.symmetry != MatrixHeader::Symmetry::General) add_reversed(raw.rows);
  return Done{};
}

Status read_tve_graph(RawGraph& raw, LineSource& source, const IoOptions& options, Budget& budget) {
  Result<TveFile> file = read_tve(source, columns_of(raw.spec), options, budget);
  if (!file) return file.error();
  raw.rows = std::move(file->edges);
  raw.report.lines = raw.rows.count;
  raw.vertex_ids = std::move(file->vertex_ids);
  raw.is_closed = !raw.vertex_ids.empty();
  if (file->has_labels) {
    raw.labels =
        RawLabels{raw.spec.path, false, raw.vertex_ids, std::move(file->labels), std::move(file->vertex_lines)};
  }
  return Done{};
}

Status read_edges(RawGraph& raw, const IoOptions& options, Budget& budget) {
  Result<std::unique_ptr<LineSource>> source = LineSource::open(raw.spec.path, options);
  if (!source) return source.error();
  raw.report.compression = (*source)->compression();
  raw.report.file_bytes = (*source)->file_bytes();
  Format format = raw.spec.format;
  if (format == Format::Auto || (*source)->is_mtg()) {
    Result<Format> found = (*source)->sniff();
    if (!found) return found.error();
    format = *found;
  }
  raw.report.format = format;
  Status columns = check_named_columns(raw.spec.path, format, !raw.spec.columns.empty());
  if (!columns) return columns;
  switch (format) {
    case Format::Mtg: return read_mtg_graph(raw, options);
    case Format::MatrixMarket: return read_matrix_graph(raw, **source, options, budget);
    case Format::Tve: return read_tve_graph(raw, **source, options, budget);
    case Format::Auto:
    case Format::EdgeList: break;
  }
  RowPlan plan{columns_of(raw.spec)};
  plan.is_even = raw.spec.columns.empty();
  Result<Rows> rows = read_rows(**source, plan, options, budget);
  if (!rows) return rows.error();
  raw.rows = std::move(*rows);
  raw.report.lines = raw.rows.count;
  return Done{};
}

Status read_vertices(RawGraph& raw, const IoOptions& options, Budget& budget) {
  Result<std::unique_ptr<LineSource>> source = LineSource::open(raw.spec.vertices_path, options);
  if (!source) return source.error();
  if ((*source)->is_mtg()) {
    return input_error(raw.spec.vertices_path, 0, "expected a vertices file, found a .mtg", "one id a line");
  }
  Result<Rows> rows = read_rows(**source, RowPlan{{{0, ColumnKind::Vertex}}}, options, budget);
  if (!rows) return rows.error();
  for (const RowChunk& chunk : rows->chunks) {
    raw.vertex_ids.insert(raw.vertex_ids.end(), chunk.cells[0].begin(), chunk.cells[0].end());
  }
  raw.is_closed = true;
  return Done{};
}

/// One label a line fits the ids 0…labels-1 when all ids of the graph are among them.
void declare_labelled_range(RawGraph& raw) {
  if (!raw.labels || !raw.labels->by_order || raw.is_closed) return;
  const std::uint64_t count = raw.labels->cells.size();
  const auto fits = [count](std::int64_t id) { return id >= 0 && static_cast<std::uint64_t>(id) < count; };
  for (const RowChunk& chunk : raw.rows.chunks) {
    for (std::size_t column = 0; column < 2; ++column) {
      if (!std::all_of(chunk.cells[column].begin(), chunk.cells[column].end(), fits)) return;
    }
  }
  raw.declared = IdRange{0, count};
}

Result<Rows> rows_of_mtg(const ListSpec& spec, const IoOptions& options) {
  Result<Graph> graph = read_mtg(spec.path, options);
  if (!graph) return graph.error();
  const GraphView view = graph->view();
  const bool is_float = graph->facts().info == InfoKind::Float;
  for (const ColumnSpec& column : spec.columns) {
    const bool is_info = column.index == 2 && view.edge_info != nullptr;
    if (column.index > (is_info ? 2U : 1U)) {
      return input_error(spec.path, 0, "the .mtg has no column " + std::to_string(column.index),
                         "0 and 1 are the ends of an edge, 2 is its edge info");
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
      if (!graph->facts().directed && target < source) continue;
      for (std::size_t column = 0; column < spec.columns.size(); ++column) {
        const unsigned index = spec.columns[column].index;
        const std::int64_t end = graph->universe().id(index == 0 ? source : target);
        std::int64_t info = 0;
        if (index == 2) std::memcpy(&info, static_cast<const std::uint64_t*>(view.edge_info) + arc, sizeof(info));
        chunk.cells[column].push_back(index == 2 ? info : end);
      }
      ++chunk.rows;
    }
  }
  rows.count = chunk.rows;
  return rows;
}

}  // namespace

Result<RawGraph> read_raw_graph(const GraphSpec& spec, const IoOptions& options, Budget& budget) {
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  RawGraph raw;
  raw.spec = spec;
  raw.report.path = spec.path;
  raw.report.directed = spec.directed || spec.temporal;
  raw.report.temporal = spec.temporal;
  Status edges = read_edges(raw, options, budget);
  if (!edges) return edges.error();
  if (!spec.vertices_path.empty()) {
    Status vertices = read_vertices(raw, options, budget);
    if (!vertices) return vertices.error();
  }
  if (!spec.labels_path.empty()) {
    Result<RawLabels> labels = read_labels(spec.labels_path, options, budget);
    if (!labels) return labels.error();
    raw.labels = std::move(*labels);
    declare_labelled_range(raw);
  }
  raw.report.read_seconds = seconds_since(start);
  return raw;
}

Result<Rows> read_list(const ListSpec& spec, const IoOptions& options, Budget& budget) {
  Result<std::unique_ptr<LineSource>> source = LineSource::open(spec.path, options);
  if (!source) return source.error();
  Result<Format> format = (*source)->sniff();
  if (!format) return format.error();
  RowPlan plan{spec.columns};
  MatrixHeader header;
  switch (*format) {
    case Format::Mtg: return rows_of_mtg(spec, options);
    case Format::MatrixMarket: return read_matrix(**source, plan, options, budget, header);
    case Format::Tve: {
      Result<TveFile> file = read_tve(**source, spec.columns, options, budget);
      if (!file) return file.error();
      return std::move(file->edges);
    }
    case Format::Auto:
    case Format::EdgeList: break;
  }
  plan.is_even = !spec.is_named;
  return read_rows(**source, plan, options, budget);
}

void collect_ids(const RawGraph& raw, std::vector<IdSpan>& spans, std::vector<IdRange>& ranges) {
  for (const RowChunk& chunk : raw.rows.chunks) {
    for (std::size_t column = 0; column < 2; ++column) {
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
