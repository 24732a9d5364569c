#include "runtime/graph/formats/read_format.h"

#include <algorithm>
#include <utility>

#include "runtime/graph/formats/first_line.h"
#include "runtime/graph/formats/graph_sink.h"

namespace matcha::runtime::detail {

namespace {

/// Checks that edges are columns 0, 1 and 2. The last one may name an attribute of edges.
Status check_columns(const std::string& path, const FormatEntry& entry, std::vector<ColumnSpec>& columns) {
  for (std::size_t at = 0; at < columns.size(); ++at) {
    if (columns[at].name.empty()) continue;
    if (entry.has_attributes && at == 2) {
      columns[at].index = 2;
      continue;
    }
    return input_error(path, 0, std::string(entry.name) + " has no column " + quote(columns[at].name),
                       entry.has_attributes ? "`--edge-label` names an attribute of edges" : "leave the columns out");
  }
  return Done{};
}

Result<FileGraph> read_sink(LineSource& source, SinkRequest request, const FormatEntry& entry, const IoOptions& options,
                            Budget& budget, RunIds& ids) {
  GraphSink sink(source.path(), std::move(request), options, budget);
  Status read = entry.maybe_read(source, sink);
  ids.wanted = std::max(ids.wanted, sink.wanted_ids());
  if (!read) return read.error();
  return sink.finish();
}

std::string direction_note(const FileGraph& graph, bool keeps_arcs) {
  if (graph.arc_count != 0 && !keeps_arcs) return "the file is directed, `--directed` keeps its arcs";
  if (graph.undirected_count != 0 && keeps_arcs) {
    return "undirected edges of the file are arcs in both directions";
  }
  return "";
}

}  // namespace

Status check_label_column(const GraphSpec& spec, const FormatEntry& entry) {
  if (!spec.label_column || !spec.vertices_path.empty()) return Done{};
  if (entry.has_attributes && !spec.label_column->name.empty()) return Done{};
  return input_error(spec.path, 0, "`--label` is a column of a file of vertices, or an attribute of GraphML or GML",
                     "add `--vertices FILE`");
}

Status read_format(RawGraph& raw, const FormatEntry& entry, LineSource& source, const IoOptions& options,
                   Budget& budget, RunIds& ids) {
  const GraphSpec& spec = raw.spec;
  SinkRequest request{columns_of(spec, raw.is_blank)};
  MATCHA_TRY(check_columns(spec.path, entry, request.columns));
  if (spec.label_column && spec.vertices_path.empty()) request.label = spec.label_column->name;
  request.keeps_arcs = spec.directed || spec.temporal;
  request.is_once = spec.as_list && !spec.directed;
  request.ids = std::max(ids.kind, ids.wanted);
  const TakeRows take = [&raw](const RowChunk& chunk) { return raw.maybe_edges->add(chunk); };
  if (raw.maybe_edges) request.maybe_take = &take;
  const bool keeps_arcs = request.keeps_arcs;
  FileGraph file = MATCHA_TRY(read_sink(source, std::move(request), entry, options, budget, ids));
  raw.report.lines = file.edge_count;
  raw.report.note = file.note.empty() ? direction_note(file, keeps_arcs) : file.note;
  if (file.graphs > 1) {
    raw.report.graphs = file.graphs;
    raw.report.note = "a set of " + std::to_string(file.graphs) + " graphs, vertices are `graph:vertex`";
  }
  raw.rows = std::move(file.edges);
  if (raw.maybe_edges) raw.maybe_edges->close(ids.wanted);
  raw.vertex_ids = std::move(file.vertex_ids);
  raw.vertex_names = std::move(file.vertex_names);
  raw.declared = file.declared;
  raw.is_closed = !raw.vertex_ids.empty() || raw.declared.count != 0;
  if (file.has_labels) {
    raw.labels = RawLabels{
        spec.path, false, raw.vertex_ids, raw.vertex_names, std::move(file.labels), std::move(file.vertex_lines)};
  }
  return Done{};
}

Result<Rows> read_format_rows(const ListSpec& spec, const FormatEntry& entry, LineSource& source,
                              const IoOptions& options, Budget& budget, RunIds& ids) {
  SinkRequest request{spec.columns};
  MATCHA_TRY(check_columns(spec.path, entry, request.columns));
  request.ids = std::max(ids.kind, ids.wanted);
  FileGraph file = MATCHA_TRY(read_sink(source, std::move(request), entry, options, budget, ids));
  return std::move(file.edges);
}

Result<SizeLine> take_size_line(LineSource& source, const std::vector<ColumnSpec>& columns, TableOptions& table,
                                bool asked_edges, bool directed, Format& format, const IoOptions& options) {
  SizeLine size;
  const bool has_ends = columns.size() >= 2 && columns[0].kind == ColumnKind::Vertex &&
                        columns[1].kind == ColumnKind::Vertex && columns[0].name.empty() && columns[1].name.empty();
  if (table.heading == Heading::No || !has_ends) return size;
  FirstLine first = MATCHA_TRY(judge_first_line(source, columns, asked_edges, options));
  if (first.kind == FirstLine::Kind::Metis) format = Format::Metis;
  if (first.kind != FirstLine::Kind::Size) return size;
  if ((first.may_be_edge || (directed && first.may_be_arc)) && table.heading == Heading::Auto) {
    return input_error(source.path(), source.first_line(),
                       "`" + first.text + "` may be the size of the graph or an edge: all other lines fit both",
                       "say which: `--header yes` for a size, `--header no` for an edge");
  }
  size.is_guessed = table.heading == Heading::Auto;
  for (unsigned line = 0; line < first.lines; ++line) {
    MATCHA_TRY(source.skip_first());
  }
  table.heading = Heading::No;
  size.vertices = first.vertices;
  size.note = "`" + first.text + "` at the top is the size, not an edge; `--header no` reads it as one";
  return size;
}

}  // namespace matcha::runtime::detail
