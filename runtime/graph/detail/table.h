#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/detail/rows.h"
#include "runtime/graph/detail/source.h"

/// Tables of text as in RFC 4180: a heading, quotes, columns by name; ids of every kind.
namespace matcha::runtime::detail {

/// What is wanted of a table.
struct TableAsk {
  std::vector<ColumnSpec> columns;
  bool is_named = false;  ///< The user said which columns; only then may lines have unlike numbers of columns.
  TableOptions options = {};
  IdKind ids = IdKind::Int;              ///< Of the run, as far as it is known.
  bool decides_ids = true;               ///< Its first ids may say that ids are text.
  bool lists_vertices = false;           ///< Each id stands on one line, which may have an empty cell for its label.
  const TakeRows* maybe_take = nullptr;  ///< As that of RowPlan.
  bool drops_repeats = false;            ///< Likewise.
  bool has_types = false;                ///< Of lines `id label` between blanks: a label may have `;`.
  bool is_list = false;                  ///< As many columns as the heading has are taken in their order.
};

/// How a table is read.
struct TablePlan {
  RowPlan rows;              ///< All columns by index.
  bool is_plain = false;     ///< Numbers, and words, without quotes: read_rows can read it.
  char separator = 0;        ///< Between cells; 0: blanks.
  bool has_heading = false;  ///< Of its first line: below it no line is a comment.
  unsigned heading_columns = 0;
  bool lists_vertices = false;
  IdKind ids = IdKind::Int;
  std::string text;  ///< As LoadReport::table.
};

/// Looks at the first lines and goes past the heading. Errors: Input where a column is not in the heading, or it cannot
/// be told whether there is one.
Result<TablePlan> plan_table(LineSource& source, const TableAsk& ask);

/// Reads the rest of the source by the plan. `wanted` becomes the kind of its ids if that is above the plan's; then the
/// result is an error and the table is to be read again. Errors: Input, with file and line; Resource.
Result<Rows> read_planned(LineSource& source, TablePlan plan, const IoOptions& options, Budget& budget, IdKind& wanted);

/// Both in one.
Result<Rows> read_table(LineSource& source, const TableAsk& ask, const IoOptions& options, Budget& budget,
                        IdKind& wanted);

/// The cells of each of the first lines of a labels file that are neither blank nor comments. Errors: Input.
Result<std::vector<std::vector<std::string>>> first_cells(LineSource& source, std::size_t most);

/// Walks the cells of a line; lines of quoted cells may hold line feeds.
class CellReader {
 public:
  CellReader(char separator, const char* end) : separator_(separator), end_(end) {}

  /// The cell at `p`, without blanks around it and without its quotes; `p` goes to the separator or line feed after it.
  /// The text lives until the next call. An error has no line yet.
  std::optional<LineError> read(const char*& p, std::string_view& cell);
  /// Goes past the separator at `p`; false at the end of the line.
  bool next(const char*& p) const;
  /// Line feeds inside of cells so far.
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
