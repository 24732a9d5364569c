#include "question/query/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "question/query/cypher_reader.h"
#include "question/query/readers.h"

namespace matcha::query {

void add_label_column(const std::string& variable, pattern::Collector& collector, Query& query) {
  collector.keep_variable(variable);
  query.columns.push_back(label_column(static_cast<int>(query.variables.size())));
  query.variables.push_back(variable);
}

std::optional<Word> take_label(Words& words, bool of_node) {
  Word word = words.take();
  const bool is_quoted = word.kind == Word::Kind::Quoted && word.quote == '`';
  if (word.kind != Word::Kind::Name && word.kind != Word::Kind::Number && !is_quoted) {
    words.refuse(word, "expected a label here", "one that is no word stands in `backquotes`");
    return std::nullopt;
  }
  const std::optional<std::string> form = pattern::label_form(word.text);
  if (!form) {
    words.refuse(word, fmt::format("`{}` cannot be written as a label", word.text), "a number has 64 bits");
    return std::nullopt;
  }
  if (of_node && form->find(';') != std::string::npos) {
    words.refuse(word, "a label of a node has no `;`", "it stands between several in files; `(a:P:Q)` has both");
    return std::nullopt;
  }
  word.text = *form;
  return word;
}

void read_limit(Words& words, Query& query) {
  if (!words.skip_keyword("LIMIT")) return;
  const Word number = words.take();
  std::uint64_t value = 0;
  const char* const end = number.text.data() + number.text.size();
  const std::from_chars_result read = std::from_chars(number.text.data(), end, value);
  if (number.kind != Word::Kind::Number || read.ec != std::errc() || read.ptr != end) {
    return words.refuse(number, "expected a number here", "");
  }
  // A count is one row, as is the answer of ASK.
  if (query.answer == Answer::Rows) query.limit = value;
  if (query.answer != Answer::Rows && value == 0) words.refuse(number, "LIMIT 0 leaves nothing of one row", "");
}

void read_end(Words& words, const std::string& hint) {
  if (words.peek().kind != Word::Kind::End) words.refuse("the end of the query", hint);
}

namespace {

/// Reads a query that is a pattern.
std::optional<Query> read_as_pattern(const SourceManager& sources, std::uint32_t file, bool is_cypher,
                                     Diagnostics& diagnostics) {
  pattern::Collector collector(diagnostics);
  Words words(pattern::Scanner(sources.text(file), file), !is_cypher, collector);
  Query query;
  const SourceLoc whole = words.peek().loc;
  (is_cypher ? read_match : read_sparql)(words, collector, query);
  std::optional<std::vector<pattern::Pattern>> found = collector.finish_all(whole);
  if (!found) return std::nullopt;
  query.set.loc = whole;
  query.set.patterns = std::move(*found);
  query.set.alternatives = query.set.patterns.size() > 1;
  // Set even without edges: such a pattern has the same matches in a directed and an undirected graph.
  for (pattern::Pattern& one : query.set.patterns) one.directed = true;
  // Readers do not know the number of vertices in advance.
  for (int& column : query.columns) {
    if (column < 0) column = query.set.patterns.front().size() + label_column(column);
  }
  query.set.labels = collector.labels();
  query.set.constants = collector.constants();
  collector.put_columns(query.set);
  return query;
}

/// Reports a first word with which no query begins.
void refuse_first_word(Words& words) {
  std::string word = words.peek().text;
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  const std::string near =
      nearest_word(word, {"PREFIX", "SELECT", "ASK", "MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN"});
  words.refuse(
      "`SELECT`, `ASK` or `MATCH`",
      near.empty()
          ? "SPARQL begins with PREFIX, SELECT or ASK, Cypher with MATCH, OPTIONAL MATCH, UNWIND, WITH or RETURN"
          : fmt::format("did you mean `{}`?", near));
}

/// Patterns with conditions have edges at all vertices, and no columns of types.
bool is_answered_as_pattern(const Query& query, bool has_tables) {
  if (!query.set.asks_columns() || !has_tables) return !query.set.asks_columns();
  const pattern::Pattern& one = query.set.patterns.front();
  const auto has_edge = [&](int v) { return one.near(v) != 0 || !one.loops[pattern::at(v)].empty(); };
  bool all = query.variables.empty();
  for (int v = 0; v < one.size(); ++v) all = all && has_edge(v);
  return all;
}

}  // namespace

std::optional<Query> read_query(const SourceManager& sources, std::uint32_t file, bool has_tables,
                                Diagnostics& diagnostics) {
  const pattern::Scanner scan(sources.text(file), file);
  pattern::Collector collector(diagnostics);
  Words words(scan, false, collector);
  constexpr std::array kFirst = {"MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN"};
  const auto is_next = [&words](const char* word) { return words.peek().is_keyword(word); };
  const bool is_cypher = std::ranges::any_of(kFirst, is_next) || std::ranges::any_of(kClausesNotRead, is_next);
  constexpr std::array kSparql = {"PREFIX", "BASE", "SELECT", "ASK"};
  if (!is_cypher && words.peek().kind == Word::Kind::Name && std::ranges::none_of(kSparql, is_next)) {
    refuse_first_word(words);
    return std::nullopt;
  }
  if (!is_cypher) return read_as_pattern(sources, file, false, diagnostics);
  Diagnostics ignored(sources);
  std::optional<Query> query = read_as_pattern(sources, file, true, ignored);
  if (query && is_answered_as_pattern(*query, has_tables)) return query;
  std::optional<Statement> statement = CypherReader(words).run();
  if (!statement) return std::nullopt;
  query.emplace();
  query->match = pattern::Match::Edge;
  query->answer = Answer::Rows;
  query->set.loc = statement->loc;
  for (const Projection::Column& column : statement->parts.back().projection.columns) {
    query->headings.push_back(column.name);
  }
  query->maybe_statement = std::make_shared<const Statement>(std::move(*statement));
  return query;
}

bool refuse_statement(const Query& query, Diagnostics& diagnostics) {
  if (query.maybe_statement == nullptr) return false;
  diagnostics.error(DiagId::PatternCondition, query.set.loc,
                    "the query is more than one pattern, which is answered with tables, and here is none",
                    "`matcha query` reads them: matcha query QUERY TABLE.csv");
  return true;
}

}  // namespace matcha::query
