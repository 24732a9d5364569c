#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/detail/rows.h"
#include "runtime/graph/detail/source.h"

/// Tables of text as in RFC 4180: a heading, quotes, columns by name; ids of every kind.
namespace matcha::runtime::detail {

/// A request to read a table.
struct TableRequest {
  std::vector<ColumnSpec> columns;
  bool is_named = false;  ///< The user named the columns; only then may lines differ in their number of columns.
  TableOptions options = {};
  IdKind ids = IdKind::Int;              ///< The kind of the ids of the run, as far as known.
  bool decides_ids = true;               ///< Its first ids may decide that ids are text.
  bool lists_vertices = false;           ///< Each id has one line, whose cell for the label may be empty.
  const TakeRows* maybe_take = nullptr;  ///< As in RowPlan.
  bool drops_repeats = false;            ///< Likewise.
  bool has_types = false;                ///< For lines `id label` with blanks between: a label may have `;`.
  bool is_list = false;                  ///< Takes as many columns as the heading has, in their order.
};

/// How to read a table.
struct TablePlan {
  RowPlan rows;              ///< All columns by index.
  bool is_plain = false;     ///< Numbers, and words without quotes: read_rows can read it.
  char separator = 0;        ///< Between cells; 0: blanks.
  bool has_heading = false;  ///< The first line is a heading: no line below it is a comment.
  unsigned heading_columns = 0;
  bool lists_vertices = false;
  IdKind ids = IdKind::Int;
  std::string text;  ///< As LoadReport::table.
};

/// Examines the first lines and skips the heading. Errors: Input where a column is not in the heading, or it is unclear
/// whether there is a heading.
Result<TablePlan> plan_table(LineSource& source, const TableRequest& ask);

/// Reads the rest of the source by the plan. If an id has a higher kind than the plan, `wanted` becomes that kind and
/// the result is an error: read the table again. Errors: Input, with file and line; Resource.
Result<Rows> read_planned(LineSource& source, TablePlan plan, const IoOptions& options, Budget& budget, IdKind& wanted);

/// `plan_table` and `read_planned` together.
Result<Rows> read_table(LineSource& source, const TableRequest& ask, const IoOptions& options, Budget& budget,
                        IdKind& wanted);

/// The cells of the first `most` lines of a labels file that are neither blank nor comments. Errors: Input.
Result<std::vector<std::vector<std::string>>> first_cells(LineSource& source, std::size_t most);

/// Iterates over the cells of a line; quoted cells may contain line feeds.
class CellReader {
 public:
  CellReader(char separator, const char* end) : separator_(separator), end_(end) {}

  /// The cell at `p`, without surrounding blanks and quotes; moves `p` to the separator or line feed after it. Valid
  /// until the next call. An error has no line yet.
  std::optional<LineError> read(const char*& p, std::string_view& cell);
  /// Moves past the separator at `p`; false at the end of the line.
  bool next(const char*& p) const;
  /// Line feeds inside cells so far.
  std::uint64_t inner_lines() const { return inner_lines_; }

 private:
  std::optional<LineError> read_quoted(const char*& p, std::string_view& cell);
  bool ends_cell(char c) const { return c == '\n' || (separator_ == 0 ? c == ' ' || c == '\t' : c == separator_); }

  char separator_;
  const char* end_;
  std::uint64_t inner_lines_ = 0;
  std::string unquoted_;
};

}  // namespace matcha::runtime::detail
