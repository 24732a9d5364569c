#include "question/edge_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/support/utf8.h"
#include "question/read_conditions.h"

namespace matcha::pattern {

namespace {

constexpr const char* kHint =
    "a pattern is like `a-b,b-c,c-a` or `(a:person)-[:pays]->(b)`, with numbers `0-1,1-2`, labels `0:a` and "
    "`0-1=b`, and non-edges `0~1`; or a name such as `clique:4`, or a file; a shell wants it in single quotes";

class EdgeText {
 public:
  EdgeText(Scanner scan, Collector& collector) : scan_(scan), collector_(collector) {}

  void run() {
    for (separators(); !scan_.done() && !collector_.failed(); separators()) {
      const std::size_t begin = scan_.position();
      if (begins_where()) return where();
      if (refuses_part()) return;
      const bool alone = chain();
      if (collector_.failed()) return;
      chains_.push_back({trimmed(scan_.text_since(begin)), scan_.since(begin)});
      if (alone) refuse_columns();
    }
    if (!collector_.failed()) refuse_commas();
  }

 private:
  /// The sign that joins two vertices: `-`, `>` or `~`.
  struct Joint {
    char sign = '-';
    bool backwards = false;
    std::optional<LabelText> label;
    std::string_view name;
  };
  struct Chain {
    std::string_view text;
    SourceLoc loc;
  };

  /// Refuses `0 1`: it is a line of an edge list, and would be two vertices without an edge. Called behind a single
  /// vertex.
  void refuse_columns() {
    const std::size_t begin = scan_.position();
    scan_.skip_blanks();
    if (scan_.position() == begin || (!is_word(scan_.peek()) && scan_.peek() != '(')) return;
    collector_.fail(DiagId::PatternSyntax, scan_.since(begin), "expected a sign between two vertices",
                    "an edge is `0-1`; two vertices that need no edge are `0,1`");
  }

