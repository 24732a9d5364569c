#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "question/query/readers.h"
#include "question/read_conditions.h"

namespace matcha::query {

namespace {

constexpr const char* kMatchSubset =
    "read are MATCH with nodes such as (a:T {age: 3}) and relationships such as -[r:R|S]-> or -[:R]-, WHERE a <> b AND "
    "r.amount > 10 …, RETURN count(*), count(a), names or type(r), and LIMIT";

class Match {
 public:
  Match(Words& words, pattern::Collector& collector, Query& query)
      : words_(words), collector_(collector), query_(query) {}

  void run() {
    if (!words_.want_keyword("MATCH")) return;
    do path();
    while (!words_.failed() && words_.skip(","));
    if (!words_.failed()) label_nodes();
    if (!words_.failed() && words_.skip_keyword("WHERE")) where();
    if (words_.failed()) return;
    if (!words_.skip_keyword("RETURN")) return words_.refuse("`,`, `WHERE` or `RETURN`", kMatchSubset);
    returned();
    if (words_.failed()) return;
    read_limit(words_, query_);
    words_.skip(";");
    read_end(words_, "one query is read, which `LIMIT` and `;` may end");
  }

 private:
  /// Relationships between the same two nodes, by direction.
  struct Relationships {
    int up = 0, down = 0, either = 0;
  };

  /// The required types of a node.
  struct Types {
    std::set<std::string> all;
    SourceLoc loc;  ///< Place of the first.
  };

  std::optional<std::size_t> named(const Word& word) const {
    const auto known = nodes_.find(word.text);
    if (known != nodes_.end()) return known->second;
    return std::nullopt;
  }

  /// `:T`, `:R|S` or `:R|:S`; empty after an error.
  std::optional<pattern::LabelText> label(bool of_node) {
    pattern::LabelText found;
    do {
      words_.skip(":");
      const std::optional<Word> word = take_label(words_, of_node);
      if (!word) return std::nullopt;
      texts_.push_back(word->text);
      found.words.push_back({texts_.back(), word->loc});
    } while (words_.skip("|"));
    return found;
  }

  /// The labels of a node: alternatives `:T|U`, or `:T:U` and `:T&U`, all of which are required, even if written at
  /// several places. False after an error.
  bool labels_of(std::size_t vertex) {
    const Word colon = words_.peek();
    const std::optional<pattern::LabelText> found = label(true);
    if (!found) return false;
    if (found->words.size() > 1) {
      collector_.label(vertex, *found, colon.loc);
      return !words_.failed();
    }
    Types& types = types_[vertex];
    if (types.all.empty()) types.loc = found->words.front().loc;
    types.all.emplace(found->words.front().text);
    while (words_.skip(":") || words_.skip("&")) {
      const std::optional<Word> word = take_label(words_, true);
      if (!word) return false;
      types.all.insert(word->text);
    }
    return true;
  }

  /// Passes the required types of nodes to the collector.
  void label_nodes() {
    for (const auto& [vertex, types] : types_) {
      texts_.push_back(fmt::format("{}", fmt::join(types.all, ";")));
      collector_.label(vertex, {{{texts_.back(), types.loc}}, false}, types.loc);
    }
  }

  std::optional<std::size_t> node() {
    const Word begin = words_.peek();
    if (!words_.want("(")) return std::nullopt;
    std::size_t vertex = 0;
    if (words_.peek().kind == Word::Kind::Name) {
      const Word word = words_.take();
      if (const std::optional<std::size_t> known = named(word); known) {
        vertex = *known;
      } else {
        if (relationships_.contains(word.text)) {
          words_.refuse(word, fmt::format("`{}` is a relationship", word.text), "");
          return std::nullopt;
        }
        vertex = nodes_[word.text] = collector_.vertex(word.text, word.loc);
      }
    } else {
      vertex = collector_.vertex_without_name(begin.loc);
    }
    if (words_.peek().is(":") && !labels_of(vertex)) return std::nullopt;
    if (words_.peek().is("{") && !properties({false, vertex})) return std::nullopt;
    if (!words_.want(")")) return std::nullopt;
    return vertex;
  }

  struct Relationship {
    bool backwards = false;
    bool either = false;  ///< In either of two directions.
    Word at;
    pattern::LabelText label;
    std::string name;
  };

