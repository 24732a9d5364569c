#include "session/query_request.h"

#include "ir/support/diagnostics.h"
#include "ir/support/source.h"

namespace matcha::session {

std::optional<query::Query> take_query(ProgramRequest& request) {
  SourceManager sources;
  Diagnostics ignored(sources);
  const std::uint32_t file = sources.add(request.pattern.name, request.pattern.text);
  std::optional<query::Query> query = query::read_query(sources, file, request.pattern.may_ask_columns, ignored);
  if (!query || query->maybe_statement != nullptr) return query;
  if (request.pattern.match == PatternOptions().match) request.pattern.match = to_string(query->match);
  request.matches = query->answer != query::Answer::Count;
  return query;
}

std::vector<bool> label_columns(const query::Query& query) {
  const int vertices = query.set.patterns.front().size();
  std::vector<bool> are_labels;
  for (const int column : query.columns) are_labels.push_back(column >= vertices);
  return are_labels;
}

}  // namespace matcha::session
