#pragma once

#include <optional>

#include "question/query/query.h"
#include "session/prepared.h"

namespace matcha::session {

/// Puts the meaning of a match in a query, and whether it lists rows, into the request whose pattern is its text. Gives
/// the query; nothing after an error, which `Prepared::make` reports.
std::optional<query::Query> take_query(ProgramRequest& request);

/// Of each column of the rows of a query, whether it has labels of edges.
std::vector<bool> label_columns(const query::Query& query);

}  // namespace matcha::session
