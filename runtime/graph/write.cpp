#include "runtime/graph/write.h"

#include <charconv>
#include <cstring>
#include <new>

#include "runtime/graph/detail/output.h"
#include "runtime/graph/detail/source.h"

namespace matcha::runtime {

namespace {

using detail::OutputFile;

/// Builds a line piece by piece and writes it whole.
class LineWriter {
 public:
  explicit LineWriter(OutputFile& file) : file_(file) {}

  LineWriter& text(std::string_view piece) {
    line_.append(piece);
    return *this;
  }
  template <typename Number>
  LineWriter& number(Number value) {
    char digits[32];
    const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), value);
    line_.append(digits, end.ptr);
    return *this;
  }
  /// An id, in quotes if it has a separator of tables or a quote, or looks like a comment.
  LineWriter& id(const Universe& universe, std::uint64_t rank) {
    const std::size_t begin = line_.size();
    universe.append_id(line_, rank);
    if (universe.kind() == IdKind::Text) quote_from(begin);
    return *this;
  }
  /// A label word, likewise.
  LineWriter& word(std::string_view word) {
    const std::size_t begin = line_.size();
    line_.append(word);
    quote_from(begin);
    return *this;
  }
  void end() {
    line_ += '\n';
    file_.write(line_);
    line_.clear();
  }

 private:
  void quote_from(std::size_t begin) {
    const std::string_view cell = std::string_view(line_).substr(begin);
    if (!cell.empty() && cell.find_first_of(" \t,;|\"") == std::string_view::npos && !cell.starts_with('#') &&
        !cell.starts_with('%') && !cell.starts_with("//")) {
      return;
    }
    std::string quoted = "\"";
    for (const char c : cell) quoted.append(c == '"' ? 2 : 1, c);
    line_.replace(begin, std::string::npos, quoted + '"');
  }

  OutputFile& file_;
  std::string line_;
};

void write_info(const Graph& graph, std::uint64_t arc, LineWriter& line) {
  const GraphView view = graph.view();
  if (view.edge_info == nullptr) return;
  line.text(" ");
  if (graph.facts().info == InfoKind::Float) {
    line.number(static_cast<const double*>(view.edge_info)[arc]);
    return;
  }
  const std::int64_t value = static_cast<const std::int64_t*>(view.edge_info)[arc];
  if (graph.facts().word_info && value < 0) {
    line.word(graph.dictionary().name(value));
  } else {
    line.number(value);
  }
}

/// Calls `visit(source, target, arc)` for each edge once, ascending. A lone direction is an edge of a directed graph.
template <typename Visit>
Status for_each_edge(const Graph& graph, const IoOptions& options, const Visit& visit) {
  const GraphView view = graph.view();
  for (std::uint64_t source = 0; source < view.universe; ++source) {
    if (options.cancelled()) return detail::interrupted_error();
    const ArcRange arcs = arcs_of(view, source);
    for (std::uint64_t arc = arcs.begin; arc < arcs.end; ++arc) {
      const std::uint64_t target = view.neighbors[arc];
      if (graph.facts().directed || source < target) visit(source, target, arc);
    }
  }
  return Done{};
}

/// A first line of text is taken for a heading, or the reader has to ask: one that is none of the ids says so.
void write_heading(const Graph& graph, LineWriter& line) {
  const IdNames* const names = graph.universe().names().get();
  if (names == nullptr || names->kind() != IdKind::Text) return;
  constexpr std::pair<std::string_view, std::string_view> kHeadings[] = {
      {"source", "target"}, {"from", "to"}, {"src", "dst"}, {"node1", "node2"}};
  for (const auto& [source, target] : kHeadings) {
    if (names->find(source) || names->find(target)) continue;
    line.text(source).text(" ").text(target);
    if (graph.view().edge_info != nullptr) line.text(" label");
    line.end();
    return;
  }
}

Status write_edge_list(const Graph& graph, OutputFile& file, const IoOptions& options) {
  const Universe& universe = graph.universe();
  LineWriter line(file);
  line.text("# ").number(graph.vertex_count()).text(" vertices ").number(graph.edge_count());
  line.text(graph.facts().directed ? " arcs" : " undirected edges").end();
  write_heading(graph, line);
  return for_each_edge(graph, options, [&](std::uint64_t source, std::uint64_t target, std::uint64_t arc) {
    line.id(universe, source).text(" ").id(universe, target);
    write_info(graph, arc, line);
    line.end();
  });
}

constexpr const char* kOtherFormats = "write a .mtg or an edge list";

Status write_matrix(const Graph& graph, const std::string& path, OutputFile& file, const IoOptions& options) {
  const InfoKind info = graph.facts().info;
  if (graph.universe().kind() == IdKind::Text) {
    return detail::input_error(path, 0, "the ids are text, and a matrix has numbers from 1", kOtherFormats);
  }
  if (graph.facts().word_info) {
    return detail::input_error(path, 0, "the edges have labels that are words, and a matrix has numbers",
                               kOtherFormats);
  }
  LineWriter line(file);
  line.text("%%MatrixMarket matrix coordinate ");
  line.text(info == InfoKind::None ? "pattern" : (info == InfoKind::Float ? "real" : "integer"));
  line.text(graph.facts().directed ? " general" : " symmetric").end();
  const std::uint64_t size = graph.view().universe;
  line.number(size).text(" ").number(size).text(" ").number(graph.edge_count()).end();
  return for_each_edge(graph, options, [&](std::uint64_t source, std::uint64_t target, std::uint64_t arc) {
    // A symmetric matrix stores its lower triangle.
    const bool lower = !graph.facts().directed;
    line.number((lower ? target : source) + 1).text(" ").number((lower ? source : target) + 1);
    write_info(graph, arc, line);
    line.end();
  });
}

