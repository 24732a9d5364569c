#pragma once

#include <string>

#include "session/query/store.h"
#include "session/query/value.h"
#include "session/values.h"

namespace matcha::session::statement {

/// Appends a value. As text: a node is its id, a relationship its id or number, a list `[a;b]`, a path `<a;r;b>`, null
/// nothing; in quotes where CSV wants them. As JSON: lists and paths are arrays.
void append_cell(std::string& out, const Value& value, const Store& store, Style style, char separator = ',');

/// A time in the form of ISO 8601.
std::string time_text(std::int64_t units, std::uint64_t per_second);

}  // namespace matcha::session::statement
