#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/graph/detail/label_cells.h"
#include "runtime/graph/detail/name_table.h"
#include "runtime/graph/universe.h"

/// The ids and labels behind the numbers of a Matrix Market file. Comments of its header list them; `write_text` writes
/// these comments, and other programs skip them:
///
///     % matcha-names 1 text           the version, and the kind of the ids: int, uint64 or text; for consecutive
///                                     int ids also the id of row 1
///     % id 1 ann                      the id of a row, in ascending order of rows and ids; the text ends with the line
///     % label 1 person                the label of a row
///     % edge-label -1 likes           the label of the entries with this value
namespace matcha::runtime::detail {

inline constexpr std::string_view kMatrixNames = "% matcha-names ";
inline constexpr std::string_view kMatrixNamesVersion = "1";

struct MatrixNames {
  IdKind kind = IdKind::Int;
  std::int64_t first_id = 1;                 ///< The id of row 1, if `ids` and `texts` are empty.
  std::vector<std::int64_t> ids;             ///< By row; flipped (flip_id) if they are uint64.
  std::vector<std::string> texts;            ///< By row, if ids are text.
  std::vector<std::uint64_t> labelled_rows;  ///< Aligned with `labels`, from 1.
  std::vector<std::uint64_t> label_lines;    ///< Likewise.
  LabelCells labels;                         ///< Labels of vertices.
  std::unordered_map<std::int64_t, std::string> edge_labels;

  bool has_numbers() const { return kind == IdKind::Int; }
  /// The id of a row as a number. Requires: `has_numbers`, and a valid row.
  std::int64_t number(std::int64_t row) const {
    return ids.empty() ? first_id + (row - 1) : ids[static_cast<std::size_t>(row - 1)];
  }
  /// The id of a row as a cell of a run with ids of kind `run`, at least that of the file.
  std::int64_t cell(std::int64_t row, IdKind run, NameTable& names) const;
};

/// Reads the lines of a header one by one.
class MatrixNamesReader {
 public:
  explicit MatrixNamesReader(std::string path) : path_(std::move(path)), labels_(names_.labels) {}

  /// Takes a comment line. Errors: Input for a malformed line of the table of names.
  Status take(std::string_view line, std::uint64_t number);
  /// Call when the size of the matrix is known. Empty: the file has no table. Errors: Input where the table does not
  /// fit the size.
  Result<std::optional<MatrixNames>> finish(std::uint64_t size);

 private:
  Error bad(std::uint64_t line, const std::string& what) const;
  Status begin(std::string_view rest, std::uint64_t line);
  Status add_id(std::string_view text, std::uint64_t line);

  std::string path_;
  bool has_begun_ = false;
  std::uint64_t begin_line_ = 0;
  MatrixNames names_;
  LabelReader labels_;
};

}  // namespace matcha::runtime::detail
