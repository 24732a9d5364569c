#include "frontend/pattern/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace matcha::frontend::pattern {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Vertices and edges by the ids of the user, with the places where they were said; becomes a Pattern at the end.
class Collector {
 public:
  Collector(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void vertex(std::int64_t id, SourceLoc loc) { vertices_.try_emplace(id, Vertex{loc, {}}); }

  void label(std::int64_t id, std::string_view word, SourceLoc loc) {
    vertex(id, loc);
    const std::optional<std::string> literal = label_literal(word);
    if (!literal) {
      fail(DiagId::PatternLabel, loc, fmt::format("`{}` cannot be written as a label", word),
           "a label is a number or a word without quotes and backslashes");
      return;
    }
    std::string& label = vertices_.at(id).label;
    if (!label.empty() && label != *literal) {
      fail(DiagId::PatternLabel, loc, fmt::format("vertex {} has the labels {} and {}", id, label, *literal));
    }
    label = *literal;
  }

  /// `sign` is one of `-`, `>`, `~`; an empty `word` is any label.
  void edge(std::int64_t u, std::int64_t v, char sign, std::string_view word, SourceLoc loc) {
    vertex(u, loc);
    vertex(v, loc);
    if (u == v) {
      fail(DiagId::PatternEdge, loc, fmt::format("vertex {} has a loop; no graph that is matched has any", u));
      return;
    }
    const std::optional<std::string> label = word.empty() ? std::string() : label_literal(word);
    if (!label) {
      fail(DiagId::PatternLabel, loc, fmt::format("`{}` cannot be written as a label", word),
           "a label is a number or a word without quotes and backslashes");
    } else if (sign == '~' && !label->empty()) {
      fail(DiagId::PatternLabel, loc, fmt::format("vertices {} and {} have no edge that could have a label", u, v),
           "`0~1` is a pair that no edge joins, whatever its label");
    } else {
      edges_.push_back({u, v, sign, *label, loc});
    }
  }

  bool failed() const { return failed_; }
  void fail(DiagId id, SourceLoc loc, std::string message, std::string hint = {}) {
    diagnostics_.error(id, loc, std::move(message), std::move(hint));
    failed_ = true;
  }

  std::optional<Pattern> finish(SourceLoc whole) {
    if (failed_) return std::nullopt;
    const int n = static_cast<int>(std::min<std::size_t>(vertices_.size(), kMostVertices + 1));
    if (n == 0) {
      fail(DiagId::PatternSize, whole, "the pattern has no vertices");
      return std::nullopt;
    }
    if (n > kMostVertices) {
      fail(DiagId::PatternSize, whole,
           fmt::format("the pattern has {} vertices; at most {} are taken", vertices_.size(), kMostVertices));
      return std::nullopt;
    }
    Pattern pattern = Pattern::empty(n);
    std::map<std::int64_t, int> index;
    for (const auto& [id, vertex] : vertices_) {
      const int v = static_cast<int>(index.size());
      index.emplace(id, v);
      pattern.ids[static_cast<std::size_t>(v)] = id;
      pattern.labels[static_cast<std::size_t>(v)] = vertex.label;
    }
    for (const Edge& edge : edges_) {
      const int u = index.at(edge.u), v = index.at(edge.v);
      if (edge.sign == '-') pattern.add_edge(u, v);
      if (edge.sign == '>') pattern.add_arc(u, v);
      if (!edge.label.empty()) pattern.add_edge_label(u, v, edge.label);
      if (!edge.label.empty() && edge.sign == '-') pattern.add_edge_label(v, u, edge.label);
      if (edge.sign == '>') pattern.directed = true;
      if (edge.sign != '~') continue;
      pattern.anti[static_cast<std::size_t>(u)] |= bit(v);
      pattern.anti[static_cast<std::size_t>(v)] |= bit(u);
    }
    for (const Edge& edge : edges_) {
      const int u = index.at(edge.u), v = index.at(edge.v);
      if (edge.sign != '~' || !has(pattern.near(u), v)) continue;
      fail(DiagId::PatternEdge, edge.loc,
           fmt::format("vertices {} and {} must be adjacent and must not", edge.u, edge.v));
    }
    if (!failed_ && n > kMostUnlabelledVertices && !pattern.labelled()) {
      fail(DiagId::PatternSize, whole,
           fmt::format("the pattern has {} vertices; at most {} are taken without labels", n, kMostUnlabelledVertices),
           fmt::format("with labels, up to {}", kMostVertices));
    }
    if (failed_) return std::nullopt;
    return pattern;
  }

 private:
  struct Vertex {
    SourceLoc loc;
    std::string label;
  };
  struct Edge {
    std::int64_t u, v;
    char sign;
    std::string label;
    SourceLoc loc;
  };

  Diagnostics& diagnostics_;
  bool failed_ = false;
  std::map<std::int64_t, Vertex> vertices_;
  std::vector<Edge> edges_;
};

/// Words of a text with their places.
class Scanner {
 public:
  Scanner(std::string_view text, std::uint32_t file) : text_(text), file_(file) {}

