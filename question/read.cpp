#include "question/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ir/support/utf8.h"
#include "question/collect.h"
#include "question/edge_text.h"
#include "question/scan.h"

namespace matcha::pattern {

namespace {

struct Word {
  std::string_view text;
  SourceLoc loc;
};

/// The words up to the end of the line, or up to a comment.
std::vector<Word> words_of_line(Scanner& scan) {
  std::vector<Word> found;
  while (!scan.done() && scan.peek() != '\n' && scan.peek() != '#') {
    const std::size_t begin = scan.position();
    const std::string_view word = scan.take_while([](char c) { return !is_space(c); });
    if (!word.empty()) found.push_back({word, scan.since(begin)});
    while (scan.peek() == ' ' || scan.peek() == '\t' || scan.peek() == '\r') scan.take();
  }
  return found;
}

/// Lines of `t/v/e` files.
class LineText {
 public:
  LineText(Scanner scan, Collector& collector) : scan_(scan), collector_(collector) {}

  void run() {
    for (scan_.skip_space(); !scan_.done() && !collector_.failed(); scan_.skip_space()) line();
    const bool has_labels = std::any_of(edges_.begin(), edges_.end(), [](const Edge& edge) {
      return !edge.label.text.empty() && edge.label.text != "0";
    });
    for (const Edge& edge : edges_) {
      const std::size_t u = collector_.vertex(edge.u, edge.loc), v = collector_.vertex(edge.v, edge.loc);
      LabelText label;
      if (has_labels && !edge.label.text.empty()) label.words.push_back({edge.label.text, edge.label.loc});
      collector_.edge(u, v, edge.sign, label, edge.loc);
    }
  }

 private:
  struct Edge {
    std::int64_t u, v;
    Word label;
    SourceLoc loc;
    char sign;
  };

  void line() {
    const std::vector<Word> all = words_of_line(scan_);
    const std::string_view kind = all[0].text;
    if (kind == "t") {
      if (++headers_ == 1) return;
      return collector_.fail(DiagId::PatternSyntax, all[0].loc, "the file holds more than one pattern",
                             "keep one of them");
    }
    const std::size_t needed = kind == "v" ? 2 : 3;
    if ((kind != "v" && kind != "e" && kind != "a") || all.size() < needed) {
      return collector_.fail(DiagId::PatternSyntax, all[0].loc,
                             "expected `t N M`, `v ID LABEL`, `e U V LABEL` or `a U V LABEL`");
    }
    std::int64_t ends[2] = {};
    for (std::size_t i = 1; i < needed; ++i) {
      const std::optional<std::int64_t> id = parse_id(all[i].text);
      if (!id) {
        return collector_.fail(DiagId::PatternSyntax, all[i].loc, fmt::format("`{}` is no vertex", all[i].text));
      }
      ends[i - 1] = *id;
    }
    if (kind == "v") {
      const std::size_t vertex = collector_.vertex(ends[0], all[1].loc);
      if (all.size() > 2) collector_.label(vertex, {{{all[2].text, all[2].loc}}}, all[2].loc);
      return;
    }
    edges_.push_back({ends[0], ends[1], all.size() > 3 ? all[3] : Word{}, all[1].loc, kind == "a" ? '>' : '-'});
  }

  Scanner scan_;
  Collector& collector_;
  int headers_ = 0;
  std::vector<Edge> edges_;
};

/// Lines of edges in Peregrine's format: `u v`, or `u LABEL v LABEL` with -1 for any label; a `1` at the end marks an
/// anti-edge.
class EdgeLines {
 public:
  EdgeLines(Scanner scan, Collector& collector) : scan_(scan), collector_(collector) {}

  /// True if all lines of a file have two to five words, of which those at the positions of ends are numbers: then none
  /// of them is the text of a pattern.
  static bool are_in(std::string_view text) {
    bool found = false;
    for (Scanner scan(text, 0);;) {
      scan.skip_space();
      if (scan.done()) return found;
      const std::vector<Word> all = words_of_line(scan);
      const std::size_t second = all.size() < 4 ? 1 : 2;
      if (all.size() < 2 || all.size() > 5 || !parse_id(all[0].text) || !parse_id(all[second].text)) return false;
      found = true;
    }
  }

  void run() {
    for (scan_.skip_space(); !scan_.done() && !collector_.failed(); scan_.skip_space()) line();
  }

 private:
  std::size_t end(const Word& word) { return collector_.vertex(*parse_id(word.text), word.loc); }

