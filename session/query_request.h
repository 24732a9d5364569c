#pragma once

#include <optional>

#include "question/query/query.h"
#include "session/prepared.h"

namespace matcha::session {

/// Reads the query in the pattern's text. Puts the meaning of its matches, and whether it lists rows, into the request.
/// Gives the query; nothing after an error, which `Prepared::make` reports. A statement changes nothing of the request.
std::optional<query::Query> take_query(ProgramRequest& request);

/// For each column of the rows of a query: whether it has labels of edges.
std::vector<bool> label_columns(const query::Query& query);

}  // namespace matcha::session