  bool done() const { return at_ >= text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  char take() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++line_;
      line_start_ = at_;
    }
    return c;
  }
  void skip_space() {
    while (!done() && (is_space(peek()) || peek() == '#')) {
      if (peek() == '#') {
        while (!done() && peek() != '\n') take();
      } else {
        take();
      }
    }
  }
  template <typename Accepts>
  std::string_view take_while(Accepts accepts) {
    const std::size_t begin = at_;
    while (!done() && accepts(peek())) take();
    return text_.substr(begin, at_ - begin);
  }
  std::size_t position() const { return at_; }
  std::string_view text_since(std::size_t begin) const { return text_.substr(begin, at_ - begin); }
  /// From `begin`, a position in the same line, up to here; at least one byte.
  SourceLoc since(std::size_t begin) const {
    const std::size_t from = std::max(begin, line_start_);
    return {file_, line_, static_cast<std::uint32_t>(from - line_start_ + 1),
            static_cast<std::uint32_t>(std::max<std::size_t>(at_ - from, 1))};
  }

 private:
  std::string_view text_;
  std::uint32_t file_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
};

/// At most 18 digits, so that every vertex is an id.
std::optional<std::int64_t> parse_id(std::string_view digits) {
  constexpr std::size_t kMostDigits = 18;
  std::int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
  const std::from_chars_result read = std::from_chars(digits.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || value < 0) return std::nullopt;
  return value;
}

/// `0-1-2, 0:a` and so on.
class EdgeText {
 public:
  EdgeText(std::string_view text, std::uint32_t file, Collector& collector)
      : scan_(text, file), collector_(collector) {}

  void run() {
    for (separators(); !scan_.done() && !collector_.failed(); separators()) {
      const std::size_t begin = scan_.position();
      chain();
      if (collector_.failed()) return;
      const std::string_view text = scan_.text_since(begin);
      refuse_columns(text);
      chains_.push_back({text, scan_.since(begin)});
    }
    if (!collector_.failed()) refuse_commas();
  }

 private:
  /// `0 1` is a line of an edge list, and would be two vertices without an edge. `before` is the chain that was read.
  void refuse_columns(std::string_view before) {
    if (!std::all_of(before.begin(), before.end(), is_digit)) return;
    const std::size_t begin = scan_.position();
    scan_.take_while([](char c) { return c == ' ' || c == '\t'; });
    if (!is_word(scan_.peek())) return;
    collector_.fail(DiagId::PatternSyntax, scan_.since(begin), "expected a sign between two vertices",
                    "an edge is `0-1`; two vertices that need no edge are `0,1`");
  }

  /// `0,1,1,2,2,0` is meant to be edges: nobody names a vertex twice to say nothing about it.
  void refuse_commas() {
    std::set<std::string_view> seen;
    const Chain* twice = nullptr;
    for (const Chain& chain : chains_) {
      if (!std::all_of(chain.text.begin(), chain.text.end(), is_digit)) return;
      if (!seen.insert(chain.text).second && twice == nullptr) twice = &chain;
    }
    if (twice == nullptr) return;
    std::string edges;
    for (std::size_t at = 0; at + 1 < chains_.size(); at += 2) {
      edges += fmt::format("{}{}-{}", at == 0 ? "" : ",", chains_[at].text, chains_[at + 1].text);
    }
    collector_.fail(DiagId::PatternSyntax, twice->loc,
                    fmt::format("vertex {} stands here again, and the pattern has no edge", twice->text),
                    chains_.size() % 2 == 0 ? fmt::format("an edge is `0-1`; did you mean `{}`?", edges)
                                            : "an edge is `0-1`, and `0,1` are two vertices without one");
  }

  void separators() {
    do {
      scan_.skip_space();
    } while ((scan_.peek() == ',' || scan_.peek() == ';') && scan_.take() != '\0');
  }

