#include "tests/campaign/answer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace matcha::campaign {

namespace {

/// Rows that are shown; a list may have many.
constexpr std::size_t kShownRows = 40;

std::string text_of(const Cell& cell) {
  return cell.is_float ? fmt::format("{:.17g}", cell.real) : fmt::format("{}", cell.integer);
}

std::string text_of(const Value& value) {
  if (!value.is_list) return text_of(value.cell);
  std::string text = fmt::format("{} rows:", value.rows.size());
  for (std::size_t i = 0; i < value.rows.size() && i < kShownRows; ++i) {
    text += " (";
    for (const Cell& cell : value.rows[i]) text += (text.back() == '(' ? "" : ",") + text_of(cell);
    text += ")";
  }
  return text;
}

std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

bool operator==(const Cell& a, const Cell& b) {
  if (a.is_float != b.is_float) return false;
  if (!a.is_float) return a.integer == b.integer;
  return (std::isnan(a.real) && std::isnan(b.real)) || bits_of(a.real) == bits_of(b.real);
}

bool operator<(const Cell& a, const Cell& b) {
  if (a.is_float != b.is_float) return b.is_float;
  return a.is_float ? bits_of(a.real) < bits_of(b.real) : a.integer < b.integer;
}

std::string Answer::text() const {
  if (!problem.empty()) return problem;
  if (!trap.empty()) return "trap: " + trap;
  std::string text;
  for (const Value& value : values) text += (text.empty() ? "" : ", ") + text_of(value);
  return text;
}

}  // namespace matcha::campaign
