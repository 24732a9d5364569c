#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "question/query/readers.h"

namespace matcha::query {

namespace {

constexpr const char* kSchema = "http://www.w3.org/2001/XMLSchema#";
constexpr const char* kType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
constexpr const char* kSparqlSubset =
    "read are PREFIX, SELECT of variables, (COUNT(*) AS ?n) or (COUNT(?a) AS ?n), ASK, triples with `;` and `,`, "
    "FILTER(?a != ?b) and "
    "LIMIT";

class Sparql {
 public:
  Sparql(Words& words, pattern::Collector& collector, Query& query)
      : words_(words), collector_(collector), query_(query) {}

  void run() {
    while (words_.skip_keyword("PREFIX")) prefix();
    head();
    words_.skip_keyword("WHERE");
    if (words_.failed() || !words_.want("{")) return;
    while (!words_.failed() && !words_.skip("}")) group_item();
    if (words_.failed()) return;
    read_limit(words_, query_);
    read_end(words_, words_.peek().is(";") ? "SPARQL has no `;` behind a query" : "`LIMIT` may stand there");
    if (!words_.failed()) columns();
  }

 private:
  void prefix() {
    const Word name = words_.take();
    if (name.kind != Word::Kind::Prefixed || name.text.back() != ':') {
      return words_.refuse(name, "expected a prefix such as `ex:` here", kSparqlSubset);
    }
    const Word iri = words_.take();
    if (iri.kind != Word::Kind::Iri) return words_.refuse(iri, "expected an IRI in `<` and `>` here", "");
    prefixes_[name.text] = iri.text;
  }

  void head() {
    if (words_.skip_keyword("ASK")) {
      query_.answer = Answer::Exists;
      return;
    }
    if (!words_.skip_keyword("SELECT")) return words_.refuse("`SELECT` or `ASK`", kSparqlSubset);
    query_.answer = Answer::Rows;
    if (words_.peek().is_keyword("DISTINCT")) distinct_ = words_.take();
    if (words_.skip("*")) {
      all_ = true;
    } else if (words_.skip("(")) {
      query_.answer = Answer::Count;
      if (words_.want_keyword("COUNT") && words_.want("(") && counted() && words_.want(")") &&
          words_.want_keyword("AS")) {
        if (words_.take().kind != Word::Kind::Variable) words_.refuse("a variable");
        words_.want(")");
      }
    } else {
      if (words_.peek().kind != Word::Kind::Variable)
        words_.refuse("variables, `*` or `(COUNT(*) AS ?n)`", kSparqlSubset);
      while (words_.peek().kind == Word::Kind::Variable) selected_.push_back(words_.take());
    }
  }

  /// `*`, or a variable: nothing is optional, so every match counts. False after an error.
  bool counted() {
    if (words_.skip("*")) return true;
    if (words_.peek().is_keyword("DISTINCT")) {
      words_.refuse(words_.peek(), "DISTINCT is not read with COUNT", "");
    } else if (words_.peek().kind != Word::Kind::Variable) {
      words_.refuse("`*` or a variable", kSparqlSubset);
    } else {
      counted_ = words_.take();
    }
    return !words_.failed();
  }

  void group_item() {
    if (words_.skip(".")) return;
    if (words_.skip_keyword("FILTER")) return filter();
    if (words_.peek().kind == Word::Kind::Name) return words_.refuse("a triple", kSparqlSubset);
    triples();
  }

  void filter() {
    if (!words_.want("(")) return;
    do {
      const std::optional<std::size_t> a = known_variable();
      if (!a) return;
      if (!words_.want("!=")) return;
      const std::optional<std::size_t> b = known_variable();
      if (!b) return;
      different_.emplace_back(*a, *b);
    } while (words_.skip("&&"));
    words_.want(")");
  }

  /// The vertex of a variable in a filter.
  std::optional<std::size_t> known_variable() {
    const Word word = words_.take();
    if (word.kind != Word::Kind::Variable) {
      words_.refuse(word, "expected a variable here", "filters are `?a != ?b`, and several joined with `&&`");
      return std::nullopt;
    }
    filtered_.push_back(word);
    return vertex_of("?" + word.text, word);
  }

