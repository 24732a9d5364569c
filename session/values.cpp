#include "session/values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace matcha::session {

void append_vertex(std::string& out, std::uint64_t rank, const runtime::Universe& universe, Style style,
                   char separator) {
  if (universe.kind() != runtime::IdKind::Text) {
    universe.append_id(out, rank);
    return;
  }
  append_name(out, universe.id_text(rank), style, separator);
}

void append_name(std::string& out, std::string_view name, Style style, char separator) {
  if (style == Style::Json) {
    out += nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  } else if (name.find(separator) == std::string_view::npos && name.find_first_of("\"\n\r") == std::string_view::npos) {
    out += name;
  } else {
    out += '"';
    for (const char c : name) out.append(c == '"' ? 2 : 1, c);
    out += '"';
  }
}

void append_element(std::string& out, const RowColumns& columns, std::size_t column, std::uint64_t row,
                    const runtime::Universe& universe, Style style, char separator) {
  const void* const data = columns.data[column];
  if (column < columns.are_labels.size() && columns.are_labels[column]) {
    const std::int64_t code = columns.maybe_dictionary->label_of(static_cast<const std::int64_t*>(data)[row]);
    append_name(out, columns.maybe_dictionary->name(code), style, separator);
    return;
  }
  switch (columns.kinds[column]) {
    case runtime::ElementKind::Vid:
      append_vertex(out, static_cast<const std::uint32_t*>(data)[row], universe, style, separator);
      return;
    case runtime::ElementKind::Int:
      fmt::format_to(std::back_inserter(out), "{}", static_cast<const std::int64_t*>(data)[row]);
      return;
    case runtime::ElementKind::Float: append_float(out, static_cast<const double*>(data)[row], style); return;
    case runtime::ElementKind::Bool: out += static_cast<const std::uint8_t*>(data)[row] != 0 ? "true" : "false"; return;
  }
}

void append_int(std::string& out, __int128 value) {
  constexpr std::size_t kDigits = 40;
  char digits[kDigits];
  char* at = digits + kDigits;
  unsigned __int128 left = value < 0 ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  // Numbers of 128 bits take long to divide: by 10¹⁹ first.
  constexpr std::uint64_t kBase = 10'000'000'000'000'000'000U;
  constexpr int kDigitsOfBase = 19;
  const auto put = [&at](std::uint64_t part, int least) {
    for (int digit = 0; digit < least || part != 0; ++digit) {
      *--at = static_cast<char>('0' + static_cast<int>(part % 10));
      part /= 10;
    }
  };
  for (; left >= kBase; left /= kBase) put(static_cast<std::uint64_t>(left % kBase), kDigitsOfBase);
  put(static_cast<std::uint64_t>(left), at == digits + kDigits ? 1 : 0);
  if (value < 0) out += '-';
  out.append(at, digits + kDigits);
}

void append_float(std::string& out, double value, Style style) {
  if (!std::isfinite(value)) {
    out += style == Style::Json ? "null" : std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    return;
  }
  constexpr std::size_t kLongest = 32;
  char digits[kLongest];
  const std::to_chars_result end = std::to_chars(digits, digits + kLongest, value);
  std::string_view text(digits, static_cast<std::size_t>(end.ptr - digits));
  out += text;
  // A float keeps its point, so that readers do not take it for an int.
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void append_value(std::string& out, const codegen::ResultValue& value, const runtime::Universe& universe, Style style) {
  if (const __int128* integer = std::get_if<__int128>(&value)) {
    append_int(out, *integer);
  } else if (const runtime::WideInt* wide = std::get_if<runtime::WideInt>(&value)) {
    out += wide->to_string();
  } else if (const double* real = std::get_if<double>(&value)) {
    append_float(out, *real, style);
  } else if (const bool* flag = std::get_if<bool>(&value)) {
    out += *flag ? "true" : "false";
  } else if (const codegen::VertexValue* vertex = std::get_if<codegen::VertexValue>(&value)) {
    append_vertex(out, vertex->rank, universe, style);
  } else if (const codegen::ListValue* list = std::get_if<codegen::ListValue>(&value)) {
    const RowColumns columns = columns_of(*list);
    out += '[';
    for (std::uint64_t row = 0; row < list->size; ++row) {
      if (row != 0) out += ',';
      append_row(out, columns, row, universe, style);
    }
    out += ']';
  }
}

RowColumns columns_of(const codegen::ListValue& list) {
  RowColumns columns;
  for (const runtime::Column& column : list.columns) {
    columns.kinds.push_back(column.kind());
    columns.data.push_back(column.data());
  }
  return columns;
}

void append_row(std::string& out, const RowColumns& columns, std::uint64_t row, const runtime::Universe& universe,
                Style style, char separator) {
  const std::size_t count = columns.kinds.size();
  const bool bracket = style == Style::Json && count > 1;
  if (bracket) out += '[';
  for (std::size_t c = 0; c < count; ++c) {
    if (c != 0) out += style == Style::Json ? ',' : separator;
    append_element(out, columns, c, row, universe, style, separator);
  }
  if (bracket) out += ']';
}

std::string json_result(const std::vector<codegen::ResultValue>& values, const frontend::Type& type,
                        const runtime::Universe& universe) {
  std::string out;
  const std::size_t wanted = type.is_tuple() ? type.positions.size() : 1;
  if (values.size() < wanted) return "null";
  // A list of whole numbers that need more than 64 bits comes as values.
  const bool several = type.is_tuple() || (type.is_list() && !std::holds_alternative<codegen::ListValue>(values[0]));
  if (several) out += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ',';
    append_value(out, values[i], universe, Style::Json);
  }
  if (several) out += ']';
  return out;
}

