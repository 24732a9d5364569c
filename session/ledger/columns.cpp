#include "session/ledger/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <unordered_map>
#include <utility>

#include "ir/support/utf8.h"
#include "question/scan.h"

namespace matcha::session::ledger {

namespace {

template <typename Number>
bool reads(std::string_view text, Number& out) {
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, out);
  return read.ec == std::errc() && read.ptr == end;
}

/// A number that is no int of 64 bits: `1.5` and `1e6`, but not digits alone, which would be rounded, and not `inf`.
bool reads_float(std::string_view text, double& out) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  std::int64_t whole = 0;
  if (digits.empty() || (!pattern::is_digit(digits.front()) && digits.front() != '.')) return false;
  if (std::ranges::all_of(digits, pattern::is_digit) && !reads(text, whole)) return false;
  return reads(text, out);
}

bool reads_bool(std::string_view text, std::int64_t& out) {
  std::string small(text);
  std::ranges::transform(small, small.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  out = small == "true" ? 1 : 0;
  return small == "true" || small == "false";
}

/// Walks over a text of digits and signs.
struct Clock {
  std::string_view text;

  bool take(char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
  }
  std::optional<int> digits(std::size_t count) {
    int value = 0;
    if (text.size() < count) return std::nullopt;
    for (std::size_t at = 0; at < count; ++at) {
      if (text[at] < '0' || text[at] > '9') return std::nullopt;
      value = 10 * value + (text[at] - '0');
    }
    text.remove_prefix(count);
    return value;
  }
  /// `10:00`, or `10:00:00`, in seconds.
  std::optional<int> time(bool may_have_seconds) {
    const std::optional<int> hour = digits(2);
    if (!hour || *hour > 23 || !take(':')) return std::nullopt;
    const std::optional<int> minute = digits(2);
    if (!minute || *minute > 59) return std::nullopt;
    int all = *hour * 3600 + *minute * 60;
    if (!may_have_seconds || !take(':')) return all;
    const std::optional<int> second = digits(2);
    if (!second || *second > 59) return std::nullopt;
    return all + *second;
  }
};

struct Instant {
  std::int64_t seconds = 0;
  std::int64_t ns = 0;
};

std::optional<Instant> instant_of(std::string_view text) {
  Clock clock{text};
  const std::optional<int> year = clock.digits(4);
  if (!year || !clock.take('-')) return std::nullopt;
  const std::optional<int> month = clock.digits(2);
  if (!month || !clock.take('-')) return std::nullopt;
  const std::optional<int> day = clock.digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  Instant found;
  found.seconds = std::int64_t{86400} * std::chrono::sys_days(date).time_since_epoch().count();
  if (clock.text.empty()) return found;
  if (!clock.take('T') && !clock.take(' ')) return std::nullopt;
  const std::optional<int> time = clock.time(true);
  if (!time) return std::nullopt;
  found.seconds += *time;
  if (clock.take('.')) {
    std::int64_t unit = 100'000'000;
    for (std::size_t digits = 0;; ++digits, unit /= 10) {
      const std::optional<int> digit = clock.digits(1);
      if (!digit && digits != 0) break;
      if (!digit || unit == 0) return std::nullopt;
      found.ns += unit * *digit;
    }
  }
  if (clock.text.empty() || clock.text == "Z") return found;
  const bool is_east = clock.take('+');
  if (!is_east && !clock.take('-')) return std::nullopt;
  const std::optional<int> offset = clock.time(false);
  if (!offset || !clock.text.empty()) return std::nullopt;
  found.seconds -= is_east ? *offset : -*offset;
  return found;
}

/// The time in units of 1 / `per_second` seconds; nothing if it is no whole number of them.
std::optional<std::int64_t> in_units(const Instant& at, std::uint64_t per_second) {
  const std::int64_t ns = 1'000'000'000 / static_cast<std::int64_t>(per_second);
  if (at.ns % ns != 0) return std::nullopt;
  std::int64_t units = 0;
  if (__builtin_mul_overflow(at.seconds, static_cast<std::int64_t>(per_second), &units)) return std::nullopt;
  if (__builtin_add_overflow(units, at.ns / ns, &units)) return std::nullopt;
  return units;
}

/// Reads all cells that have a value; false at the first one that is none of these.
template <typename Read>
bool read_all(const runtime::CellTexts& cells, const Column& column, Read read) {
  for (std::uint64_t row = 0; row < cells.size(); ++row) {
    if (column.has_value(row) && !read(row, cells.at(row))) return false;
  }
  return true;
}

bool read_ints(const runtime::CellTexts& cells, Column& column) {
  column.ints.assign(cells.size(), 0);
  const bool all =
      read_all(cells, column, [&](std::uint64_t row, std::string_view text) { return reads(text, column.ints[row]); });
  bool is_first = true;
  for (std::uint64_t row = 0; all && row < cells.size(); ++row) {
    if (!column.has_value(row)) continue;
    column.least = is_first ? column.ints[row] : std::min(column.least, column.ints[row]);
    column.most = is_first ? column.ints[row] : std::max(column.most, column.ints[row]);
    is_first = false;
  }
  return all;
}

bool read_times(const runtime::CellTexts& cells, Column& column) {
  std::vector<Instant> instants(cells.size());
  bool some = false;
  std::int64_t finest = 0;  // Of all fractions.
  const bool all = read_all(cells, column, [&](std::uint64_t row, std::string_view text) {
    const std::optional<Instant> at = instant_of(text);
    if (!at) return false;
    some = true;
    instants[row] = *at;
    for (const std::int64_t unit : {1'000'000'000, 1'000'000, 1'000, 1}) {
      if (at->ns % unit != 0) continue;
      finest = finest == 0 ? unit : std::min<std::int64_t>(finest, unit);
      break;
    }
    return true;
  });
  if (!all || !some) return false;
  column.per_second = static_cast<std::uint64_t>(1'000'000'000 / finest);
  runtime::CellTexts numbers;
  for (std::uint64_t row = 0; row < cells.size(); ++row) {
    const std::optional<std::int64_t> value = in_units(instants[row], column.per_second);
    if (!value) {
      column.note = "is text, since times with parts of 1 ns are from 1678 to 2261 alone";
      return false;
    }
    numbers.add(column.has_value(row) ? std::to_string(*value) : "");
  }
  return read_ints(numbers, column);
}

}  // namespace

Column column_of(runtime::CellTexts cells) {
  Column column;
  const std::uint64_t rows = cells.size();
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (!cells.at(row).empty()) {
      column.is_null = false;
      continue;
    }
    column.lacks.resize(rows);
    column.lacks[row] = 1;
  }
  if (read_ints(cells, column)) return column;
  column.type = Column::Type::Float;
  column.floats.assign(rows, 0);
  const bool are_numbers = read_all(
      cells, column, [&](std::uint64_t row, std::string_view text) { return reads_float(text, column.floats[row]); });
  column.least = column.most = 0;
  if (are_numbers) return column;
  column.type = Column::Type::Bool;
  if (read_all(cells, column,
               [&](std::uint64_t row, std::string_view text) { return reads_bool(text, column.ints[row]); }))
    return column;
  column.type = Column::Type::Int;
  if (read_times(cells, column)) return column;
  column.type = Column::Type::Text;
  std::uint64_t numbers = 0, other = rows;
  double beyond = 0;  // A number that is none of a column.
  for (std::uint64_t row = 0; row < rows; ++row) {
    double number = 0;
    if (!column.has_value(row)) continue;
    if (reads_float(cells.at(row), number)) {
      ++numbers;
    } else {
      other = std::min(other, row);
    }
  }
  if (numbers != 0 || (other < rows && reads(cells.at(other), beyond))) {
    column.note =
        fmt::format("is text, since row {} has `{}`", other, escape_invalid_utf8(cells.at(other).substr(0, 40)));
  }
  column.floats.clear();
  column.ints.clear();
  column.per_second = 0;
  column.texts = std::move(cells);
  return column;
}