  std::optional<Relationship> relationship() {
    Relationship found;
    found.at = words_.peek();
    found.label.variable = true;
    found.backwards = words_.skip("<");
    if (!words_.want("-")) return std::nullopt;
    if (words_.skip("[")) {
      if (words_.peek().kind == Word::Kind::Name) {
        const Word name = words_.take();
        if (nodes_.contains(name.text) || !relationships_.emplace(name.text, false).second) {
          words_.refuse(name, fmt::format("`{}` stands here again", name.text), "a relationship has a name of its own");
          return std::nullopt;
        }
        texts_.push_back(name.text);
        found.label.words.push_back({texts_.back(), name.loc});
        edges_.emplace(name.text, collector_.edge_count());
        found.name = name.text;
      }
      if (words_.peek().is(":")) {
        const std::optional<pattern::LabelText> label = this->label(false);
        if (!label) return std::nullopt;
        for (const pattern::LabelText::Word& name : found.label.words) relationships_[std::string(name.text)] = true;
        found.label = *label;
      }
      if (words_.peek().is("*")) words_.refuse("`]`", "paths of any length are not read");
      if (words_.peek().is("{") && !properties({true, collector_.edge_count()})) return std::nullopt;
      if (!words_.want("]")) return std::nullopt;
    }
    if (!words_.want("-")) return std::nullopt;
    const bool forwards = words_.skip(">");
    // `<-->` means the same as `--`.
    found.either = forwards == found.backwards;
    return found;
  }

  void path() {
    if (words_.peek().kind == Word::Kind::Name) return words_.refuse("`(`", kMatchSubset);
    std::optional<std::size_t> from = node();
    while (from && !words_.failed() && (words_.peek().is("-") || words_.peek().is("<"))) {
      const std::optional<Relationship> one = relationship();
      if (!one) return;
      const std::optional<std::size_t> to = node();
      if (!to) return;
      const std::size_t source = one->backwards ? *to : *from, target = one->backwards ? *from : *to;
      if (!one->label.variable && !is_new(source, target, *one)) {
        return words_.refuse(one->at, "the same relationship stands here again",
                             "two relationships are never one, and two of one type between two nodes are not read");
      }
      collector_.edge(source, target, one->either ? '|' : '>', one->label, one->at.loc, one->name);
      from = to;
    }
  }

  /// False if relationships of these types between these nodes cannot all be different. Two of one type can, one in
  /// each direction; with several types they would have to share one.
  bool is_new(std::size_t source, std::size_t target, const Relationship& one) {
    std::set<std::string> words;
    for (const pattern::LabelText::Word& word : one.label.words) words.emplace(word.text);
    Relationships& taken = taken_[{std::min(source, target), std::max(source, target), std::move(words)}];
    int& number = one.either ? taken.either : source < target ? taken.up : taken.down;
    ++number;
    const int all = taken.up + taken.down + taken.either;
    if (all == 2 && taken.either != 0) query_.maybe_second_of_pair = one.at.loc;
    if (source == target || (one.label.words.size() > 1 && taken.either != 0)) return all == 1;
    return taken.up <= 1 && taken.down <= 1 && all <= 2;
  }

  /// `{age: 3}`. False after an error.
  bool properties(pattern::Subject subject) {
    words_.take();
    ConditionReader reader(
        words_, [](std::string_view) { return std::nullopt; }, true);
    std::vector<pattern::Condition> all;
    if (!words_.peek().is("}")) all = reader.of_subject(subject);
    for (pattern::Condition& term : all) add(std::move(term));
    return !words_.failed() && words_.want("}");
  }

  void where() {
    const auto find = [this](std::string_view name) -> std::optional<pattern::Subject> {
      if (const auto node = nodes_.find(std::string(name)); node != nodes_.end())
        return pattern::Subject{false, node->second};
      const auto edge = edges_.find(std::string(name));
      return edge == edges_.end() ? std::nullopt : std::optional(pattern::Subject{true, edge->second});
    };
    ConditionReader reader(words_, find, true);
    std::optional<pattern::Condition> condition = reader.condition();
    if (!condition) return;
    for (pattern::Condition& term : pattern::conjuncts_of(std::move(*condition))) {
      const auto is_node = [](const pattern::Condition& part) {
        return part.kind == pattern::Condition::Kind::Column && part.text.empty() && !part.subject.of_edge;
      };
      if (term.kind == pattern::Condition::Kind::Different && is_node(term.parts[0]) && is_node(term.parts[1])) {
        collector_.differ(term.parts[0].subject.index, term.parts[1].subject.index);
      } else {
        add(std::move(term));
      }
    }
  }