  void line() {
    const std::vector<Word> all = words_of_line(scan_);
    const bool labelled = all.size() >= 4;
    const std::size_t u = end(all[0]), v = end(all[labelled ? 2 : 1]);
    if (labelled) {
      label(u, all[1], all[0].loc);
      label(v, all[3], all[2].loc);
    }
    if (u == v) {
      return collector_.fail(DiagId::PatternEdge, all[0].loc, fmt::format("vertex {} has a loop", all[0].text),
                             "patterns of this kind have none; `0-0` has");
    }
    const bool apart = all.size() == (labelled ? 5 : 3);
    if (apart && all.back().text != "1") {
      return collector_.fail(
          DiagId::PatternSyntax, all.back().loc,
          fmt::format("a line of an edge ends with its ends, or with `1`, not with `{}`", all.back().text));
    }
    collector_.edge(u, v, apart ? '~' : '-', {}, all[0].loc);
  }

  void label(std::size_t vertex, const Word& word, SourceLoc loc) {
    if (word.text != "-1") collector_.label(vertex, {{{word.text, word.loc}}}, loc);
  }

  Scanner scan_;
  Collector& collector_;
};

/// The rows of an adjacency matrix one after the other, in GraphPi's format: `011101110`.
void read_matrix(std::string_view digits, SourceLoc loc, Collector& collector) {
  const auto bad = [&](const std::string& why) {
    collector.fail(DiagId::PatternSyntax, loc, "no adjacency matrix: " + why);
  };
  if (digits.empty() || digits.find_first_not_of("01") != std::string_view::npos)
    return bad("it has other signs than 0 and 1");
  std::size_t n = 1;
  while (n * n < digits.size()) ++n;
  if (n * n != digits.size()) return bad(fmt::format("{} digits are no square", digits.size()));
  const auto is_one = [&](std::size_t u, std::size_t v) { return digits[u * n + v] == '1'; };
  std::vector<std::size_t> vertices;
  for (std::size_t v = 0; v < n; ++v) vertices.push_back(collector.vertex(static_cast<std::int64_t>(v), loc));
  for (std::size_t v = 0; v < n; ++v) {
    if (is_one(v, v)) return bad(fmt::format("vertex {} is adjacent to itself", v));
    for (std::size_t u = 0; u < v; ++u) {
      if (is_one(u, v) != is_one(v, u)) return bad(fmt::format("rows {} and {} do not agree", u, v));
      if (is_one(u, v)) collector.edge(vertices[u], vertices[v], '-', {}, loc);
    }
  }
}

/// `0110`: rows of a matrix without their prefix; otherwise it would be the number of one vertex.
bool is_matrix(std::string_view word) {
  constexpr std::size_t kLeast = 4;
  std::size_t n = 1;
  while (n * n < word.size()) ++n;
  return word.size() >= kLeast && n * n == word.size() && word[0] == '0' &&
         word.find_first_not_of("01") == std::string_view::npos;
}

/// nauty's formats.txt: N(n), then the upper triangle by columns, six bits a byte above 63.
void read_graph6(std::string_view text, SourceLoc loc, Collector& collector) {
  const auto bad = [&](const std::string& why) { collector.fail(DiagId::PatternSyntax, loc, "not graph6: " + why); };
  for (char c : text) {
    if (c < 63 || c > 126) return bad(fmt::format("`{}` is none of its characters", c));
  }
  if (text.empty()) return bad("nothing follows");
  if (text[0] == 126) {
    return collector.fail(DiagId::PatternSize, loc,
                          fmt::format("the pattern has more than 62 vertices; at most {} are taken without labels",
                                      kMostUnlabelledVertices));
  }
  const int n = text[0] - 63;
  const std::size_t bits = static_cast<std::size_t>(n) * static_cast<std::size_t>(std::max(n - 1, 0)) / 2;
  if (text.size() != 1 + (bits + 5) / 6) {
    return bad(fmt::format("{} vertices take {} characters, here are {}", n, 1 + (bits + 5) / 6, text.size()));
  }
  std::size_t at = 0;
  for (int v = 0; v < n; ++v) {
    const std::size_t vertex = collector.vertex(v, loc);
    for (int u = 0; u < v; ++u, ++at) {
      const int group = text[1 + at / 6] - 63;
      if ((group >> (5 - at % 6) & 1) != 0) collector.edge(static_cast<std::size_t>(u), vertex, '-', {}, loc);
    }
  }
}

/// `v 0 x`, but neither `v - w` nor `v, w`.
bool starts_with_line_kind(std::string_view text) {
  Scanner scan(text, 0);
  scan.skip_space();
  const char kind = scan.peek();
  if ((kind != 't' && kind != 'v' && kind != 'e' && kind != 'a') || !is_blank(scan.peek(1))) return false;
  scan.take();
  scan.skip_blanks();
  return std::string_view("-<>~!,;").find(scan.peek()) == std::string_view::npos;
}

/// The first non-empty line, from its start.
SourceLoc whole_pattern(const SourceManager& sources, std::uint32_t file) {
  const std::string_view text = sources.text(file);
  std::uint32_t line = 1;
  if (!trimmed(text).empty()) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    line +=
        static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
  }
  const std::string_view shown = sources.line(file, line);
  const std::size_t begin = std::min(shown.find_first_not_of(" \t"), shown.size());
  const std::size_t length = std::max<std::size_t>(trimmed(shown.substr(begin)).size(), 1);
  return {file, line, static_cast<std::uint32_t>(begin + 1), static_cast<std::uint32_t>(length)};
}

bool is_whole_number(std::string_view word) {
  const std::string_view digits = word.substr(word.starts_with('-') ? 1 : 0);
  return !digits.empty() && std::ranges::all_of(digits, is_digit);
}

}  // namespace

