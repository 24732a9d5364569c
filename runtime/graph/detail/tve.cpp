#include "runtime/graph/detail/tve.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/graph/detail/line_pipeline.h"
#include "runtime/graph/formats/text_reader.h"

namespace matcha::runtime::detail {

namespace {

/// A `t` line.
struct TveHeader {
  std::uint32_t line = 0;
  bool has_counts = false;
  bool is_end = false;  ///< gSpan's `t # -1`.
  std::int64_t vertices = 0;
  std::int64_t edges = 0;
};

struct TveChunk {
  std::vector<TveHeader> headers;
  std::vector<std::int64_t> ids;
  std::vector<std::uint32_t> id_lines;
  LabelCells labels;
  RowChunk edges;
  std::vector<std::uint32_t> edge_lines;
  std::vector<std::array<std::int64_t, 2>> ends;  ///< The ends of each edge, whatever columns are requested.
  std::uint64_t balance = 0;  ///< The sum over all chunks is 0 if each edge is there in both directions.
  std::uint64_t lines = 0;
  std::uint64_t first_line = 0;
  std::optional<LineError> error;

  std::uint64_t bytes() const {
    return edges.bytes() + labels.bytes() + (ids.capacity() + 2 * ends.capacity()) * 8 +
           (id_lines.capacity() + edge_lines.capacity()) * 4;
  }
};

/// Checks that every edge joins listed vertices. `sorted`: these, ascending, each once.
Status check_ends(const std::string& path, const TveChunk& chunk, const std::vector<std::int64_t>& sorted) {
  const std::int64_t low = sorted.front();
  const std::int64_t high = sorted.back();
  const bool dense = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) == sorted.size() - 1;
  for (std::size_t at = 0; at < chunk.ends.size(); ++at) {
    for (const std::int64_t id : chunk.ends[at]) {
      const bool known = dense ? id >= low && id <= high : std::binary_search(sorted.begin(), sorted.end(), id);
      if (known) continue;
      return input_error(path, chunk.first_line + chunk.edge_lines[at],
                         "the edge joins vertex `" + std::to_string(id) + "`, which has no `v` line");
    }
  }
  return Done{};
}

/// Parses the lines of a chunk.
class TveParser {
 public:
  TveParser(const std::string& path, const TveRequest& ask) : path_(path), ask_(ask), columns_(ask.columns) {}

  void operator()(const LineChunk& lines, TveChunk& chunk) const {
    LabelReader reader(chunk.labels), edge_labels(chunk.edges.labels);
    chunk.edges.cells.resize(columns_.size());
    for_each_line(lines, chunk,
                  [&](const char*, const char*& p) { chunk.error = line(p, chunk, reader, edge_labels); });
  }

  Status take(TveChunk& chunk) const {
    if (ask_.maybe_take == nullptr) return Done{};
    MATCHA_TRY(ask_.maybe_known != nullptr ? check_ends(path_, chunk, *ask_.maybe_known) : Status(Done{}));
    chunk.ends = {};
    chunk.edge_lines = {};
    RowPlan plan;
    plan.maybe_take = ask_.maybe_take;
    return hand_over(plan, chunk.edges);
  }

 private:
  std::optional<LineError> line(const char*& p, TveChunk& chunk, LabelReader& reader, LabelReader& edge_labels) const {
    if (*p == '#' && p[1] == ' ' && p[2] == 't' && p[3] == ' ' && is_number_start(p[4])) return header(p + 3, chunk);
    if (starts_comment(p)) return std::nullopt;
    const std::string_view tag = token_at(p);
    const char* const rest = skip_separator(p + tag.size());
    if (tag == "t") return header(rest, chunk);
    if (tag == "v") return vertex(rest, chunk, reader);
    if (tag == "e") return edge(rest, chunk, edge_labels);
    LineError error{0, "expected a line that starts with `t`, `v` or `e`, found " + quote(tag), ""};
    if (tag == "-v" || tag == "-e" || tag == "+" || tag == "-") error.hint = "a stream of updates is no graph";
    return error;
  }

  static std::optional<LineError> header(const char* p, TveChunk& chunk) {
    TveHeader header;
    header.line = static_cast<std::uint32_t>(chunk.lines);
    p = skip_blanks(p);
    const bool is_gspan = *p == '#';
    if (is_gspan) p = skip_blanks(p + 1);
    std::int64_t first = 0;
    if (*p != '\n') {
      const NumberState state = parse_int(p, first);
      if (state != NumberState::Ok) return bad_number(p, "the number of a graph or of its vertices", state);
      p = skip_separator(p);
    }
    header.is_end = first == -1;
    if (!is_gspan && *p != '\n') {
      header.has_counts = true;
      header.vertices = first;
      const NumberState state = parse_int(p, header.edges);
      if (state != NumberState::Ok) return bad_number(p, "the number of edges", state);
    }
    chunk.headers.push_back(header);
    return std::nullopt;
  }

  static std::optional<LineError> vertex(const char* p, TveChunk& chunk, LabelReader& reader) {
    std::int64_t id = 0;
    const NumberState state = parse_int(p, id);
    if (state != NumberState::Ok) return bad_number(p, "a vertex id", state);
    p = skip_separator(p);
    const bool has_label = *p != '\n';
    if (!chunk.ids.empty() && has_label != (chunk.labels.size() != 0)) {
      return LineError{0,
                       has_label ? "this vertex has a label, those before have none"
                                 : "this vertex has no label, those before have one",
                       "write `v id label` for every vertex"};
    }
    chunk.ids.push_back(id);
    chunk.id_lines.push_back(static_cast<std::uint32_t>(chunk.lines));
    return has_label ? reader.read(p) : std::nullopt;
  }

