#pragma once

#include <cstddef>
#include <string>

#include "api/matcha.h"
#include "runtime/graph/int_column.h"

/// Columns that belong to the caller.
namespace matcha::api {

/// The reason why a column of `count` ints cannot be read; empty: it can.
std::string column_problem(const matcha_column& column, size_t count, const char* name);

/// Requires: `column_problem` is empty, or there are no items.
runtime::IntColumn ints_of(const matcha_column& column, size_t count);

}  // namespace matcha::api