std::optional<std::string> label_form(std::string_view word) {
  if (!is_whole_number(word)) return std::string(word);
  std::int64_t value = 0;
  const std::from_chars_result read = std::from_chars(word.data(), word.data() + word.size(), value);
  if (read.ec != std::errc() || value == INT64_MIN) return std::nullopt;
  return fmt::format("{}", value);
}

std::optional<std::string> label_literal(std::string_view word) {
  if (is_whole_number(word)) return label_form(word);
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '\'' && c != '\\' && c != '\x7f';
  });
  if (word.empty() || !plain || escape_invalid_utf8(word) != word) return std::nullopt;
  return fmt::format("'{}'", word);
}

bool set_labels(PatternSet& set, const SourceManager& sources, std::uint32_t file, Diagnostics& diagnostics) {
  Pattern& pattern = set.patterns.front();
  const std::string_view text = sources.text(file);
  const auto place = [&](std::size_t begin, std::size_t length) {
    return SourceLoc{file, 1, static_cast<std::uint32_t>(begin + 1),
                     static_cast<std::uint32_t>(std::max<std::size_t>(length, 1))};
  };
  std::size_t begin = 0;
  for (std::size_t v = 0;; ++v) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = trimmed(text.substr(begin, end - begin));
    if (v >= pattern.ids.size()) {
      diagnostics.error(DiagId::PatternLabel, place(begin, end - begin),
                        fmt::format("the pattern has {} vertices, and here is one more label", pattern.size()));
      return false;
    }
    if (!word.empty()) {
      const std::optional<std::string> literal = label_literal(word);
      if (!literal || (!pattern.labels[v].empty() && pattern.labels[v] != *literal)) {
        diagnostics.error(DiagId::PatternLabel, place(begin, end - begin),
                          literal ? fmt::format("vertex {} has the labels {} and {}",
                                                pattern.vertex_name(static_cast<int>(v)), pattern.labels[v], *literal)
                                  : fmt::format("`{}` cannot be written as a label", word));
        return false;
      }
      pattern.labels[v] = *literal;
      set.labels.push_back({*literal, place(begin, end - begin), false});
    }
    if (end == text.size()) return true;
    begin = end + 1;
  }
}

std::optional<PatternSet> read_pattern(const SourceManager& sources, std::uint32_t file, Diagnostics& diagnostics,
                                       bool is_file) {
  const std::string_view text = sources.text(file);
  const std::string_view word = trimmed(text);
  const SourceLoc whole = whole_pattern(sources, file);
  const std::size_t errors = diagnostics.error_count();
  if (!word.empty() && is_word(word[0])) {
    std::optional<PatternSet> named = named_pattern(word, whole, diagnostics);
    if (named) named->loc = whole;
    if (named || diagnostics.error_count() != errors) return named;
  }
  Collector collector(diagnostics);
  constexpr std::string_view kHeader = ">>graph6<<", kPrefix = "graph6:", kMatrix = "adjacency:";
  const Scanner scan(text, file);
  if (word.substr(0, kHeader.size()) == kHeader || word.substr(0, kPrefix.size()) == kPrefix) {
    read_graph6(word.substr(word[0] == '>' ? kHeader.size() : kPrefix.size()), whole, collector);
  } else if (word.substr(0, kMatrix.size()) == kMatrix) {
    read_matrix(word.substr(kMatrix.size()), whole, collector);
  } else if (is_matrix(word)) {
    read_matrix(word, whole, collector);
  } else if (is_file && EdgeLines::are_in(text)) {
    EdgeLines(scan, collector).run();
  } else if (starts_with_line_kind(text)) {
    LineText(scan, collector).run();
  } else {
    read_edge_text(scan, collector);
  }
  std::optional<Pattern> pattern = collector.finish(whole);
  if (!pattern) return std::nullopt;
  pattern->name = known_name(*pattern);
  PatternSet set;
  set.loc = whole;
  set.patterns.push_back(std::move(*pattern));
  set.labels = collector.labels();
  set.constants = collector.constants();
  collector.put_columns(set);
  return set;
}

}  // namespace matcha::pattern
