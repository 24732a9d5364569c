#include "question/query/query.h"

#include <fmt/format.h>

#include <charconv>

#include "question/query/readers.h"

namespace matcha::query {

void add_label_column(const std::string& variable, pattern::Collector& collector, Query& query) {
  collector.keep_variable(variable);
  query.columns.push_back(label_column(static_cast<int>(query.variables.size())));
  query.variables.push_back(variable);
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

std::optional<Query> read_query(const SourceManager& sources, std::uint32_t file, Diagnostics& diagnostics) {
  pattern::Collector collector(diagnostics);
  const pattern::Scanner scan(sources.text(file), file);
  Words first(scan, false, collector);
  Query query;
  SourceLoc whole = first.peek().loc;
  if (first.peek().is_keyword("MATCH")) {
    read_match(first, collector, query);
  } else {
    Words words(scan, true, collector);
    whole = words.peek().loc;
    read_sparql(words, collector, query);
  }
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

}  // namespace matcha::query