  /// Adds a condition on properties: every relationship is a separate edge.
  void add(pattern::Condition term) {
    pattern::for_each_column(term, [this](const pattern::Condition& column) {
      if (!column.text.empty() || !column.subject.of_edge || words_.failed()) return;
      collector_.fail(DiagId::PatternSyntax, column.loc, "a relationship is compared",
                      "its properties are: `r.amount > 10`");
    });
    collector_.condition(std::move(term));
    collector_.count_lines();
  }

  void returned() {
    if (words_.peek().is_keyword("COUNT") && words_.peek(1).is("(")) {
      words_.take();
      words_.take();
      if (counted() && words_.want(")")) alias();
      return;
    }
    query_.answer = Answer::Rows;
    do {
      const Word word = words_.take();
      const std::optional<std::size_t> known = named(word);
      if (word.is_keyword("TYPE") && words_.peek().is("(")) {
        if (!type_of_relationship()) return;
      } else if (word.kind == Word::Kind::Name && known) {
        query_.columns.push_back(static_cast<int>(*known));
        query_.headings.push_back(word.text);
      } else {
        return words_.refuse(word, "expected `count(*)`, the name of a node or `type(r)` here", kMatchSubset);
      }
      if (const std::optional<std::string> other = alias(); other) query_.headings.back() = *other;
      const std::string& heading = query_.headings.back();
      if (std::ranges::count(query_.headings, heading) > 1) {
        return words_.refuse(word, fmt::format("two columns are called `{}`", heading), "`AS` gives a name");
      }
    } while (!words_.failed() && words_.skip(","));
  }

  /// `*`, or a name: nothing is optional, so every match counts. False after an error.
  bool counted() {
    if (words_.skip("*")) return true;
    const Word word = words_.take();
    if (word.kind == Word::Kind::Name && (named(word) || relationships_.contains(word.text))) return true;
    if (word.is_keyword("DISTINCT")) {
      words_.refuse(word, "DISTINCT is not read in `count`", "rows can be counted by what reads them: `RETURN a`");
    } else {
      words_.refuse(word, "expected `*`, or the name of a node or a relationship here", kMatchSubset);
    }
    return false;
  }

  /// `(r)`, behind `type`. False after an error.
  bool type_of_relationship() {
    words_.take();
    const Word name = words_.take();
    const auto known = relationships_.find(name.text);
    if (name.kind != Word::Kind::Name || known == relationships_.end()) {
      words_.refuse(name, "expected the name of a relationship here", kMatchSubset);
      return false;
    }
    if (known->second) {
      words_.refuse(name, fmt::format("the types of `{}` were said", name.text),
                    "`type(r)` is read of relationships of any type, `-[r]-`");
      return false;
    }
    add_label_column("?" + name.text, collector_, query_);
    query_.headings.push_back(fmt::format("type({})", name.text));
    return words_.want(")");
  }

  std::optional<std::string> alias() {
    if (!words_.skip_keyword("AS")) return std::nullopt;
    const Word word = words_.take();
    if (word.kind != Word::Kind::Name) words_.refuse(word, "expected a name here", "");
    return word.text;
  }

  Words& words_;
  pattern::Collector& collector_;
  Query& query_;
  std::map<std::string, std::size_t> nodes_;
  std::map<std::string, std::size_t> edges_;   ///< By the name of a relationship: the number of the edge.
  std::map<std::string, bool> relationships_;  ///< By name: true if it has types.
  std::map<std::tuple<std::size_t, std::size_t, std::set<std::string>>, Relationships> taken_;
  std::map<std::size_t, Types> types_;
  std::deque<std::string> texts_;  ///< Storage of texts that labels refer to.
};

}  // namespace

void read_match(Words& words, pattern::Collector& collector, Query& query) {
  query.match = pattern::Match::Edge;
  Match(words, collector, query).run();
}

}  // namespace matcha::query
