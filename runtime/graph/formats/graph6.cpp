#include <array>
#include <string>
#include <vector>

#include "runtime/graph/formats/readers.h"
#include "runtime/graph/formats/text_reader.h"
#include "runtime/graph/universe.h"

/// graph6, sparse6 (a line that begins with `:`) and digraph6 (`&`), each with its header or without.
namespace matcha::runtime::detail {

namespace {

constexpr std::array<std::string_view, 3> kHeaders = {">>graph6<<", ">>sparse6<<", ">>digraph6<<"};

std::string_view without_header(std::string_view line) {
  for (const std::string_view header : kHeaders) {
    if (line.starts_with(header)) return line.substr(header.size());
  }
  return line;
}

bool is_code(char c) { return c >= 63 && c <= 126; }

/// Removes the number of vertices from the front of `code`; empty if it is missing.
std::optional<std::uint64_t> take_size(std::string_view& code) {
  std::size_t digits = 1;
  std::size_t skipped = 0;
  if (code.starts_with("~~")) {
    digits = 6;
    skipped = 2;
  } else if (code.starts_with("~")) {
    digits = 3;
    skipped = 1;
  }
  if (code.size() < skipped + digits) return std::nullopt;
  std::uint64_t size = 0;
  for (std::size_t at = skipped; at < skipped + digits; ++at) {
    if (!is_code(code[at])) return std::nullopt;
    size = size << 6 | static_cast<std::uint64_t>(code[at] - 63);
  }
  code.remove_prefix(skipped + digits);
  return size;
}

/// Bytes of 6 bits for the matrix of `vertices` vertices.
std::uint64_t matrix_bytes(std::uint64_t vertices, bool directed) {
  const std::uint64_t bits = directed ? vertices * vertices : vertices * (vertices - (vertices != 0 ? 1 : 0)) / 2;
  return (bits + 5) / 6;
}

/// True if the line is a whole graph6 or digraph6, or the start of a sparse6.
bool is_graph_line(std::string_view line) {
  line = without_header(line);
  const bool sparse = line.starts_with(':'), directed = line.starts_with('&');
  if (sparse || directed) line.remove_prefix(1);
  const std::optional<std::uint64_t> size = take_size(line);
  if (!size || *size > kMaxVertices) return false;
  for (const char c : line) {
    if (!is_code(c)) return false;
  }
  return sparse || line.size() == matrix_bytes(*size, directed);
}

class Graph6Reader {
 public:
  Graph6Reader(LineSource& source, GraphSink& sink) : source_(source), path_(source.path()), sink_(sink) {}

  Status read() {
    const std::vector<std::string_view> top = MATCHA_TRY(source_.peek(2));
    const bool is_set = top.size() > 1;
    bool has_graph = false;
    while (true) {
      std::optional<std::string_view> text = MATCHA_TRY(source_.next_line());
      if (!text.has_value()) break;
      line_ = source_.lines_taken();
      const std::string_view code = without_header(first_text_line(*text));
      if (code.empty()) continue;
      has_graph = true;
      if (is_set) sink_.begin_graph();
      MATCHA_TRY(read_graph(code));
    }
    return has_graph ? Status(Done{}) : Status(input_error(path_, line_, "the file has no graph"));
  }

 private:
  Status read_graph(std::string_view code) {
    const bool sparse = code.starts_with(':'), directed = code.starts_with('&');
    if (sparse || directed) code.remove_prefix(1);
    const std::optional<std::uint64_t> size = take_size(code);
    if (!size) return input_error(path_, line_, "expected a graph6, found " + quote(code));
    for (const char c : code) {
      if (!is_code(c)) return input_error(path_, line_, "`" + std::string(1, c) + "` is not a byte of graph6");
    }
    if (!sparse && (*size > kMaxVertices || code.size() != matrix_bytes(*size, directed))) {
      return input_error(
          path_, line_,
          "the graph6 has " + std::to_string(*size) + " vertices and " + std::to_string(code.size()) +
              " bytes of edges" +
              (*size > kMaxVertices ? "" : "; expected " + std::to_string(matrix_bytes(*size, directed))),
          "the line may be cut");
    }
    MATCHA_TRY(sink_.declare(IdRange{0, *size}, line_));
    return sparse ? read_sparse(code, *size) : read_matrix(code, *size, directed);
  }

  static bool bit(std::string_view code, std::uint64_t at) {
    return ((static_cast<unsigned>(code[at / 6] - 63) >> (5 - at % 6)) & 1U) != 0;
  }

  Status edge(std::uint64_t a, std::uint64_t b, EdgeKind kind) {
    return sink_.edge(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b), std::nullopt, kind, line_);
  }

  Status read_matrix(std::string_view code, std::uint64_t size, bool directed) {
    std::uint64_t at = 0;
    Status done = Done{};
    for (std::uint64_t row = 0; row < size && done; ++row) {
      const std::uint64_t end = directed ? size : row;
      for (std::uint64_t column = 0; column < end && done; ++column, ++at) {
        if (!bit(code, at)) continue;
        done = directed ? edge(row, column, EdgeKind::Arc) : edge(column, row, EdgeKind::Undirected);
      }
    }
    return done;
  }

  /// A sequence of a bit `b` and a number `x`: `b` moves on to the next vertex `v`, `x > v` moves to `x`, else x-v is
  /// an edge.
  Status read_sparse(std::string_view code, std::uint64_t size) {
    unsigned width = 0;
    while (size > 1 && (size - 1) >> width != 0) ++width;
    const std::uint64_t bits = code.size() * 6;
    std::uint64_t vertex = 0;
    for (std::uint64_t at = 0; at + 1 + width <= bits;) {
      vertex += bit(code, at++) ? 1 : 0;
      std::uint64_t other = 0;
      for (unsigned i = 0; i < width; ++i) other = other << 1 | (bit(code, at++) ? 1U : 0U);
      if (vertex >= size || other >= size) break;  // Padding of the last byte.
      if (other > vertex) {
        vertex = other;
        continue;
      }
      MATCHA_TRY(edge(other, vertex, EdgeKind::Undirected));
    }
    return Done{};
  }

  LineSource& source_;
  const std::string& path_;
  GraphSink& sink_;
  std::uint64_t line_ = 0;
};

}  // namespace

bool looks_like_graph6(std::string_view head) {
  const std::string_view first = first_text_line(head);
  if (first.empty()) return false;
  if (without_header(first).size() != first.size()) return true;
  // A line that is cut off at the end of the head is inconclusive.
  const bool is_whole = first.data() + first.size() != head.data() + head.size() || head.size() < kHeadBytes;
  if (is_whole) return is_graph_line(first);
  std::string_view code = first.starts_with(':') || first.starts_with('&') ? first.substr(1) : first;
  if (!take_size(code)) return false;
  for (const char c : code) {
    if (!is_code(c)) return false;
  }
  return true;
}

Status read_graph6(LineSource& source, GraphSink& sink) { return Graph6Reader(source, sink).read(); }

}  // namespace matcha::runtime::detail