  std::size_t vertex_of(const std::string& key, const Word& word) {
    const auto [place, fresh] = vertices_.try_emplace(key, 0);
    if (fresh) {
      place->second =
          key.front() == '?' ? collector_.vertex(word.text, word.loc) : collector_.vertex_without_name(word.loc);
    }
    return place->second;
  }

  /// `<…>` or `ex:a` as the IRI; empty for other words.
  std::optional<std::string> iri(const Word& word) {
    if (word.kind == Word::Kind::Iri) return word.text;
    if (word.kind != Word::Kind::Prefixed) return std::nullopt;
    const std::size_t colon = word.text.find(':') + 1;
    const auto known = prefixes_.find(word.text.substr(0, colon));
    if (known == prefixes_.end()) {
      words_.refuse(word, fmt::format("the prefix `{}` is not known", word.text.substr(0, colon)),
                    fmt::format("PREFIX {} <…> stands before SELECT", word.text.substr(0, colon)));
      return std::nullopt;
    }
    return known->second + word.text.substr(colon);
  }

  /// A literal as named by the loader of N-Triples; empty after an error.
  std::optional<std::string> literal(const Word& word) {
    if (word.kind == Word::Kind::Number) return fmt::format("\"{}\"^^<{}integer>", word.text, kSchema);
    if (word.quote == '`' || word.text.find('\\') != std::string::npos) {
      words_.refuse(word, "literals with escapes are not read", "a literal is `\"text\"` or `'text'`");
      return std::nullopt;
    }
    std::string name = "\"";
    for (const char c : word.text) name += c == '"' ? std::string("\\\"") : std::string(1, c);
    name += '"';
    if (words_.skip("@")) {
      do {
        const Word part = words_.take();
        if (part.kind != Word::Kind::Name) {
          words_.refuse(part, "expected a language here", "`\"text\"@en`");
          return std::nullopt;
        }
        name += name.back() == '"' ? '@' : '-';
        for (const char c : part.text) name += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
      } while (words_.skip("-"));
    } else if (words_.skip("^")) {
      if (!words_.want("^")) return std::nullopt;
      const Word type = words_.take();
      const std::optional<std::string> text = iri(type);
      if (!text) {
        words_.refuse(type, "expected the type of a literal here", "`\"5\"^^<IRI>`");
        return std::nullopt;
      }
      if (*text != std::string(kSchema) + "string") name += fmt::format("^^<{}>", *text);
    }
    return name;
  }

  /// The vertex with the name `text`.
  std::size_t constant(std::string text, const Word& word) {
    const std::size_t vertex = vertex_of("<" + text, word);
    texts_.push_back(std::move(text));
    collector_.constant(vertex, texts_.back(), word.loc);
    return vertex;
  }

  /// A subject or an object; empty after an error.
  std::optional<std::size_t> vertex(bool is_object) {
    const Word word = words_.take();
    if (word.kind == Word::Kind::Variable) {
      seen_.insert(word.text);
      return vertex_of("?" + word.text, word);
    }
    if (word.kind == Word::Kind::Prefixed && word.text.starts_with("_:")) return vertex_of(word.text, word);
    if (word.kind == Word::Kind::Quoted || word.kind == Word::Kind::Number) {
      if (!is_object) {
        words_.refuse(word, "a literal is no subject", "a subject is a variable or an IRI");
        return std::nullopt;
      }
      std::optional<std::string> text = literal(word);
      if (!text) return std::nullopt;
      return constant(std::move(*text), word);
    }
    const std::optional<std::string> text = iri(word);
    if (!text) {
      words_.refuse(word, "expected a variable or an IRI here", kSparqlSubset);
      return std::nullopt;
    }
    return constant(*text, word);
  }

  bool predicate(pattern::LabelText& label) {
    const Word word = words_.take();
    if (word.kind == Word::Kind::Variable) {
      predicates_.emplace(word.text, word);
      texts_.push_back(word.text);
      label = {{{texts_.back(), word.loc}}, true};
    } else {
      std::optional<std::string> text;
      if (word.kind == Word::Kind::Name && word.text == "a") {
        text = kType;
      } else {
        text = iri(word);
      }
      if (!text) {
        words_.refuse(word, "expected a predicate here: an IRI, a variable or `a`", kSparqlSubset);
        return false;
      }
      texts_.push_back(*text);
      label = {{{texts_.back(), word.loc}}, false};
    }
    for (const char* sign : {"/", "|", "*", "+", "^", "?"}) {
      if (!words_.peek().is(sign)) continue;
      words_.refuse(words_.peek(), "paths are not read", kSparqlSubset);
      return false;
    }
    return true;
  }

