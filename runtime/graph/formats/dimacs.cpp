#include <algorithm>
#include <string>

#include "runtime/graph/detail/tokens.h"
#include "runtime/graph/formats/readers.h"
#include "runtime/graph/formats/text_reader.h"

/// DIMACS: `p KIND n m`, then `a u v [w]` (arcs), `e u v [w]` (edges), or `u v` alone as in PACE files.
namespace matcha::runtime::detail {

namespace {

constexpr const char* kDimacsHint = "a DIMACS file has a line `p sp n m` or `p edge n m`, then `a u v w` or `e u v`";

/// True for kinds of problems whose lines are arcs.
bool has_arcs(std::string_view kind) { return kind == "sp" || kind == "max" || kind == "min" || kind == "asn"; }

struct ProblemLine {
  bool is_directed = false;
  std::int64_t vertices = 0;
  std::int64_t edges = 0;
  std::uint64_t line = 0;  ///< 0: not read so far.
};

Status read_problem(const std::string& path, WordReader& words, std::uint64_t line, ProblemLine& problem) {
  if (problem.line != 0) return input_error(path, line, "a second line `p`", "write each graph into a file of its own");
  const std::string kind = lower_case(words.take());
  if (kind.ends_with("cnf")) {
    return input_error(path, line, "the file is a formula in DIMACS CNF, not a graph");
  }
  const bool good = parse_number(words.take(), problem.vertices) && parse_number(words.take(), problem.edges);
  if (!good || problem.vertices < 0 || problem.edges < 0) {
    return input_error(path, line, "expected `p " + (kind.empty() ? "edge" : kind) + " n m`", kDimacsHint);
  }
  problem.line = line;
  problem.is_directed = has_arcs(kind);
  return Done{};
}

/// `balance`: 0 in the end if each edge is in the file in both directions.
Status read_edge(const std::string& path, WordReader& words, EdgeKind kind, std::uint64_t line, GraphSink& sink,
                 std::uint64_t& balance) {
  std::int64_t ends[2] = {0, 0};
  for (std::int64_t& end : ends) {
    const std::string_view word = words.take();
    if (!parse_number(word, end))
      return input_error(path, line, "expected a vertex, found " + quote(word), kDimacsHint);
  }
  balance += hash_pair(ends[0], ends[1]) - hash_pair(ends[1], ends[0]);
  const std::string_view weight = words.take();
  return sink.edge(ends[0], ends[1], weight.empty() ? std::nullopt : std::optional(weight), kind, line);
}

/// An undirected edge may count once and be given in both directions, or the other way round, which is noted.
Status check_count(const std::string& path, const ProblemLine& problem, std::uint64_t edges, std::uint64_t balance,
                   GraphSink& sink) {
  const std::uint64_t declared = static_cast<std::uint64_t>(problem.edges);
  const bool is_twice = !problem.is_directed && edges == 2 * declared && balance == 0;
  if (edges == declared || is_twice) return Done{};
  if (!problem.is_directed && declared == 2 * edges) {
    sink.note(half_note(declared, edges));
    return Done{};
  }
  return count_error(path, problem.line, problem.edges, edges, problem.is_directed ? "arcs" : "edges");
}

}  // namespace

bool looks_like_dimacs(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    WordReader words(head.substr(0, end));
    head.remove_prefix(std::min(end + 1, head.size()));
    if (words.is_over()) continue;
    const std::string_view tag = words.take();
    if (tag == "c") continue;
    if (tag != "p") return false;
    const std::string_view kind = words.take();
    std::int64_t ignored = 0;
    return !kind.empty() && !parse_number(kind, ignored) && parse_number(words.take(), ignored) &&
           parse_number(words.take(), ignored);
  }
  return false;
}

Status read_dimacs(LineSource& source, GraphSink& sink) {
  const std::string& path = source.path();
  ProblemLine problem;
  std::uint64_t edges = 0, balance = 0;
  while (true) {
    std::optional<std::string_view> text = MATCHA_TRY(source.next_line());
    if (!text.has_value()) break;
    const std::uint64_t line = source.lines_taken();
    WordReader words(*text);
    if (words.is_over() || (*text)[0] == '#' || (*text)[0] == '%') continue;
    WordReader whole = words;
    const std::string_view tag = words.take();
    Status read = Done{};
    std::int64_t ignored = 0;
    if (tag == "c") continue;
    if (tag == "p") {
      read = read_problem(path, words, line, problem);
      if (read) read = sink.declare(IdRange{1, static_cast<std::uint64_t>(problem.vertices)}, line);
    } else if (problem.line == 0) {
      return input_error(path, line, "expected a line `p`, found " + quote(tag), kDimacsHint);
    } else if (tag == "a" || tag == "e" || parse_number(tag, ignored)) {
      const EdgeKind kind = tag == "a" || problem.is_directed ? EdgeKind::Arc : EdgeKind::Undirected;
      read = read_edge(path, tag == "a" || tag == "e" ? words : whole, kind, line, sink, balance);
      ++edges;
    } else if (tag != "n" && tag != "d" && tag != "v" && tag != "x") {
      return input_error(path, line, "expected a line that begins with `a`, `e` or `c`, found " + quote(tag),
                         kDimacsHint);
    }
    if (!read) return read;
  }
  if (problem.line == 0) return input_error(path, source.lines_taken(), "the file has no line `p`", kDimacsHint);
  return check_count(path, problem, edges, balance, sink);
}

}  // namespace matcha::runtime::detail