/// Words of a t/v/e file end at a blank or a comma, and have no quotes.
Status check_words(const Graph& graph, const std::string& path) {
  for (const std::string& word : graph.dictionary().words()) {
    if (word.find_first_of(" \t,") == std::string::npos) continue;
    return detail::input_error(
        path, 0, "the label " + detail::quote(word) + " has a blank or a comma, which a t/v/e file cannot have",
        kOtherFormats);
  }
  return Done{};
}

Status write_tve(const Graph& graph, const std::string& path, OutputFile& file, const IoOptions& options) {
  if (graph.universe().names() != nullptr) {
    return detail::input_error(path, 0, "a t/v/e file has ids that are integers, and those of the graph are not",
                               kOtherFormats);
  }
  if (Status words = check_words(graph, path); !words) return words;
  if (graph.view().labels != nullptr && graph.dictionary().code("")) {
    return detail::input_error(path, 0, "some vertices have no label, for which a t/v/e file has no place",
                               "write a .mtg");
  }
  const GraphView view = graph.view();
  const Universe& universe = graph.universe();
  LineWriter line(file);
  line.text("t ").number(graph.vertex_count()).text(" ").number(graph.edge_count()).end();
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
    const std::uint64_t rank = view.vertices != nullptr ? view.vertices[at] : at;
    const ArcRange arcs = arcs_of(view, rank);
    const bool has_label = view.labels != nullptr && view.labels[rank] != kNoLabel;
    line.text("v ").number(universe.id(rank)).text(" ");
    line.text(has_label ? graph.dictionary().name(view.labels[rank]) : "0");
    line.text(" ").number(arcs.end - arcs.begin).end();
  }
  return for_each_edge(graph, options, [&](std::uint64_t source, std::uint64_t target, std::uint64_t arc) {
    line.text("e ").number(universe.id(source)).text(" ").number(universe.id(target));
    write_info(graph, arc, line);
    line.end();
  });
}

}  // namespace

std::string what_changes(const Graph& graph, Format format) {
  const Universe& universe = graph.universe();
  if (format == Format::MatrixMarket) {
    const std::uint64_t size = graph.view().universe;
    const bool counted = size == 0 || universe.names() == nullptr;
    const std::int64_t first = size != 0 && counted ? universe.id(0) : 0;
    const bool dense = counted && (size == 0 || (first >= 0 && first <= 1 &&
                                                 universe.id(size - 1) == first + static_cast<std::int64_t>(size) - 1));
    return dense ? "" : "vertices of a matrix are numbered from 1, in the order of their ids";
  }
  if (format != Format::EdgeList || universe.kind() != IdKind::Text) return "";
  // The ids of the first edge say of what kind all are.
  const GraphView view = graph.view();
  const auto is_number = [&](std::uint64_t rank) {
    const std::string_view id = universe.names()->text(rank);
    double ignored = 0;
    return std::from_chars(id.data(), id.data() + id.size(), ignored).ptr == id.data() + id.size();
  };
  for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
    const ArcRange arcs = arcs_of(view, rank);
    if (arcs.begin == arcs.end) continue;
    if (!is_number(rank) || !is_number(view.neighbors[arcs.begin])) return "";
    return "ids that look like numbers are text: read the file with `--ids text`";
  }
  return "";
}

Status write_text(const Graph& graph, const std::string& path, const WriteOptions& write, const IoOptions& options) {
  try {
    Result<std::unique_ptr<OutputFile>> file = OutputFile::create(path, write.compression);
    if (!file) return file.error();
    Status written = Done{};
    switch (write.format) {
      case Format::Auto:
      case Format::EdgeList: written = write_edge_list(graph, **file, options); break;
      case Format::MatrixMarket: written = write_matrix(graph, path, **file, options); break;
      case Format::Tve: written = write_tve(graph, path, **file, options); break;
      case Format::Mtg: return detail::input_error(path, 0, "a .mtg is not text");
      default:
        return detail::input_error(path, 0, std::string(format_name(write.format)) + " is read, not written",
                                   "write a .mtg, an edge list, a .mtx or a .graph");
    }
    if (!written) return written;
    return (*file)->finish();
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error(path);
  }
}

Status write_labels(const Graph& graph, const std::string& path, const WriteOptions& write, const IoOptions& options) {
  const GraphView view = graph.view();
  if (view.labels == nullptr) return detail::input_error(path, 0, "the graph has no labels to write");
  try {
    Result<std::unique_ptr<OutputFile>> file = OutputFile::create(path, write.compression);
    if (!file) return file.error();
    LineWriter line(**file);
    for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
      if (options.cancelled()) return detail::interrupted_error();
      const std::uint64_t rank = view.vertices != nullptr ? view.vertices[at] : at;
      if (graph.universe().names() != nullptr) line.id(graph.universe(), rank).text(" ");
      line.word(graph.dictionary().name(view.labels[rank])).end();
    }
    return (*file)->finish();
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error(path);
  }
}

}  // namespace matcha::runtime
