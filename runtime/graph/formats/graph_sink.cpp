#include "runtime/graph/formats/graph_sink.h"

#include <bit>
#include <charconv>
#include <utility>

#include "runtime/graph/labels.h"
#include "runtime/graph/universe.h"

namespace matcha::runtime::detail {

namespace {

/// The number of rows in a chunk.
constexpr std::uint64_t kChunkRows = std::uint64_t{1} << 16;

template <typename Number>
bool read_whole_number(std::string_view text, Number& out) {
  const std::from_chars_result read = std::from_chars(text.data(), text.data() + text.size(), out);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

}  // namespace

Status check_declared(const std::string& path, std::uint64_t line, std::uint64_t declared, std::uint64_t entries,
                      std::string_view what) {
  constexpr std::uint64_t kSpare = std::uint64_t{1} << 22;
  constexpr std::uint64_t kPerEntry = 256;
  const std::string count = std::to_string(declared) + " " + std::string(what);
  if (declared > kMaxVertices) {
    return Error{ErrorKind::Resource, "the header declares " + count + "; a graph has at most 4294967294 vertices",
                 path, line, ""};
  }
  if (declared <= kSpare || (declared - kSpare) / kPerEntry <= entries) return Done{};
  return Error{ErrorKind::Resource, "the header declares " + count + " for " + std::to_string(entries) + " entries",
               path, line, "nearly all of them have no edge; use an edge list without a header"};
}

GraphSink::GraphSink(std::string path, SinkRequest request, const IoOptions& options, Budget& budget)
    : path_(std::move(path)),
      request_(std::move(request)),
      options_(options),
      budget_(budget),
      wanted_(request_.ids),
      vertex_labels_(graph_.labels) {
  for (const ColumnSpec& column : request_.columns) wants_info_ = wants_info_ || column.index == 2;
  chunk_.cells.resize(request_.columns.size());
  edge_labels_.emplace(chunk_.labels);
}

void GraphSink::begin_graph() { prefix_ = std::to_string(graph_.graphs++) + ":"; }

Status GraphSink::begin_next_graph(std::uint64_t line) {
  if (graph_.graphs == 0) {
    graph_.graphs = 1;
    return Done{};
  }
  if (request_.ids != IdKind::Text) {
    wanted_ = IdKind::Text;
    return input_error(path_, line, "the ids of a set of graphs are text");
  }
  if (request_.maybe_take != nullptr) {
    return input_error(path_, line, "a set of graphs cannot be read with a memory limit");
  }
  if (graph_.graphs == 1) name_first_graph();
  begin_graph();
  return Done{};
}

/// Assigns all vertices and edges so far to the first graph of a set; their ids get its number.
void GraphSink::name_first_graph() {
  const auto renamed = [](const NameTable& names) {
    NameTable made;
    for (std::uint64_t at = 0; at < names.size(); ++at) made.intern("0:" + std::string(names.name(at)));
    return made;
  };
  for (RowChunk& chunk : graph_.edges.chunks) chunk.names = renamed(chunk.names);
  chunk_.names = renamed(chunk_.names);
  graph_.vertex_names = renamed(graph_.vertex_names);
}

Status GraphSink::declare(IdRange range, std::uint64_t line) {
  declared_line_ = line;
  if (!prefix_.empty()) {
    Status bounded = check_declared(path_, line, range.count, 0, "vertices");
    for (std::uint64_t at = 0; at < range.count && bounded; ++at) {
      bounded = vertex(range.first + static_cast<std::int64_t>(at), std::nullopt, line);
    }
    return bounded;
  }
  graph_.declared = range;
  if (range.count <= kMaxVertices) return Done{};
  return check_declared(path_, line, range.count, 0, "vertices");
}

Status GraphSink::cell(const FileId& id, NameTable& names, std::uint64_t line, std::int64_t& out) {
  if (!prefix_.empty() && request_.ids != IdKind::Text) {
    wanted_ = IdKind::Text;
    return input_error(path_, line, "the ids of a set of graphs are text");
  }
  switch (request_.ids) {
    case IdKind::Int:
      if (id.is_number) {
        out = id.number;
        return Done{};
      }
      if (read_whole_number(id.text, out)) return Done{};
      wanted_ = is_unsigned(id.text) ? IdKind::Unsigned : IdKind::Text;
      return input_error(path_, line, "expected a vertex id, found " + quote(id.text));
    case IdKind::Unsigned: {
      std::uint64_t number = static_cast<std::uint64_t>(id.number);
      if (id.is_number ? id.number >= 0 : read_whole_number(id.text, number)) {
        out = flip_id(number);
        return Done{};
      }
      wanted_ = IdKind::Text;
      return input_error(path_, line, "expected a vertex id from 0 on");
    }
    case IdKind::Text: break;
  }
  if (id.is_number) {
    out = names.intern(prefix_ + std::to_string(id.number));
    return Done{};
  }
  if (id.text.empty() || has_control_bytes(id.text)) {
    return input_error(path_, line, "expected a vertex id, found " + quote(id.text),
                       id.text.empty() ? "" : "ids have no control characters");
  }
  out = prefix_.empty() ? names.intern(id.text) : names.intern(prefix_ + std::string(id.text));
  return Done{};
}

Status GraphSink::vertex(const FileId& id, std::optional<std::string_view> label, std::uint64_t line) {
  std::int64_t cell = 0;
  MATCHA_TRY(this->cell(id, graph_.vertex_names, line, cell));
  if (!listed_.insert(cell).second) {
    const std::string name = id.is_number ? std::to_string(id.number) : std::string(id.text);
    return input_error(path_, line, "vertex " + quote(name) + " is there a second time");
  }
  expected_.erase(cell);
  graph_.vertex_ids.push_back(cell);
  graph_.vertex_lines.push_back(line);
  if (label && !label->empty()) {
    std::optional<LineError> bad = vertex_labels_.read(*label);
    if (bad) return input_error(path_, line, std::move(bad->message), std::move(bad->hint));
    graph_.has_labels = true;
  } else {
    vertex_labels_.skip();
  }
  if (graph_.vertex_ids.size() - charged_vertices_ < kChunkRows) return Done{};
  charged_vertices_ += kChunkRows;
  // Bytes of an id, its line, its label and its entry in the set of listed ids.
  constexpr std::uint64_t kVertexBytes = 64;
  return budget_.take(kChunkRows * kVertexBytes, path_);
}

Status GraphSink::end(const FileId& id, std::uint64_t line, std::int64_t& out) {
  const IdRange& declared = graph_.declared;
  if (declared.count != 0 && id.is_number) {
    const std::int64_t last = declared.first + static_cast<std::int64_t>(declared.count) - 1;
    if (id.number < declared.first || id.number > last) {
      return input_error(path_, line,
                         "vertex `" + std::to_string(id.number) + "` is outside " + std::to_string(declared.first) +
                             "…" + std::to_string(last),
                         "the header says how many vertices there are, in line " + std::to_string(declared_line_));
    }
  }
  Status read = cell(id, chunk_.names, line, out);
  if (!read || !expects_listed_) return read;
  std::int64_t known = out;
  if (request_.ids == IdKind::Text) read = cell(id, graph_.vertex_names, line, known);
  if (!listed_.contains(known)) expected_.emplace(known, line);
  return read;
}

Status GraphSink::add_value(const ColumnSpec& column, std::size_t at, std::string_view text, std::uint64_t line) {
  std::int64_t value = 0;
  if (column.kind == ColumnKind::Label) {
    std::optional<LineError> bad = edge_labels_->read(text);
    return bad ? Status(input_error(path_, line, std::move(bad->message), std::move(bad->hint))) : Status(Done{});
  }
  double number = 0;
  const bool is_float = column.kind == ColumnKind::Float;
  if (!(is_float ? read_whole_number(text, number) : read_whole_number(text, value))) {
    return input_error(path_, line,
                       std::string("expected ") + (is_float ? "a number" : "an integer") + ", found " + quote(text));
  }
  chunk_.cells[at].push_back(is_float ? std::bit_cast<std::int64_t>(number) : value);
  return Done{};
}

Status GraphSink::add_row(const std::int64_t (&ends)[2], const FileId& source, const FileId& target,
                          std::optional<std::string_view> info, std::uint64_t line) {
  for (std::size_t at = 0; at < request_.columns.size(); ++at) {
    const ColumnSpec& column = request_.columns[at];
    if (column.index < 2 && column.kind == ColumnKind::Vertex) {
      chunk_.cells[at].push_back(ends[column.index]);
      continue;
    }
    if (column.index > 2) {
      return input_error(path_, line, "an edge has no column " + std::to_string(column.index),
                         "0 and 1 are the ends of an edge, 2 is its label or number");
    }
    const FileId& id = column.index == 0 ? source : target;
    const std::string number = id.is_number ? std::to_string(id.number) : std::string(id.text);
    if (column.index == 2 && !info) {
      Error error = input_error(path_, line, "the edge has no label or number");
      error.lacks_edge_info = true;
      return error;
    }
    MATCHA_TRY(add_value(column, at, column.index == 2 ? *info : std::string_view(number), line));
  }
  ++chunk_.rows;
  return Done{};
}

Status GraphSink::edge(const FileId& source, const FileId& target, std::optional<std::string_view> info, EdgeKind kind,
                       std::uint64_t line) {
  std::int64_t ends[2] = {0, 0};
  MATCHA_TRY(end(source, line, ends[0]));
  MATCHA_TRY(end(target, line, ends[1]));
  const bool is_second = kind == EdgeKind::Listed && request_.is_once && source.number > target.number;
  if (!is_second) MATCHA_TRY(add_row(ends, source, target, info, line));
  ++graph_.edge_count;
  graph_.arc_count += kind == EdgeKind::Arc ? 1 : 0;
  graph_.undirected_count += kind == EdgeKind::Undirected ? 1 : 0;
  if (kind == EdgeKind::Undirected && request_.keeps_arcs && ends[0] != ends[1]) {
    const std::int64_t reversed[2] = {ends[1], ends[0]};
    MATCHA_TRY(add_row(reversed, target, source, info, line));
  }
  return chunk_.rows < kChunkRows ? Status(Done{}) : flush();
}

Status GraphSink::flush() {
  if (options_.cancelled()) return interrupted_error();
  graph_.edges.count += chunk_.rows;
  RowPlan plan;
  plan.maybe_take = request_.maybe_take;
  MATCHA_TRY(hand_over(plan, chunk_));
  MATCHA_TRY(budget_.take(chunk_.bytes(), path_));
  graph_.edges.chunks.push_back(std::exchange(chunk_, RowChunk()));
  chunk_.cells.resize(request_.columns.size());
  edge_labels_.emplace(chunk_.labels);
  return Done{};
}

Result<FileGraph> GraphSink::finish() {
  MATCHA_TRY(flush());
  if (!expected_.empty()) {
    const std::pair<const std::int64_t, std::uint64_t>* first = &*expected_.begin();
    for (const auto& one : expected_) {
      if (one.second < first->second) first = &one;
    }
    const std::uint64_t number = static_cast<std::uint64_t>(first->first);
    const std::string name = request_.ids == IdKind::Text ? std::string(graph_.vertex_names.name(number))
                             : request_.ids == IdKind::Int
                                 ? std::to_string(first->first)
                                 : std::to_string(static_cast<std::uint64_t>(flip_id(number)));
    return input_error(path_, first->second, "the edge joins " + quote(name) + ", which is not among the vertices");
  }
  MATCHA_TRY(check_declared(path_, declared_line_, graph_.declared.count, graph_.edge_count + graph_.vertex_ids.size(),
                            "vertices"));
  return std::move(graph_);
}

}  // namespace matcha::runtime::detail