  void triples() {
    const Word begin = words_.peek();
    const std::optional<std::size_t> subject = vertex(false);
    if (!subject) return;
    do {
      // `;` may precede the end.
      if (words_.peek().is(".") || words_.peek().is("}") || words_.peek().is(";")) continue;
      pattern::LabelText label;
      if (!predicate(label)) return;
      do {
        const std::optional<std::size_t> object = vertex(true);
        if (!object) return;
        collector_.edge(*subject, *object, '>', label, begin.loc);
      } while (!words_.failed() && words_.skip(","));
    } while (!words_.failed() && words_.skip(";"));
    if (words_.failed() || words_.skip(".") || words_.peek().is("}") || words_.peek().is_keyword("FILTER")) return;
    words_.refuse("`.`, `;`, `,` or `}`", kSparqlSubset);
  }

  void columns() {
    for (const auto& [name, word] : predicates_) {
      if (seen_.contains(name)) {
        return words_.refuse(word, fmt::format("`?{}` is a predicate and a vertex", name),
                             "one variable is one of both");
      }
    }
    for (const Word& word : filtered_) {
      if (!seen_.contains(word.text)) {
        return words_.refuse(word, fmt::format("no triple has the vertex `?{}`", word.text), "");
      }
    }
    for (const auto& [a, b] : different_) collector_.differ(a, b);
    if (counted_ && !is_in_triple(*counted_)) return;
    std::set<std::string> shown;
    for (const Word& word : selected_) {
      if (!is_in_triple(word)) return;
      shown.insert(word.text);
      show(word.text);
    }
    if (all_) {
      std::set<std::string> all = seen_;
      for (const auto& [name, word] : predicates_) all.insert(name);
      for (const std::string& name : all) show(name);
      shown = std::move(all);
    }
    const bool blank = std::ranges::any_of(vertices_, [](const auto& one) { return one.first.front() == '_'; });
    const bool all_shown = shown.size() == seen_.size() + predicates_.size();
    if (distinct_ && query_.answer == Answer::Rows && (!all_shown || blank)) {
      words_.refuse(*distinct_, "DISTINCT is read only where all variables are selected, as rows then differ anyway",
                    "");
    }
    if (distinct_ && query_.answer == Answer::Count) words_.refuse(*distinct_, "DISTINCT is not read with COUNT", "");
  }

  /// Reports a variable that is in no triple.
  bool is_in_triple(const Word& variable) {
    if (seen_.contains(variable.text) || predicates_.contains(variable.text)) return true;
    words_.refuse(variable, fmt::format("no triple has the variable `?{}`", variable.text), "");
    return false;
  }

  void show(const std::string& name) {
    query_.headings.push_back(name);
    if (predicates_.contains(name)) {
      add_label_column("?" + name, collector_, query_);
    } else {
      query_.columns.push_back(static_cast<int>(vertices_.at("?" + name)));
    }
  }

  Words& words_;
  pattern::Collector& collector_;
  Query& query_;
  std::map<std::string, std::string> prefixes_;
  std::map<std::string, std::size_t> vertices_;  ///< `?a`, `<iri` or `_:b`.
  std::set<std::string> seen_;                   ///< Variables of vertices.
  std::map<std::string, Word> predicates_;
  std::vector<Word> selected_, filtered_;
  std::vector<std::pair<std::size_t, std::size_t>> different_;
  std::optional<Word> distinct_, counted_;
  bool all_ = false;
  std::deque<std::string> texts_;  ///< Storage of texts that labels refer to.
};

}  // namespace

void read_sparql(Words& words, pattern::Collector& collector, Query& query) {
  query.match = pattern::Match::Homo;
  Sparql(words, collector, query).run();
}

}  // namespace matcha::query