  void complain(std::size_t begin, const std::string& wanted) {
    if (begin == scan_.position() && !scan_.done()) scan_.take();
    collector_.fail(
        DiagId::PatternSyntax, scan_.since(begin), fmt::format("expected {} here", wanted),
        "a pattern is like `0-1,1-2,2-0`, with labels `0:a`, arcs `0>1` and non-edges `0~1`, a name such as "
        "`clique:4`, or a file; a shell wants it in single quotes");
  }

  std::optional<std::int64_t> vertex() {
    const std::size_t begin = scan_.position();
    const std::optional<std::int64_t> id = parse_id(scan_.take_while(is_word));
    if (!id) {
      complain(begin, "the number of a vertex");
      return std::nullopt;
    }
    collector_.vertex(*id, scan_.since(begin));
    if (scan_.peek() != ':') return id;
    const std::optional<std::string_view> word = label(begin);
    if (!word) return std::nullopt;
    collector_.label(*id, *word, scan_.since(begin));
    return id;
  }

  /// `:a`, `='a b'` or `=3`; nothing after an error. What it belongs to begins at `begin`.
  std::optional<std::string_view> label(std::size_t begin) {
    const char sign = scan_.take();
    const char quote = scan_.peek() == '\'' || scan_.peek() == '"' ? scan_.take() : '\0';
    const std::string_view word =
        quote == '\0' ? label_word() : scan_.take_while([quote](char c) { return c != quote && c != '\n'; });
    if (word.empty() || (quote != '\0' && scan_.peek() != quote)) {
      complain(begin, quote == '\0' ? fmt::format("a label after `{}`", sign) : "the closing quote of a label");
      return std::nullopt;
    }
    if (quote != '\0') scan_.take();
    return word;
  }

  /// A word, or a number with its sign. A `-` within a word is an edge.
  std::string_view label_word() {
    bool first = true;
    return scan_.take_while([&first](char c) {
      const bool sign = first && c == '-';
      first = false;
      return sign || is_word(c);
    });
  }

  /// `-`, `>` or `->`, `~` or `!`, which shells take for something else: as `-`, `>` and `~`.
  char joint() {
    const char sign = scan_.take();
    if (sign == '-' && scan_.peek() == '>') return scan_.take();
    return sign == '!' ? '~' : sign;
  }

  void chain() {
    std::size_t begin = scan_.position();
    std::optional<std::int64_t> from = vertex();
    while (from && (scan_.peek() == '-' || scan_.peek() == '>' || scan_.peek() == '~' || scan_.peek() == '!')) {
      const char sign = joint();
      const std::size_t second = scan_.position();
      const std::optional<std::int64_t> to = vertex();
      if (!to) return;
      const std::optional<std::string_view> word = scan_.peek() == '=' ? label(begin) : std::string_view{};
      if (!word) return;
      collector_.edge(*from, *to, sign, *word, scan_.since(begin));
      from = to;
      begin = second;
    }
    const char next = scan_.peek();
    if (from && !scan_.done() && !is_space(next) && next != ',' && next != ';' && next != '#') {
      complain(scan_.position(), "`,`, `-`, `>`, `~`, `:` or `=`");
    }
  }

  struct Chain {
    std::string_view text;
    SourceLoc loc;
  };

  Scanner scan_;
  Collector& collector_;
  std::vector<Chain> chains_;
};

/// Lines of `t/v/e` files.
class LineText {
 public:
  LineText(std::string_view text, std::uint32_t file, Collector& collector)
      : scan_(text, file), collector_(collector) {}

  void run() {
    for (scan_.skip_space(); !scan_.done() && !collector_.failed(); scan_.skip_space()) line();
    const bool has_labels = std::any_of(edges_.begin(), edges_.end(),
                                        [](const Edge& edge) { return !edge.label.empty() && edge.label != "0"; });
    for (const Edge& edge : edges_) {
      collector_.edge(edge.u, edge.v, '-', has_labels ? edge.label : std::string_view{}, edge.loc);
    }
  }

 private:
  struct Edge {
    std::int64_t u, v;
    std::string_view label;
    SourceLoc loc;
  };
  struct Word {
    std::string_view text;
    SourceLoc loc;
  };

  std::vector<Word> words() {
    std::vector<Word> found;
    while (!scan_.done() && scan_.peek() != '\n' && scan_.peek() != '#') {
      const std::size_t begin = scan_.position();
      const std::string_view word = scan_.take_while([](char c) { return !is_space(c); });
      if (!word.empty()) found.push_back({word, scan_.since(begin)});
      while (scan_.peek() == ' ' || scan_.peek() == '\t' || scan_.peek() == '\r') scan_.take();
    }
    return found;
  }