CellForm form_of(std::string_view cell) {
  std::int64_t whole = 0;
  double number = 0;
  if (cell.empty()) return {};
  if (reads(cell, whole)) return {CellForm::Kind::Int};
  if (reads_float(cell, number)) return {CellForm::Kind::Float};
  if (reads_bool(cell, whole)) return {CellForm::Kind::Bool};
  const std::optional<Instant> at = instant_of(cell);
  for (std::uint64_t per_second = 1; at && per_second <= 1'000'000'000; per_second *= 1'000) {
    if (in_units(*at, per_second)) return {CellForm::Kind::Time, per_second};
  }
  return {CellForm::Kind::Text};
}

std::optional<std::int64_t> plain_int(std::string_view text) {
  std::int64_t value = 0;
  const std::from_chars_result read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() && std::to_string(value) == text ? std::optional(value) : std::nullopt;
}

Column column_as(runtime::CellTexts cells, const ColumnForm& form) {
  Column column;
  column.type = form.type;
  column.is_null = form.is_null;
  column.per_second = form.per_second;
  const std::uint64_t rows = cells.size();
  if (form.may_lack) column.lacks.resize(rows);
  for (std::uint64_t row = 0; form.may_lack && row < rows; ++row) column.lacks[row] = cells.at(row).empty() ? 1 : 0;
  if (form.type == Column::Type::Text) {
    column.texts = std::move(cells);
    return column;
  }
  if (form.type == Column::Type::Float) {
    column.floats.assign(rows, 0);
    for (std::uint64_t row = 0; row < rows; ++row) reads(cells.at(row), column.floats[row]);
    return column;
  }
  column.ints.assign(rows, 0);
  bool is_first = true;
  for (std::uint64_t row = 0; row < rows; ++row) {
    std::int64_t& value = column.ints[row];
    if (cells.at(row).empty()) continue;
    if (form.type == Column::Type::Bool) {
      reads_bool(cells.at(row), value);
    } else if (form.per_second != 0) {
      value = time_of(cells.at(row), form.per_second).value_or(0);
    } else {
      reads(cells.at(row), value);
    }
    column.least = is_first ? value : std::min(column.least, value);
    column.most = is_first ? value : std::max(column.most, value);
    is_first = false;
  }
  return column;
}

