#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/detail/label_cells.h"
#include "runtime/graph/detail/matrix_names.h"
#include "runtime/graph/detail/name_table.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/detail/tokens.h"
#include "runtime/graph/inputs.h"

/// Rows of columns, from every text format with edges or lists.
namespace matcha::runtime::detail {

/// The hint of an edge that has no label where one is asked for.
inline constexpr const char* kNoEdgeLabel = "the label or the number of an edge is its third column";

struct RowChunk;

/// Gets the chunks of rows in file order, one at a time.
using TakeRows = std::function<Status(const RowChunk&)>;

/// The columns to read of each line.
struct RowPlan {
  std::vector<ColumnSpec> columns;  ///< In the order of the cells; any indices.
  unsigned min_columns = 0;         ///< A line with fewer is an error.
  bool is_even = false;             ///< A line with more or fewer columns than the first one is an error.
  std::int64_t lowest_id = std::numeric_limits<std::int64_t>::min();
  std::int64_t highest_id = std::numeric_limits<std::int64_t>::max();
  std::atomic<bool>* maybe_past_int64 = nullptr;  ///< Set when an id is a uint64 beyond int64, which is an error.
  const TakeRows* maybe_take = nullptr;           ///< Receives the rows, which are not kept then.
  bool drops_repeats = false;                     ///< Repeats of rows with two ends may be dropped.
};

/// Rows of one chunk, a vector a column; a Float cell holds the bits of the double.
struct RowChunk {
  std::vector<std::vector<std::int64_t>> cells;
  std::vector<CellTexts> texts;          ///< Columns of texts, whose vectors in `cells` stay empty; or there are none.
  LabelCells labels;                     ///< The one column of labels; its vector in `cells` stays empty.
  NameTable names;                       ///< Names of ids that are text: cells are indices into it.
  std::vector<std::uint64_t> row_lines;  ///< The line of each row, from 0; only for tables of vertices.
  std::uint64_t rows = 0;
  std::uint64_t repeats = 0;    ///< Rows dropped as repeats.
  unsigned columns = 0;         ///< Columns of each row, for even plans; 0 while there is no row.
  std::uint64_t first_row = 0;  ///< The line of the first row, from 0.
  std::uint64_t comments = 0;   ///< Comment lines, and the number of them before the first row.
  std::uint64_t first_comments = 0;
  bool leading_zeros = false;  ///< Some ids are numbers with leading zeros.
  std::uint64_t lines = 0;
  std::uint64_t first_line = 0;
  std::optional<LineError> error;

  std::uint64_t bytes() const;
};

/// The rows of a file in file order.
struct Rows {
  std::vector<RowChunk> chunks;
  std::uint64_t count = 0;
  std::uint64_t repeats = 0;   ///< As in RowChunk; not in `count`.
  std::string table;           ///< As LoadReport::table.
  std::uint64_t comments = 0;  ///< Comment lines after the first row.
  bool leading_zeros = false;
};

/// Passes the rows of a chunk to the function in the plan and drops their cells.
Status hand_over(const RowPlan& plan, RowChunk& chunk);
/// Drops repeated rows if a sample shows that most are repeats. So a file with few distinct edges on many lines takes
/// little memory. Loops stay, since a report counts them.
void drop_repeats(const RowPlan& plan, RowChunk& chunk);
/// Counts a comment line.
void count_comment(RowChunk& chunk);
/// Concatenates the chunks.
Rows rows_of(std::vector<RowChunk> chunks);
/// The error of a line whose number of columns differs from earlier lines.
LineError uneven_columns(unsigned found, unsigned expected);
/// Checks that the first row of a chunk has as many columns as the rows of earlier chunks.
std::optional<LineError> follow_columns(const std::vector<RowChunk>& before, RowChunk& chunk);
/// The error of a line with too few columns to read `wanted`.
LineError line_too_short(unsigned found, const ColumnSpec& wanted);
/// Replaces ids that were read as numbers by text.
void name_numbers(RowChunk& chunk, const std::vector<ColumnSpec>& columns);

/// Reads the rest of the source. Comment lines and blank lines are skipped.
Result<Rows> read_rows(LineSource& source, const RowPlan& plan, const IoOptions& options, Budget& budget);

/// The header of a Matrix Market file.
struct MatrixHeader {
  enum class Symmetry { General, Symmetric, Skew };
  Symmetry symmetry = Symmetry::General;
  unsigned value_columns = 0;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;
  std::uint64_t size_line = 0;
  std::optional<MatrixNames> names;  ///< The ids and labels of the rows; empty: row numbers are the ids.
};
Result<MatrixHeader> read_matrix_header(LineSource& source);

/// Reads header and entries; ids are 1…size, and labels of edges have their words. Errors: Input when it is not a
/// square coordinate matrix, an index is out of range or entries are missing; Resource when the header declares far
/// more rows than the file has entries.
Result<Rows> read_matrix(LineSource& source, RowPlan plan, const IoOptions& options, Budget& budget,
                         MatrixHeader& header);

/// Replaces the row numbers of a matrix with names by their ids; int64 where they are numbers, otherwise of the kind of
/// the run. Errors: Input where a column of numbers would get text.
Status name_rows(const std::string& path, const MatrixNames& names, IdKind run, const std::vector<ColumnSpec>& columns,
                 Rows& rows);

}  // namespace matcha::runtime::detail
