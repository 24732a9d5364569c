#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "frontend/types.h"
#include "runtime/graph/labels.h"
#include "runtime/graph/universe.h"
#include "runtime/sample/interval.h"

/// Results as text: vertices as the ids of the files, floats so short that they read back to the same value.
namespace matcha::session {

enum class Style { Text, Json };

void append_int(std::string& out, __int128 value);
/// JSON has no `inf` and `nan`: they become null there.
void append_float(std::string& out, double value, Style style);
/// `true` and `false` in both styles.
void append_value(std::string& out, const codegen::ResultValue& value, const runtime::Universe& universe, Style style);

/// The id of a vertex. One that is text is a string in JSON; as text it is in quotes, as in RFC 4180, if it has a quote
/// or the separator.
void append_vertex(std::string& out, std::uint64_t rank, const runtime::Universe& universe, Style style,
                   char separator = '\t');

/// The same of an id that is text.
void append_name(std::string& out, std::string_view name, Style style, char separator = '\t');

/// The columns of rows in memory.
struct RowColumns {
  std::vector<runtime::ElementKind> kinds;
  std::vector<const void*> data;
  std::vector<bool> are_labels = {};  ///< Columns with ints that are codes of labels; empty: none.
  const runtime::LabelDictionary* maybe_dictionary = nullptr;  ///< The words of the labels.
};
RowColumns columns_of(const codegen::ListValue& list);
/// The item of a column at `row`.
void append_element(std::string& out, const RowColumns& columns, std::size_t column, std::uint64_t row,
                    const runtime::Universe& universe, Style style, char separator);
/// Row `row`: with the separator as text; a number, or an array if there are several columns, as JSON.
void append_row(std::string& out, const RowColumns& columns, std::uint64_t row, const runtime::Universe& universe,
                Style style, char separator = '\t');

/// The raw JSON of a whole result: a number, a bool, an array for a tuple or a list, null when it is missing.
std::string json_result(const std::vector<codegen::ResultValue>& values, const frontend::Type& type,
                        const runtime::Universe& universe);

/// `13592000000 ± 0.85% (95%)`: five digits; the width includes the error of rounding.
std::string estimate_text(const runtime::sample::Interval& found);

/// The `estimate` of docs/run.md as JSON, in which `half_width` is a part of the value. `drawn`: nothing: the answer is
/// `exact`, the JSON of a number. Null if that is none, or several.
std::string json_estimate(const std::optional<runtime::sample::Interval>& drawn, const std::string& exact);

/// Each number of a result of several, as text: the positions of a tuple, the items of a list of one column. Empty when
/// they are not all there.
std::vector<std::string> value_texts(const std::vector<codegen::ResultValue>& values, const frontend::Type& type,
                                     const runtime::Universe& universe);

/// An object whose members are raw JSON, in order; printed with a member a line, or all in one.
class JsonObject {
 public:
  void add(std::string_view key, std::string raw) { members_.emplace_back(std::string(key), std::move(raw)); }
  std::string print(bool in_one_line = false) const;

 private:
  std::vector<std::pair<std::string, std::string>> members_;
};

/// Milliseconds with three decimals at most.
double rounded(double milliseconds);

}  // namespace matcha::session
