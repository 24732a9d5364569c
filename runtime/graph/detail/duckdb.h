#pragma once

#include <memory>
#include <string>

#include "runtime/graph/detail/source.h"

/// Queries by DuckDB, whose library is loaded on first use.
namespace matcha::runtime::detail {

/// The name of the file in error messages of a query.
inline constexpr const char* kSqlPath = "--graph-sql";

/// The rows of a query as a CSV table with a heading. The library is `libduckdb.so`, or the one that MATCHA_LIBDUCKDB
/// names. Errors: Input when the library is missing, or the query is wrong; Resource.
Result<std::shared_ptr<const FileBytes>> query_table(const std::string& sql, const IoOptions& options);

}  // namespace matcha::runtime::detail