  void line() {
    const std::vector<Word> all = words();
    const std::string_view kind = all[0].text;
    if (kind == "t") {
      if (++headers_ == 1) return;
      return collector_.fail(DiagId::PatternSyntax, all[0].loc, "the file holds more than one pattern",
                             "keep one of them");
    }
    const std::size_t needed = kind == "v" ? 2 : 3;
    if ((kind != "v" && kind != "e") || all.size() < needed) {
      return collector_.fail(DiagId::PatternSyntax, all[0].loc, "expected `t N M`, `v ID LABEL` or `e U V LABEL`");
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
      collector_.vertex(ends[0], all[1].loc);
      if (all.size() > 2) collector_.label(ends[0], all[2].text, all[2].loc);
      return;
    }
    edges_.push_back({ends[0], ends[1], all.size() > 3 ? all[3].text : std::string_view{}, all[1].loc});
  }

  Scanner scan_;
  Collector& collector_;
  int headers_ = 0;
  std::vector<Edge> edges_;
};

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
    collector.vertex(v, loc);
    for (int u = 0; u < v; ++u, ++at) {
      const int group = text[1 + at / 6] - 63;
      if ((group >> (5 - at % 6) & 1) != 0) collector.edge(u, v, '-', {}, loc);
    }
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool starts_with_line_kind(std::string_view text) {
  Scanner scan(text, 0);
  scan.skip_space();
  const char kind = scan.peek();
  if (kind != 't' && kind != 'v' && kind != 'e') return false;
  scan.take();
  return scan.peek() == ' ' || scan.peek() == '\t';
}

}  // namespace

std::optional<std::string> label_literal(std::string_view word) {
  const bool negative = word.size() > 1 && word[0] == '-';
  const std::string_view digits = word.substr(negative ? 1 : 0);
  if (!digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit)) {
    std::int64_t value = 0;
    const std::from_chars_result read = std::from_chars(word.data(), word.data() + word.size(), value);
    if (read.ec != std::errc() || value == INT64_MIN) return std::nullopt;
    return fmt::format("{}", value);
  }
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '\'' && c != '\\' && c != '\x7f';
  });
  if (word.empty() || !plain) return std::nullopt;
  return fmt::format("'{}'", word);
}

bool set_labels(Pattern& pattern, const SourceManager& sources, std::uint32_t file, Diagnostics& diagnostics) {
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
        diagnostics.error(
            DiagId::PatternLabel, place(begin, end - begin),
            literal ? fmt::format("vertex {} has the labels {} and {}", pattern.ids[v], pattern.labels[v], *literal)
                    : fmt::format("`{}` cannot be written as a label", word));
        return false;
      }
      pattern.labels[v] = *literal;
    }
    if (end == text.size()) return true;
    begin = end + 1;
  }
}

std::optional<PatternSet> read_pattern(const SourceManager& sources, std::uint32_t file, Diagnostics& diagnostics) {
  const std::string_view text = sources.text(file);
  const std::string_view word = trimmed(text);
  const SourceLoc whole{file, 1, 1, static_cast<std::uint32_t>(std::max<std::size_t>(sources.line(file, 1).size(), 1))};
  const std::size_t errors = diagnostics.error_count();
  if (const bool letter = !word.empty() && !is_digit(word[0]) && is_word(word[0]); letter) {
    std::optional<PatternSet> named = named_pattern(word, whole, diagnostics);
    if (named || diagnostics.error_count() != errors) return named;
  }
  Collector collector(diagnostics);
  constexpr std::string_view kHeader = ">>graph6<<", kPrefix = "graph6:";
  if (word.substr(0, kHeader.size()) == kHeader || word.substr(0, kPrefix.size()) == kPrefix) {
    read_graph6(word.substr(word[0] == '>' ? kHeader.size() : kPrefix.size()), whole, collector);
  } else if (starts_with_line_kind(text)) {
    LineText(text, file, collector).run();
  } else {
    EdgeText(text, file, collector).run();
  }
  std::optional<Pattern> pattern = collector.finish(whole);
  if (!pattern) return std::nullopt;
  pattern->name = known_name(*pattern);
  PatternSet set;
  set.patterns.push_back(std::move(*pattern));
  return set;
}

}  // namespace matcha::frontend::pattern
