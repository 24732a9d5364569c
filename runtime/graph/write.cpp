#include "runtime/graph/write.h"

#include <algorithm>
#include <charconv>
#include <new>
#include <vector>

#include "runtime/graph/detail/label_cells.h"
#include "runtime/graph/detail/matrix_names.h"
#include "runtime/graph/detail/output.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/labels.h"

namespace matcha::runtime {

namespace {

using detail::OutputFile;

/// Builds a line from pieces and writes it as a whole.
class LineWriter {
 public:
  /// `quotes`: cells may be quoted, as in tables.
  explicit LineWriter(OutputFile& file, char separator = ' ', bool quotes = true)
      : file_(file), separator_(separator), quotes_(quotes) {}

  LineWriter& text(std::string_view piece) {
    line_.append(piece);
    return *this;
  }
  LineWriter& separator() {
    line_ += separator_;
    return *this;
  }
  template <typename Number>
  LineWriter& number(Number value) {
    char digits[32];
    const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), value);
    line_.append(digits, end.ptr);
    return *this;
  }
  /// An id, quoted if it has a separator of tables or a quote, or looks like a comment.
  LineWriter& id(const Universe& universe, std::uint64_t rank) {
    const std::size_t begin = line_.size();
    universe.append_id(line_, rank);
    if (universe.kind() == IdKind::Text) quote_from(begin);
    return *this;
  }
  /// A label word, quoted likewise.
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
    if (!quotes_) return;
    if (!cell.empty() && cell.find_first_of(" \t,;|\"") == std::string_view::npos && !cell.starts_with('#') &&
        !cell.starts_with('%') && !cell.starts_with("//")) {
      return;
    }
    std::string quoted = "\"";
    for (const char c : cell) quoted.append(c == '"' ? 2 : 1, c);
    line_.replace(begin, std::string::npos, quoted + '"');
  }

  OutputFile& file_;
  char separator_;
  bool quotes_;
  std::string line_;
};