Column ids_of(runtime::CellTexts cells) {
  Column ids = column_of(cells);
  bool are_ints = ids.type == Column::Type::Int && ids.per_second == 0;
  for (std::uint64_t row = 0; row < cells.size() && are_ints; ++row) {
    are_ints = !ids.has_value(row) || std::to_string(ids.ints[row]) == cells.at(row);
  }
  if (are_ints) return ids;
  ids.type = Column::Type::Text;
  ids.per_second = 0;
  ids.ints.clear();
  ids.floats.clear();
  ids.texts = std::move(cells);
  return ids;
}

std::optional<std::int64_t> time_of(std::string_view text, std::uint64_t per_second) {
  const std::optional<Instant> at = instant_of(text);
  return at ? in_units(*at, per_second) : std::nullopt;
}

std::string text_of_time(std::int64_t ns) {
  constexpr std::int64_t kSecond = 1'000'000'000, kDay = 86'400;
  const std::int64_t part = (ns % kSecond + kSecond) % kSecond;
  const std::int64_t seconds = ns / kSecond - (ns % kSecond < 0 ? 1 : 0);
  const std::int64_t of_day = (seconds % kDay + kDay) % kDay;
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(seconds / kDay - (seconds % kDay < 0 ? 1 : 0)))};
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), of_day / 3600,
                                 of_day / 60 % 60, of_day % 60);
  if (part == 0) return text;
  std::string digits = fmt::format("{:09}", part);
  digits.erase(digits.find_last_not_of('0') + 1);
  return text + "." + digits;
}

void Texts::add(const runtime::CellTexts& cells) {
  std::unordered_map<std::string_view, bool> seen;
  for (std::uint64_t row = 0; row < cells.size(); ++row) {
    if (seen.emplace(cells.at(row), true).second) all_.emplace_back(cells.at(row));
  }
}

void Texts::sort() {
  std::ranges::sort(all_);
  all_.erase(std::ranges::unique(all_).begin(), all_.end());
}

std::int64_t Texts::code(std::string_view text) const { return std::ranges::lower_bound(all_, text) - all_.begin(); }

void Texts::put_codes(Column& column) const {
  if (column.type != Column::Type::Text) return;
  std::unordered_map<std::string_view, std::int64_t> known;
  column.ints.reserve(column.texts.size());
  for (std::uint64_t row = 0; row < column.texts.size(); ++row) {
    const auto [found, is_new] = known.emplace(column.texts.at(row), 0);
    if (is_new) found->second = code(found->first);
    column.ints.push_back(found->second);
  }
  column.texts = {};
}

}  // namespace matcha::session::ledger