std::string estimate_text(const runtime::sample::Interval& found) {
  // Five digits, and decimals below 1e4, as the width includes the error of rounding to five.
  constexpr double kRounded = 5e-5, kPercent = 100;
  const int decimals = 4 - static_cast<int>(std::floor(std::log10(std::max(found.value, 1.0))));
  const double unit = std::pow(10, -decimals);
  const double percent = kPercent * (found.half_width / found.value + kRounded);
  const double digits = std::pow(10, std::floor(std::log10(percent)) - 1);
  // Not one number with all of its digits: those behind the fifth would be of its binary form.
  const std::string value = fmt::format("{:.{}f}{}", std::round(found.value / unit) * (decimals > 0 ? unit : 1),
                                        std::max(decimals, 0), std::string(std::max(-decimals, 0), '0'));
  return fmt::format("{} ± {:.3g}% ({:.4g}%)", value, std::ceil(percent / digits) * digits,
                     kPercent * found.confidence);
}

std::string json_estimate(const std::optional<runtime::sample::Interval>& drawn, const std::string& exact) {
  const bool is_number = exact.find_first_not_of("+-.0123456789eE") == std::string::npos;
  if (!drawn && !is_number) return "null";
  nlohmann::ordered_json estimate;
  if (drawn) {
    estimate = {{"value", drawn->value},
                {"low", drawn->value - drawn->half_width},
                {"high", drawn->value + drawn->half_width},
                {"half_width", drawn->half_width / drawn->value},
                {"confidence", drawn->confidence},
                {"method", drawn->certain ? "certain" : "sampled"},
                {"draws", drawn->draws},
                {"hits", drawn->hits},
                {"most_over_mean", rounded(drawn->most_over_mean)}};
  } else {
    // As text, as a number of JSON here may have more digits than a double.
    return fmt::format(R"({{"value":{0},"low":{0},"high":{0},"half_width":0,"confidence":1,"method":"exact"}})", exact);
  }
  return estimate.dump();
}

std::vector<std::string> value_texts(const std::vector<codegen::ResultValue>& values, const frontend::Type& type,
                                     const runtime::Universe& universe) {
  std::vector<std::string> texts;
  if (values.size() < (type.is_tuple() ? type.positions.size() : 1)) return texts;
  if (const codegen::ListValue* list = std::get_if<codegen::ListValue>(&values[0])) {
    const RowColumns columns = columns_of(*list);
    for (std::uint64_t row = 0; row < list->size; ++row) {
      append_row(texts.emplace_back(), columns, row, universe, Style::Text);
    }
    return texts;
  }
  for (const codegen::ResultValue& value : values) append_value(texts.emplace_back(), value, universe, Style::Text);
  return texts;
}

std::string JsonObject::print(bool in_one_line) const {
  std::string out = "{";
  for (std::size_t i = 0; i < members_.size(); ++i) {
    out += fmt::format("{}{}\"{}\": {}", i == 0 ? "" : ",", in_one_line ? (i == 0 ? "" : " ") : "\n  ",
                       members_[i].first, members_[i].second);
  }
  return out + (in_one_line ? "}\n" : "\n}\n");
}

double rounded(double milliseconds) { return std::round(milliseconds * 1000) / 1000; }

}  // namespace matcha::session
