#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/graph/io.h"
#include "runtime/graph/universe.h"
#include "session/values.h"

/// Files of rows.
namespace matcha::session {

/// How rows are written into a file.
struct RowFormat {
  enum class Kind : std::uint8_t {
    Text,    ///< Cells between separators.
    Ndjson,  ///< An object a line.
    Npy,     ///< NumPy's: an array of ints with a row for each, or one of records.
    Arrow,   ///< Arrow IPC, the file format.
  };
  Kind kind = Kind::Text;
  char separator = '\t';  ///< Between the cells of a row of text.
  bool heading = false;   ///< The first line of text names the columns.
  runtime::Compression compression = runtime::Compression::None;
};

/// By the suffix of the file: `.csv` (commas and a heading), `.tsv`, `.txt` or none (tabs), `.ndjson` or `.jsonl`,
/// `.npy`, `.arrow`; text may end in `.gz` or `.zst` after that. Nothing for other suffixes: a file must not be named
/// as a format that it does not have.
std::optional<RowFormat> row_format(const std::string& path);

/// Gives the bytes of a file of rows, piece by piece.
class RowEncoder {
 public:
  virtual ~RowEncoder() = default;
  /// `columns`: names of the columns. `kinds`: of their items, for files without rows; later those of the rows count.
  static std::unique_ptr<RowEncoder> make(const RowFormat& format, std::vector<std::string> columns,
                                          std::vector<runtime::ElementKind> kinds, const runtime::Universe& universe);

  /// The bytes before the rows.
  virtual void begin(std::string& out) = 0;
  /// Rows `[first, first + count)`. Ids that are text stand for vertices.
  virtual void take(const RowColumns& rows, std::uint64_t first, std::uint64_t count, std::string& out) = 0;
  /// The bytes after `rows` rows. Returns the bytes that replace the beginning of the file; empty: none.
  virtual std::string finish(std::uint64_t rows, std::string& out) = 0;
};

std::unique_ptr<RowEncoder> make_arrow_encoder(std::vector<std::string> columns,
                                               std::vector<runtime::ElementKind> kinds,
                                               const runtime::Universe& universe);

}  // namespace matcha::session
