#include "session/query/row_text.h"

#include <fmt/format.h>

#include <chrono>

namespace matcha::session::statement {

namespace {

using Kind = Value::Kind;

/// No cell has it: then nothing is put in quotes.
constexpr char kNoSeparator = '\0';

void append_items(std::string& out, const std::vector<Value>& items, const Store& store, Style style) {
  bool is_first = true;
  for (const Value& item : items) {
    if (!is_first) out += style == Style::Json ? ", " : ";";
    is_first = false;
    append_cell(out, item, store, style, kNoSeparator);
  }
}

}  // namespace

std::string time_text(std::int64_t units, std::uint64_t per_second) {
  const std::int64_t unit = static_cast<std::int64_t>(per_second);
  std::int64_t seconds = units / unit, rest = units % unit;
  if (rest < 0) {
    rest += unit;
    --seconds;
  }
  constexpr std::int64_t kDay = 86400, kHour = 3600, kMinute = 60;
  std::int64_t days = seconds / kDay, time = seconds % kDay;
  if (time < 0) {
    time += kDay;
    --days;
  }
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time / kHour,
                                 time % kHour / kMinute, time % kMinute);
  if (unit > 1) text += fmt::format(".{:0{}}", rest, fmt::formatted_size("{}", unit) - 1);
  return text + "Z";
}

void append_cell(std::string& out, const Value& value, const Store& store, Style style, char separator) {
  switch (value.kind) {
    case Kind::Null: out += style == Style::Json ? "null" : ""; return;
    case Kind::Bool: out += value.integer != 0 ? "true" : "false"; return;
    case Kind::Int: return append_int(out, value.integer);
    case Kind::Float: return append_float(out, value.number, style);
    case Kind::Text: return append_name(out, *value.text, style, separator);
    case Kind::Time: return append_name(out, time_text(value.integer, value.per_second), style, separator);
    case Kind::Node:
      return append_vertex(out, store.rank(static_cast<std::uint32_t>(value.integer)), *store.table().universe, style,
                           separator);
    case Kind::Relationship:
      return append_cell(out, store.relationship_id(static_cast<std::uint32_t>(value.integer)), store, style,
                         separator);
    case Kind::List:
    case Kind::Path: break;
  }
  const bool is_list = value.is(Kind::List) || style == Style::Json;
  std::string inner(1, is_list ? '[' : '<');
  append_items(inner, *value.items, store, style);
  inner += is_list ? ']' : '>';
  if (style == Style::Json || separator == kNoSeparator) {
    out += inner;
  } else {
    append_name(out, inner, style, separator);
  }
}

}  // namespace matcha::session::statement
