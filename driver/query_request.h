#pragma once

#include <optional>

#include "driver/prepared.h"
#include "frontend/query/query.h"

namespace matcha::driver {

/// Puts the meaning of a match in a query, and whether it lists rows, into the request whose pattern is its text. Gives
/// the query; nothing after an error, which `Prepared::make` reports.
std::optional<frontend::query::Query> take_query(ProgramRequest& request);

/// Of each column of the rows of a query, whether it has labels of edges.
std::vector<bool> label_columns(const frontend::query::Query& query);

}  // namespace matcha::driver