  std::optional<LineError> edge(const char* p, TveChunk& chunk, LabelReader& labels) const {
    std::array<std::int64_t, 2> ends{};
    const char* at = p;
    for (std::int64_t& end : ends) {
      const NumberState state = parse_int(at, end);
      if (state != NumberState::Ok) return bad_number(at, "a vertex id", state);
      at = skip_separator(at);
    }
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const ColumnSpec& spec = columns_[column];
      const char* token = p;
      for (unsigned skipped = 0; skipped < spec.index && *token != '\n'; ++skipped) {
        token = skip_separator(skip_token(token));
      }
      if (spec.kind == ColumnKind::Label) {
        if (*token == '\n') return LineError{0, "the edge has no label", kNoEdgeLabel};
        if (std::optional<LineError> error = labels.read(token)) return error;
        continue;
      }
      std::int64_t value = 0;
      double number = 0;
      NumberState state = NumberState::Ok;
      if (spec.kind == ColumnKind::Float) {
        state = parse_float(token, number);
        std::memcpy(&value, &number, sizeof(value));
      } else {
        state = parse_int(token, value);
      }
      if (state != NumberState::Ok) return bad_number(token, "a number in each column asked for", state);
      chunk.edges.cells[column].push_back(value);
    }
    ++chunk.edges.rows;
    chunk.balance += hash_pair(ends[0], ends[1]) - hash_pair(ends[1], ends[0]);
    chunk.ends.push_back(ends);
    chunk.edge_lines.push_back(static_cast<std::uint32_t>(chunk.lines));
    return std::nullopt;
  }

  const std::string& path_;
  const TveRequest& ask_;
  const std::vector<ColumnSpec>& columns_;
};

/// Checks that a file has one graph, whose header agrees with its lines. An edge may count once and be given in both
/// directions, or the other way round, which is noted.
Status check_headers(const std::string& path, const std::vector<TveChunk>& chunks, TveFile& file) {
  const std::uint64_t vertices = file.vertex_ids.size(), edges = file.edges.count;
  const TveHeader* first = nullptr;
  std::uint64_t first_line = 0;
  for (const TveChunk& chunk : chunks) {
    for (const TveHeader& header : chunk.headers) {
      const std::uint64_t line = chunk.first_line + header.line;
      if (first != nullptr && !header.is_end) {
        return input_error(path, line, "the file holds several graphs", "`--format tve-set` reads a set of graphs");
      }
      if (first == nullptr) {
        first = &header;
        first_line = line;
      }
    }
  }
  if (first == nullptr || !first->has_counts) return Done{};
  if (first->vertices < 0 || static_cast<std::uint64_t>(first->vertices) != vertices) {
    return count_error(path, first_line, first->vertices, vertices, "vertices");
  }
  const std::uint64_t declared = static_cast<std::uint64_t>(first->edges);
  std::uint64_t balance = 0;
  for (const TveChunk& chunk : chunks) balance += chunk.balance;
  const bool is_half = declared == 2 * edges, is_twice = edges == 2 * declared && balance == 0;
  if (first->edges < 0 || (declared != edges && !is_half && !is_twice)) {
    return count_error(path, first_line, first->edges, edges, "edges");
  }
  if (is_half && edges != 0) file.note = half_note(declared, edges);
  return Done{};
}

/// Checks that every vertex has one `v` line, and that the ends of every edge have one.
Status check_vertices(const std::string& path, const std::vector<TveChunk>& chunks, const TveFile& file) {
  std::vector<std::int64_t> sorted = file.vertex_ids;
  if (sorted.empty()) return Done{};
  std::sort(sorted.begin(), sorted.end());
  const std::vector<std::int64_t>::iterator twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    const std::int64_t id = *twice;
    std::size_t at = 0;
    for (int seen = 0; seen < 2; ++at) seen += file.vertex_ids[at] == id ? 1 : 0;
    return input_error(path, file.vertex_lines[at - 1], "vertex `" + std::to_string(id) + "` has a second `v` line");
  }
  for (const TveChunk& chunk : chunks) {
    MATCHA_TRY(check_ends(path, chunk, sorted));
  }
  return Done{};
}

}  // namespace

Result<TveFile> read_tve(LineSource& source, const TveRequest& ask, const IoOptions& options, Budget& budget) {
  const TveParser parser(source.path(), ask);
  std::vector<TveChunk> chunks = MATCHA_TRY(parse_lines<TveChunk>(source, options, budget, parser));
  TveFile file;
  std::unordered_map<std::string, std::int64_t> positions;
  for (TveChunk& chunk : chunks) {
    const bool has_labels = chunk.labels.size() != 0;
    if (!chunk.ids.empty() && !file.vertex_ids.empty() && has_labels != file.has_labels) {
      return input_error(source.path(), chunk.first_line + chunk.id_lines.front(),
                         has_labels ? "this vertex has a label, those before have none"
                                    : "this vertex has no label, those before have one",
                         "write `v id label` for every vertex");
    }
    file.has_labels = file.has_labels || has_labels;
    file.vertex_ids.insert(file.vertex_ids.end(), chunk.ids.begin(), chunk.ids.end());
    for (const std::uint32_t line : chunk.id_lines) file.vertex_lines.push_back(chunk.first_line + line);
    append_labels(file.labels, std::move(chunk.labels), positions);
    file.edges.count += chunk.edges.rows;
  }
  MATCHA_TRY(check_headers(source.path(), chunks, file));
  MATCHA_TRY(check_vertices(source.path(), chunks, file));
  for (TveChunk& chunk : chunks) file.edges.chunks.push_back(std::move(chunk.edges));
  return file;
}

}  // namespace matcha::runtime::detail
