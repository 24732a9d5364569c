#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/inputs.h"

/// Patterns with conditions on the columns of a table of edges.
namespace matcha::session::ledger {

/// A column of a table, with the type that all of its cells have.
struct Column {
  enum class Type : std::uint8_t { Int, Float, Bool, Text };

  Type type = Type::Int;
  bool is_null = true;               ///< No row has a value, and so the column has no type.
  std::uint64_t per_second = 0;      ///< The units of a second, if the cells spell times; 0: the cells are numbers.
  std::vector<std::int64_t> ints;    ///< Int; Bool: 0 or 1; Text: codes, once there are some.
  std::vector<double> floats;        ///< Float.
  std::vector<std::uint8_t> lacks;   ///< 1 for a row without a value; empty: each row has one.
  runtime::CellTexts texts;          ///< Text, until it has codes.
  std::int64_t least = 0, most = 0;  ///< Int: the range of the values; 0 if there are none.
  std::string note;                  ///< A remark for the user; may be empty.

  bool has_value(std::uint64_t row) const { return lacks.empty() || lacks[row] == 0; }
};

/// Makes a column of cells with the first type that fits all: ints, numbers, `true` and `false`, dates and times as in
/// ISO 8601, text. Empty cells have no value.
Column column_of(runtime::CellTexts cells);

/// The kind of a cell, as `column_of` distinguishes them. A time is a whole number of units of 1 / `per_second`
/// seconds.
struct CellForm {
  enum class Kind : std::uint8_t { Null, Int, Float, Bool, Time, Text };
  Kind kind = Kind::Null;
  std::uint64_t per_second = 1;
};
CellForm form_of(std::string_view cell);

/// The facts of a column that `column_of` finds in its cells.
struct ColumnForm {
  Column::Type type = Column::Type::Int;
  bool is_null = true;
  std::uint64_t per_second = 0;
  bool may_lack = false;  ///< A row may have no value.

  bool operator==(const ColumnForm&) const = default;
};
/// Makes a column of cells that have this form. Text gets no codes.
Column column_as(runtime::CellTexts cells, const ColumnForm& form);

/// Makes a column of ids: ints if each is written as an int, else text.
Column ids_of(runtime::CellTexts cells);

/// A date or a time such as `2024-05-01`, `2024-05-01T10:00:00.5Z` or `2024-05-01 10:00+02:00`, in units of
/// 1 / `per_second` seconds since 1970. Nothing for other texts, and if it is no whole number of units.
std::optional<std::int64_t> time_of(std::string_view text, std::uint64_t per_second);

/// The text of a time, in nanoseconds since 1970, in UTC.
std::string text_of_time(std::int64_t ns);

/// All texts of some columns and conditions, sorted by bytes. The code of a text is its place.
class Texts {
 public:
  void add(const runtime::CellTexts& cells);
  void add(const std::string& text) { all_.push_back(text); }
  /// Call it after the last `add`, and before all functions below.
  void sort();
  /// The code of a text that was added.
  std::int64_t code(std::string_view text) const;
  const std::string& text(std::int64_t code) const { return all_[static_cast<std::size_t>(code)]; }
  /// Replaces the texts of a column by codes.
  void put_codes(Column& column) const;

 private:
  std::vector<std::string> all_;
};

/// The int that a text spells in the form of JSON; nothing for other texts.
std::optional<std::int64_t> plain_int(std::string_view text);

}  // namespace matcha::session::ledger
