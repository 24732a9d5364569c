#pragma once

#include <cstddef>
#include <string>

#include "api/matcha.h"
#include "runtime/graph/int_column.h"

/// Columns of the caller's.
namespace matcha::api {

/// What keeps a column of so many ints from being read; empty: nothing.
std::string column_problem(const matcha_column& column, size_t count, const char* name);

/// Requires: nothing keeps it from being read, or it has no items.
runtime::IntColumn ints_of(const matcha_column& column, size_t count);

}  // namespace matcha::api
