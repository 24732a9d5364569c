#include <string>
#include <vector>

#include "runtime/graph/formats/readers.h"
#include "runtime/graph/formats/text_reader.h"

/// METIS: `n m [fmt [ncon]]`, then a line for each vertex: its size and weights, if `fmt` has them, and its neighbours,
/// each followed by the weight of the edge, if `fmt` has it. `first_line.h` detects METIS files.
namespace matcha::runtime::detail {

namespace {

constexpr const char* kMetisHint =
    "a METIS file begins with `n m [fmt [ncon]]`, and its line i has the neighbours of vertex i, from 1; "
    "`--format edges` reads an edge list";

struct MetisHeader {
  std::int64_t vertices = 0;
  std::int64_t edges = 0;
  std::int64_t weights = 0;  ///< Weights of the vertex before the neighbours.
  bool has_sizes = false;
  bool has_edge_weights = false;
  std::uint64_t line = 0;
};

class MetisReader {
 public:
  MetisReader(LineSource& source, GraphSink& sink) : path_(source.path()), text_(source), sink_(sink) {}

  Status read() {
    Status done = read_header();
    if (done) done = sink_.declare(IdRange{1, static_cast<std::uint64_t>(header_.vertices)}, header_.line);
    std::uint64_t entries = 0;
    std::int64_t vertex = 0;
    while (done) {
      skip_comments();
      if (text_.peek() == TextReader::kEnd) break;
      if (vertex == header_.vertices) {
        done = expect_nothing();
        continue;
      }
      done = read_vertex(++vertex, entries);
    }
    if (!done) return done;
    if (!text_.status()) return text_.status();
    // Blank lines at the end may be missing; they are vertices without neighbours.
    const std::uint64_t declared = 2 * static_cast<std::uint64_t>(header_.edges);
    if (vertex < header_.vertices && entries != declared) {
      return count_error(path_, header_.line, header_.vertices, static_cast<std::uint64_t>(vertex),
                         "lines of neighbours");
    }
    if (entries == declared && balance_ != 0) {
      return input_error(path_, header_.line, "some edge is in the line of only one of its ends", kMetisHint);
    }
    if (entries == declared) return Done{};
    return input_error(path_, header_.line,
                       "the header declares " + std::to_string(header_.edges) + " edges, the lines have " +
                           std::to_string(entries) + " neighbours for " + std::to_string(declared),
                       kMetisHint);
  }

 private:
  void skip_comments() {
    while (text_.peek() == '%') end_line();
  }

  void end_line() {
    while (text_.peek() != TextReader::kEnd && text_.take() != '\n') {
    }
  }

  /// Reads the next number of the line; empty at its end.
  Status number(std::optional<std::int64_t>& out) {
    out.reset();
    while (text_.peek() == ' ' || text_.peek() == '\t' || text_.peek() == '\r') text_.take();
    if (text_.peek() == '\n' || text_.peek() == TextReader::kEnd) return Done{};
    std::string word;
    constexpr std::size_t kLongest = 40;
    for (int next = text_.peek(); next != TextReader::kEnd && next > ' ' && word.size() < kLongest;
         next = text_.peek()) {
      word += static_cast<char>(text_.take());
    }
    std::int64_t value = 0;
    if (!parse_number(word, value)) {
      return input_error(path_, text_.line(), "expected a number, found " + quote(word), kMetisHint);
    }
    out = value;
    return Done{};
  }

  Status read_header() {
    skip_comments();
    while (text_.peek() == '\n' || text_.peek() == '\r') {
      end_line();
      skip_comments();
    }
    header_.line = text_.line();
    std::vector<std::int64_t> numbers;
    for (std::optional<std::int64_t> next;;) {
      MATCHA_TRY(number(next));
      if (!next || numbers.size() == 5) break;
      numbers.push_back(*next);
    }
    end_line();
    const std::int64_t flags = numbers.size() > 2 ? numbers[2] : 0;
    const auto is_flag = [](std::int64_t digit) { return digit == 0 || digit == 1; };
    const bool good = numbers.size() >= 2 && numbers.size() <= 4 && numbers[0] >= 0 && numbers[1] >= 0 && flags >= 0 &&
                      flags < 1000 && is_flag(flags % 10) && is_flag(flags / 10 % 10) && is_flag(flags / 100);
    constexpr std::int64_t kMostWeights = 1024;
    if (!good || (numbers.size() == 4 && (numbers[3] < 0 || numbers[3] > kMostWeights))) {
      return input_error(path_, header_.line, "expected the first line `n m [fmt [ncon]]`", kMetisHint);
    }
    header_.vertices = numbers[0];
    header_.edges = numbers[1];
    header_.has_edge_weights = flags % 10 == 1;
    header_.has_sizes = flags / 100 == 1;
    if (flags / 10 % 10 == 1) header_.weights = numbers.size() == 4 ? numbers[3] : 1;
    return Done{};
  }

  Status expect_nothing() {
    std::optional<std::int64_t> next;
    Status read = number(next);
    if (read && next) {
      return input_error(path_, text_.line(),
                         "there are more lines than the " + std::to_string(header_.vertices) + " vertices that line " +
                             std::to_string(header_.line) + " declares",
                         kMetisHint);
    }
    end_line();
    return read;
  }

  Status read_vertex(std::int64_t vertex, std::uint64_t& entries) {
    const std::uint64_t line = text_.line();
    std::optional<std::int64_t> next;
    std::string label;
    for (std::int64_t at = header_.has_sizes ? -1 : 0; at < header_.weights; ++at) {
      MATCHA_TRY(number(next));
      if (!next)
        return input_error(path_, line, "the weight of vertex " + std::to_string(vertex) + " is missing", kMetisHint);
      if (at == 0) label = std::to_string(*next);
    }
    Status done = header_.weights > 0 ? sink_.vertex(vertex, label, line) : Status(Done{});
    while (done) {
      done = number(next);
      if (!done || !next) break;
      const std::int64_t neighbour = *next;
      std::string weight;
      if (header_.has_edge_weights) {
        done = number(next);
        if (!done) break;
        if (!next) return input_error(path_, line, "the weight of the last edge is missing", kMetisHint);
        weight = std::to_string(*next);
      }
      ++entries;
      balance_ += hash_pair(vertex, neighbour) - hash_pair(neighbour, vertex);
      const bool has_weight = header_.has_edge_weights;
      done = sink_.edge(vertex, neighbour, has_weight ? std::optional<std::string_view>(weight) : std::nullopt,
                        EdgeKind::Listed, line);
    }
    if (text_.peek() == '\n') text_.take();
    return done;
  }

  const std::string& path_;
  TextReader text_;
  GraphSink& sink_;
  MetisHeader header_;
  std::uint64_t balance_ = 0;  ///< 0 if each edge is in the lines of both its ends.
};

}  // namespace

Status read_metis(LineSource& source, GraphSink& sink) { return MetisReader(source, sink).read(); }

}  // namespace matcha::runtime::detail