  /// Refuses `0,1,1,2,2,0`, which is meant as edges: repeating a vertex without an edge has no meaning.
  void refuse_commas() {
    std::set<std::string_view> seen;
    const Chain* twice = nullptr;
    for (const Chain& chain : chains_) {
      if (!std::all_of(chain.text.begin(), chain.text.end(), is_word)) return;
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

  /// True if the text goes on with this word, in small letters or capitals, or with a longer one.
  bool goes_on_with(std::string_view word) const {
    for (std::size_t at = 0; at < word.size(); ++at) {
      if ((scan_.peek(at) | 0x20) != word[at]) return false;
    }
    return true;
  }

  /// True if the next word is `word`, followed by `after`.
  bool is_next(std::string_view word, std::string_view after) const {
    if (!goes_on_with(word) || !is_space(scan_.peek(word.size()))) return false;
    std::size_t ahead = word.size();
    while (is_space(scan_.peek(ahead))) ++ahead;
    return after.find(scan_.peek(ahead)) != std::string_view::npos;
  }

  /// `where`, but not the vertex of this name in `where - b`.
  bool begins_where() const {
    std::size_t ahead = std::string_view("where").size();
    const char behind = scan_.peek(ahead);
    while (is_space(scan_.peek(ahead))) ++ahead;
    const char next = scan_.peek(ahead);
    if (chains_.empty() || !goes_on_with("where")) return false;
    if (behind == '(' || next == '\0') return true;  // Neither makes an edge.
    if (!is_space(behind)) return false;
    const char digit = scan_.peek(ahead + 1);
    const bool is_number = next == '-' && digit >= '0' && digit <= '9';
    return is_number || std::string_view("-<>~!,;").find(next) == std::string_view::npos;
  }

  /// Conditions up to the end of the text.
  void where() {
    scan_.take_while(is_letter);
    query::Words words(scan_, false, collector_);
    query::ConditionReader reader(words, [this](std::string_view name) { return collector_.subject(name); });
    for (Condition& term : reader.list(collector_.named_edges())) collector_.condition(std::move(term));
    if (words.peek().kind != query::Word::Kind::End) {
      words.refuse("`,`, `and`, `or` or the end", "conditions are the last part of a pattern");
    }
    refuse_commas();
  }

  /// Refuses parts that patterns do not have yet.
  bool refuses_part() {
    for (const std::string_view word : {"not", "optional"}) {
      if (chains_.empty() || !is_next(word, "(")) continue;
      const std::size_t begin = scan_.position();
      scan_.take_while(is_letter);
      refuse(begin, fmt::format("`{}` of a part of the pattern is not read", word),
             word == "not" ? "two vertices that no edge joins are `a~b`" : "leave the part out");
      return true;
    }
    return false;
  }

  /// `{amount > 1000, kind = 'wire'}`: conditions on the subject. False after an error.
  bool properties(Subject subject) {
    const std::size_t begin = scan_.position();
    scan_.take();
    std::size_t end = 0;
    for (char quote = '\0'; scan_.peek(end) != '}' || quote != '\0'; ++end) {
      const char c = scan_.peek(end);
      if (c == '\0') {
        refuse(begin, "expected `}` behind this", kHint);
        return false;
      }
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (c == '\'' || c == '"' || c == '`') {
        quote = c;
      }
    }
    end += scan_.position();
    query::Words words(scan_.until(end), false, collector_);
    query::ConditionReader reader(words, [](std::string_view) { return std::nullopt; });
    for (Condition& term : reader.of_subject(subject)) collector_.condition(std::move(term));
    if (words.peek().kind != query::Word::Kind::End) words.refuse("`,` or `}`", "a condition is like `amount > 1000`");
    if (collector_.failed()) return false;
    while (scan_.position() <= end) scan_.take();
    if (subject.of_edge) collector_.count_lines();
    scan_.skip_blanks();
    return true;
  }

  void separators() {
    do {
      scan_.skip_space();
    } while ((scan_.peek() == ',' || scan_.peek() == ';') && scan_.take() != '\0');
  }

  /// Reports an error: `wanted` was expected in place of the text from `begin` up to here, or of the next character.
  void report_expected(std::size_t begin, const std::string& wanted, const std::string& hint = kHint) {
    if (begin == scan_.position() && !scan_.done()) scan_.take();
    refuse(begin, fmt::format("expected {} here", wanted), hint);
  }
  void refuse(std::size_t begin, const std::string& message, const std::string& hint) {
    collector_.fail(DiagId::PatternSyntax, scan_.since(begin), message, hint);
  }

  /// The vertex of this word, which ends here; empty after an error.
  std::optional<std::size_t> vertex_named(std::string_view word, std::size_t begin) {
    if (word.empty() || is_digit(word[0])) {
      const std::optional<std::int64_t> id = parse_id(word);
      if (id) return collector_.vertex(*id, scan_.since(begin));
      report_expected(begin, word.empty() ? "a vertex" : "the number of a vertex");
      return std::nullopt;
    }
    const bool dotted = word.find('.') != std::string_view::npos;
    if (dotted || escape_invalid_utf8(word) != word) {
      report_expected(begin, dotted ? "a name of letters, digits and `_`" : "a name in UTF-8");
      return std::nullopt;
    }
    return collector_.vertex(word, scan_.since(begin));
  }

  /// `0`, `a`, `0:x`, `(a)`, `(a:x)`, `(:x)` or `()`; empty after an error. Sets `labelled`.
  std::optional<std::size_t> vertex(bool& labelled) {
    const std::size_t begin = scan_.position();
    if (scan_.peek() == '(') return vertex_in_parentheses(labelled);
    const std::string_view word = scan_.take_while(is_word);
    if (is_pattern_name(word)) {
      const std::string_view before = scan_.text_since(0).substr(0, begin);
      const std::string_view number = before.substr(0, before.find('-'));
      const bool counts =
          !number.empty() && number.size() + 1 == before.size() && std::ranges::all_of(number, is_digit);
      refuse(begin, fmt::format("`{}` is a pattern, not a vertex", word),
             counts ? fmt::format("did you mean `{}:{}`? The number is that of its vertices", word, number)
                    : fmt::format("a vertex of that name is `({})`; several patterns are `--pattern A --pattern B`",
                                  word));
      return std::nullopt;
    }
    const std::optional<std::size_t> vertex = vertex_named(word, begin);
    if (!vertex) return vertex;
    return read_attributes(*vertex, begin, labelled) ? vertex : std::nullopt;
  }

  /// `:x` and `@17` behind a vertex, in any order; false after an error.
  bool read_attributes(std::size_t vertex, std::size_t begin, bool& said) {
    for (int i = 0; i < 2; ++i) {
      if (scan_.peek() == ':') {
        const std::optional<LabelText> found = label(begin);
        if (!found) return false;
        collector_.label(vertex, *found, scan_.since(begin));
        said = true;
      } else if (scan_.peek() == '@') {
        if (!constant(vertex, begin)) return false;
        said = true;
      }
    }
    return true;
  }

  /// `@17`, `@-3`, `@libc6` or `@'libc6'`.
  bool constant(std::size_t vertex, std::size_t begin) {
    scan_.take();
    const std::optional<LabelText::Word> found = word(begin, '@');
    if (!found) return false;
    collector_.constant(vertex, found->text, found->loc);
    return true;
  }

  std::optional<std::size_t> vertex_in_parentheses(bool& labelled) {
    const std::size_t begin = scan_.position();
    scan_.take();
    scan_.skip_blanks();
    const std::size_t name = scan_.position();
    const std::string_view word = scan_.take_while(is_word);
    const std::optional<std::size_t> vertex =
        word.empty() ? collector_.vertex_without_name(scan_.since(begin)) : vertex_named(word, name);
    if (!vertex) return std::nullopt;
    scan_.skip_blanks();
    std::optional<LabelText> found;
    if (scan_.peek() == '@' && !constant(*vertex, begin)) return std::nullopt;
    const std::size_t colon = scan_.position();
    if (scan_.peek() == ':') {
      found = label(colon);
      if (!found) return std::nullopt;
      scan_.skip_blanks();
    }
    if (scan_.peek() == '@' && !constant(*vertex, begin)) return std::nullopt;
    scan_.skip_blanks();
    if (scan_.peek() == '{' && !properties({false, *vertex})) return std::nullopt;
    if (scan_.peek() != ')') {
      refuse_in_brackets(found ? "`)`" : "`:` or `)`", "a vertex has one label",
                         found ? unquoted(colon, ')') : std::string(kHint));
      return std::nullopt;
    }
    scan_.take();
    if (found) collector_.label(*vertex, *found, scan_.since(begin));
    labelled = found.has_value();
    return vertex;
  }

  /// Reports an element of Cypher that patterns do not have, or else that `wanted` was expected.
  void refuse_in_brackets(const std::string& wanted, const std::string& one_label, const std::string& other) {
    const std::size_t begin = scan_.position();
    const char next = scan_.peek();
    if (next == '*') return report_expected(begin, wanted, "a path has as many edges as are drawn: `a-b-c`");
    if (next == ':' || next == '|' || next == '&') return report_expected(begin, wanted, one_label);
    report_expected(begin, wanted, other);
  }

  /// The hint for a label such as `Mr. Hi` between the `:` at `begin` and `end`.
  std::string unquoted(std::size_t begin, char end) const {
    std::string label(scan_.text_since(begin).substr(1));
    for (std::size_t ahead = 0; scan_.peek(ahead) != end; ++ahead) {
      if (scan_.peek(ahead) == '\0' || scan_.peek(ahead) == '\n') return kHint;
      label += scan_.peek(ahead);
    }
    const std::string_view word = trimmed(label);
    const char quote = word.find('\'') == std::string_view::npos ? '\'' : '"';
    return fmt::format("a label with blanks or signs stands in quotes: `:{}{}{}`", quote, word, quote);
  }

  /// `:a`, `='a b'`, `=3`, `=a|b`, `=?` or `=?p`; empty after an error. `begin`: start of the vertex or edge.
  std::optional<LabelText> label(std::size_t begin, bool of_edge = false) {
    const char sign = scan_.take();
    if (sign == ':' && is_blank(scan_.peek())) scan_.skip_blanks();
    LabelText found;
    if (of_edge && scan_.peek() == '?') {
      const std::size_t start = scan_.position();
      scan_.take();
      const std::string_view name = scan_.take_while([](char c) { return is_word(c) && c != '.'; });
      found.variable = true;
      if (!name.empty()) found.words.push_back({name, scan_.since(start)});
      return found;
    }
    for (bool more = true; more;) {
      const std::optional<LabelText::Word> one = word(begin, sign);
      if (!one) return std::nullopt;
      found.words.push_back(*one);
      more = scan_.peek() == '|';
      if (more) scan_.take();
      if (more && scan_.peek() == ':') scan_.take();
    }
    return found;
  }

  /// A word, a number or a quoted word behind `sign`; empty after an error.
  std::optional<LabelText::Word> word(std::size_t begin, char sign) {
    const std::size_t start = scan_.position();
    const char quote = scan_.peek() == '\'' || scan_.peek() == '"' ? scan_.take() : '\0';
    const std::string_view word =
        quote == '\0' ? label_word() : scan_.take_while([quote](char c) { return c != quote && c != '\n'; });
    if (word.empty() || (quote != '\0' && scan_.peek() != quote)) {
      const std::string what = sign == '@' ? "vertex of the graph" : "label";
      report_expected(begin, quote == '\0' ? fmt::format("a {} after `{}`", what, sign)
                                           : fmt::format("the closing quote of a {}", what));
      return std::nullopt;
    }
    if (quote != '\0') scan_.take();
    return LabelText::Word{word, scan_.since(start)};
  }

  /// A word, a path such as `/film/genre`, or a number with its sign. A `-` inside a word is an edge.
  std::string_view label_word() {
    bool first = true;
    return scan_.take_while([&first](char c) {
      const bool sign = first && c == '-';
      first = false;
      return sign || c == '/' || is_word(c);
    });
  }

  /// The next character that is not blank; `ahead`: the one that many characters behind it.
  char after_blanks(std::size_t ahead = 0) const {
    std::size_t blanks = 0;
    while (is_blank(scan_.peek(blanks))) ++blanks;
    return scan_.peek(blanks + ahead);
  }

  /// Moves to the next joint if only blanks precede it.
  bool at_joint() {
    const char next = after_blanks();
    const bool left = next == '<' && after_blanks(1) == '-';
    if (!left && next != '-' && next != '>' && next != '~' && next != '!') return false;
    scan_.skip_blanks();
    return true;
  }

  /// `-`, `--`, `>`, `->`, `-->`, `-[:a]->`, these reversed, `~` or `!`, and the blanks behind; empty after an error.
  std::optional<Joint> joint() {
    const std::size_t begin = scan_.position();
    Joint joint;
    joint.backwards = scan_.peek() == '<';
    if (joint.backwards) scan_.take();
    joint.sign = scan_.take();
    if (joint.sign == '!') joint.sign = '~';
    if (joint.sign == '-') {
      if (after_blanks() == '[') {
        scan_.skip_blanks();
        if (!in_brackets(joint)) return std::nullopt;
      } else if (scan_.peek() == '-') {
        scan_.take();
      }
      const bool forwards = scan_.peek() == '>';
      if (forwards) scan_.take();
      if (forwards && joint.backwards) {
        refuse(begin, "an arc has one direction", "two arcs are written as two: `a->b,b->a`, or as `a-b`");
        return std::nullopt;
      }
      if (forwards || joint.backwards) joint.sign = '>';
    }
    scan_.skip_blanks();
    return joint;
  }

  /// `[:a]-` or `[]-`; false after an error.
  bool in_brackets(Joint& joint) {
    scan_.take();
    scan_.skip_blanks();
    const std::size_t begin = scan_.position();
    joint.name = scan_.take_while(is_word);
    if (!joint.name.empty()) {
      if (!is_letter(joint.name[0]) || joint.name.find('.') != std::string_view::npos ||
          escape_invalid_utf8(joint.name) != joint.name) {
        report_expected(begin, "the name of an edge", "`-[x:pays]->` has a name and a label, `-[:pays]->` a label");
        return false;
      }
      collector_.name_edge(joint.name, scan_.since(begin));
      if (collector_.failed()) return false;
      scan_.skip_blanks();
    }
    const std::size_t colon = scan_.position();
    if (scan_.peek() == ':') {
      joint.label = label(colon, true);
      if (!joint.label) return false;
      scan_.skip_blanks();
    }
    if (scan_.peek() == '{' && !properties({true, collector_.edge_count()})) return false;
    if (scan_.peek() != ']') {
      refuse_in_brackets(joint.label ? "`]`" : "`:` or `]`",
                         "an edge that has to have two labels is written twice: `a-[:x]-b,a-[:y]-b`",
                         joint.label ? unquoted(colon, ']') : std::string(kHint));
      return false;
    }
    scan_.take();
    scan_.skip_blanks();
    if (scan_.peek() == '-') return scan_.take() == '-';
    report_expected(scan_.position(), "`-` or `->`");
    return false;
  }

  /// True if the text is one vertex without a label.
  bool chain() {
    std::size_t begin = scan_.position();
    bool labelled = false, alone = true;
    std::optional<std::size_t> from = vertex(labelled);
    while (from && at_joint()) {
      alone = false;
      const std::optional<Joint> joined = joint();
      if (!joined) return false;
      const std::size_t second = scan_.position();
      const std::optional<std::size_t> to = vertex(labelled);
      if (!to || collector_.failed()) return false;
      std::optional<LabelText> found = joined->label;
      if (scan_.peek() == '=' && !found) {
        found = label(begin, true);
        if (!found) return false;
      }
      collector_.edge(joined->backwards ? *to : *from, joined->backwards ? *from : *to, joined->sign,
                      found.value_or(LabelText{}), scan_.since(begin), joined->name);
      from = to;
      begin = second;
    }
    const char next = scan_.peek();
    if (from && !scan_.done() && !is_space(next) && next != ',' && next != ';' && next != '#') {
      report_expected(scan_.position(), "`,`, `-`, `>`, `~`, `:` or `=`",
                      next == '<' ? "an arc to the left is `a<-b`" : kHint);
    }
    return alone && !labelled;
  }

  Scanner scan_;
  Collector& collector_;
  std::vector<Chain> chains_;
};

}  // namespace

void read_edge_text(Scanner scan, Collector& collector) { EdgeText(scan, collector).run(); }

}  // namespace matcha::pattern