void write_info(const Graph& graph, std::uint64_t arc, LineWriter& line) {
  const GraphView view = graph.view();
  if (view.edge_info == nullptr) return;
  line.separator();
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

/// Calls `visit(source, target, arc)` for each edge once, ascending. An arc without its reverse is an edge of a
/// directed graph.
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

/// Writes a heading that equals none of the ids. Without it, a reader may take the first line of text for a heading, or
/// cannot decide. Requires: ids are text, or the file is a CSV or TSV.
void write_heading(const Graph& graph, LineWriter& line) {
  const IdNames* const names = graph.universe().kind() == IdKind::Text ? graph.universe().names().get() : nullptr;
  constexpr std::pair<std::string_view, std::string_view> kHeadings[] = {
      {"source", "target"}, {"from", "to"}, {"src", "dst"}, {"node1", "node2"}};
  for (const auto& [source, target] : kHeadings) {
    if (names != nullptr && (names->find(source) || names->find(target))) continue;
    line.text(source).separator().text(target);
    if (graph.view().edge_info != nullptr) line.separator().text("label");
    line.end();
    return;
  }
}

Status write_edge_list(const Graph& graph, OutputFile& file, char separator, const IoOptions& options) {
  const Universe& universe = graph.universe();
  LineWriter line(file, separator);
  const bool is_table = separator != ' ';
  if (!is_table) {
    line.text("# ").number(graph.vertex_count()).text(" vertices ").number(graph.edge_count());
    line.text(graph.facts().directed ? " arcs" : " undirected edges").end();
  }
  if (is_table || universe.kind() == IdKind::Text) write_heading(graph, line);
  return for_each_edge(graph, options, [&](std::uint64_t source, std::uint64_t target, std::uint64_t arc) {
    line.id(universe, source).separator().id(universe, target);
    write_info(graph, arc, line);
    line.end();
  });
}

constexpr const char* kOtherFormats = "write a .mtg or an edge list";

/// The first id if the ids are consecutive numbers.
std::optional<std::int64_t> first_of_row(const Universe& universe) {
  if (universe.names() != nullptr) return std::nullopt;
  if (universe.size() == 0) return 1;
  const std::uint64_t first = static_cast<std::uint64_t>(universe.id(0));
  const std::uint64_t last = static_cast<std::uint64_t>(universe.id(universe.size() - 1));
  return last - first == universe.size() - 1 ? std::optional(universe.id(0)) : std::nullopt;
}

/// The codes of the words among some labels, the empty word too.
std::vector<std::int64_t> words_among(const LabelDictionary& dictionary, const std::int64_t* labels,
                                      std::uint64_t count) {
  std::vector<bool> seen(dictionary.words().size());
  for (std::uint64_t at = 0; at < count; ++at) {
    const std::int64_t code = dictionary.label_of(labels[at]);
    // Without words, negative codes are numbers.
    if (code >= 0 || code == kNoLabel) continue;
    const std::uint64_t word = static_cast<std::uint64_t>(-1 - code);
    if (word < seen.size()) seen[word] = true;
  }
  std::vector<std::int64_t> codes;
  for (std::size_t word = 0; word < seen.size(); ++word) {
    if (seen[word]) codes.push_back(-1 - static_cast<std::int64_t>(word));
  }
  return codes;
}

/// The codes of words that label edges.
std::vector<std::int64_t> words_of_edges(const Graph& graph) {
  const GraphView view = graph.view();
  if (!graph.facts().word_info || view.edge_info == nullptr) return {};
  return words_among(graph.dictionary(), static_cast<const std::int64_t*>(view.edge_info), view.arc_count);
}

bool has_label(const Graph& graph, std::uint64_t rank) {
  const std::int64_t label = graph.view().labels[rank];
  return label != kNoLabel && !graph.dictionary().name(label).empty();
}

/// Writes the comments described in `detail/matrix_names.h`. Ids 1…size need none.
void write_names(const Graph& graph, LineWriter& line) {
  const Universe& universe = graph.universe();
  const std::optional<std::int64_t> first = first_of_row(universe);
  const std::vector<std::int64_t> words = words_of_edges(graph);
  if (first == 1 && words.empty() && graph.view().labels == nullptr) return;
  line.text(detail::kMatrixNames).text(detail::kMatrixNamesVersion);
  line.text(universe.kind() == IdKind::Int ? " int" : universe.kind() == IdKind::Unsigned ? " uint64" : " text");
  if (first) line.text(" ").number(*first);
  line.end();
  for (std::uint64_t rank = 0; rank < universe.size() && !first; ++rank) {
    line.text("% id ").number(rank + 1).text(" ").text(universe.id_text(rank)).end();
  }
  for (std::uint64_t rank = 0; rank < universe.size() && graph.view().labels != nullptr; ++rank) {
    if (!has_label(graph, rank)) continue;
    line.text("% label ").number(rank + 1).text(" ").text(graph.dictionary().name(graph.view().labels[rank])).end();
  }
  for (const std::int64_t code : words) {
    line.text("% edge-label ").number(code).text(" ").text(graph.dictionary().name(code)).end();
  }
}

Status write_matrix(const Graph& graph, OutputFile& file, const IoOptions& options) {
  const GraphView view = graph.view();
  const InfoKind info = view.edge_info == nullptr ? InfoKind::None : graph.facts().info;
  LineWriter line(file);
  line.text("%%MatrixMarket matrix coordinate ");
  line.text(info == InfoKind::None ? "pattern" : (info == InfoKind::Float ? "real" : "integer"));
  line.text(graph.facts().directed ? " general" : " symmetric").end();
  write_names(graph, line);
  line.number(view.universe).text(" ").number(view.universe).text(" ").number(graph.edge_count()).end();
  return for_each_edge(graph, options, [&](std::uint64_t source, std::uint64_t target, std::uint64_t arc) {
    // A symmetric matrix stores its lower triangle.
    const bool lower = !graph.facts().directed;
    line.number((lower ? target : source) + 1).text(" ").number((lower ? source : target) + 1);
    if (info == InfoKind::Int) {
      line.text(" ").number(graph.dictionary().label_of(static_cast<const std::int64_t*>(view.edge_info)[arc]));
    } else {
      write_info(graph, arc, line);
    }
    line.end();
  });
}

/// Refuses ids that no text file can have.
Status check_ids(const Graph& graph, const std::string& path) {
  const Universe& universe = graph.universe();
  for (std::uint64_t rank = 0; rank < universe.size() && universe.kind() == IdKind::Text; ++rank) {
    const std::string_view id = universe.names()->text(rank);
    if (!id.empty() && !has_control_bytes(id)) continue;
    return detail::input_error(path, 0,
                               "the id " + detail::quote(id) + (id.empty() ? " is empty" : " has control characters"),
                               "write a .mtg");
  }
  return Done{};
}

/// Refuses words that a file of the format cannot have, or that its reader takes for numbers.
Status check_words(const Graph& graph, const std::vector<std::int64_t>& codes, const std::string& path, Format format) {
  for (const std::int64_t code : codes) {
    const std::string word = graph.dictionary().name(code);
    if (format == Format::Tve && word.find_first_of(" \t,") != std::string::npos) {
      return detail::input_error(
          path, 0, "the label " + detail::quote(word) + " has a blank or a comma, which a t/v/e file cannot have",
          kOtherFormats);
    }
    detail::LabelCells cells;
    if (word.empty() || (!detail::LabelReader(cells).read(word) && !cells.words.empty())) continue;
    const std::string reason = has_control_bytes(word) ? " has control characters" : " would be read as a number";
    return detail::input_error(path, 0, "the label " + detail::quote(word) + reason, "write a .mtg");
  }
  return Done{};
}

/// Refuses labels of vertices that a file of the format cannot have.
Status check_vertex_words(const Graph& graph, const std::string& path, Format format) {
  const GraphView view = graph.view();
  if (view.labels == nullptr) return Done{};
  return check_words(graph, words_among(graph.dictionary(), view.labels, view.universe), path, format);
}

/// Refuses graphs that the text format cannot hold unchanged.
Status check_text(const Graph& graph, const std::string& path, Format format) {
  if (Status ids = check_ids(graph, path); !ids) return ids;
  const std::vector<std::int64_t> words = words_of_edges(graph);
  if (format == Format::MatrixMarket) {
    for (const std::int64_t code : words) {
      const std::string word = graph.dictionary().name(code);
      if (!has_control_bytes(word)) continue;
      return detail::input_error(path, 0, "the label " + detail::quote(word) + " has control characters",
                                 "write a .mtg");
    }
    return check_vertex_words(graph, path, format);
  }
  for (const std::int64_t code : words) {
    if (!graph.dictionary().name(code).empty()) continue;
    return detail::input_error(path, 0, "some edges have no label, for which the format has no place",
                               "write a .mtg or a .mtx");
  }
  if (Status checked = check_words(graph, words, path, format); !checked) return checked;
  return format == Format::Tve ? check_vertex_words(graph, path, format) : Done{};
}

Status write_tve(const Graph& graph, const std::string& path, OutputFile& file, const IoOptions& options) {
  if (graph.universe().names() != nullptr) {
    return detail::input_error(path, 0, "a t/v/e file has ids that are integers, and those of the graph are not",
                               kOtherFormats);
  }
  if (graph.view().labels != nullptr && graph.dictionary().code("")) {
    return detail::input_error(path, 0, "some vertices have no label, for which a t/v/e file has no place",
                               "write a .mtg or a .mtx");
  }
  const GraphView view = graph.view();
  const Universe& universe = graph.universe();
  LineWriter line(file, ' ', false);
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

std::string reading_notes(const Graph& graph, Format format) {
  const Universe& universe = graph.universe();
  if (format != Format::EdgeList || universe.kind() != IdKind::Text) return "";
  // The ids of the first edge decide the kind of all ids.
  const GraphView view = graph.view();
  const auto is_number = [&](std::uint64_t rank) { return detail::is_meant_as_number(universe.names()->text(rank)); };
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
    if (Status checked = check_text(graph, path, write.format); !checked) return checked;
    std::unique_ptr<OutputFile> file = MATCHA_TRY(OutputFile::create(path, write.compression));
    Status written = Done{};
    switch (write.format) {
      case Format::Auto:
      case Format::EdgeList: written = write_edge_list(graph, *file, write.separator, options); break;
      case Format::MatrixMarket: written = write_matrix(graph, *file, options); break;
      case Format::Tve: written = write_tve(graph, path, *file, options); break;
      case Format::Mtg: return detail::input_error(path, 0, "a .mtg is not text");
      default:
        return detail::input_error(path, 0, std::string(format_name(write.format)) + " is read, not written",
                                   "write a .mtg, an edge list, a .mtx or a .graph");
    }
    if (!written) return written;
    return file->finish();
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error(path);
  }
}

Status check_labels(const Graph& graph, const std::string& path) {
  if (Status ids = check_ids(graph, path); !ids) return ids;
  return check_vertex_words(graph, path, Format::EdgeList);
}

Status write_labels(const Graph& graph, const std::string& path, const WriteOptions& write, const IoOptions& options) {
  const GraphView view = graph.view();
  if (view.labels == nullptr) return detail::input_error(path, 0, "the graph has no labels to write");
  try {
    if (Status checked = check_labels(graph, path); !checked) return checked;
    std::unique_ptr<OutputFile> file = MATCHA_TRY(OutputFile::create(path, write.compression));
    LineWriter line(*file);
    for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
      if (options.cancelled()) return detail::interrupted_error();
      const std::uint64_t rank = view.vertices != nullptr ? view.vertices[at] : at;
      line.id(graph.universe(), rank).text(" ");
      line.word(graph.dictionary().name(view.labels[rank])).end();
    }
    return file->finish();
  } catch (const std::bad_alloc&) {
    return detail::out_of_memory_error(path);
  }
}

}  // namespace matcha::runtime
