#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "driver/output_file.h"
#include "driver/values.h"
#include "runtime/graph/universe.h"

namespace matcha::driver {

/// How rows are written into a file.
struct RowFormat {
  char separator = '\t';  ///< Between the cells of a row.
  bool heading = false;   ///< The first line names the columns.
  runtime::Compression compression = runtime::Compression::None;
};

/// By the suffix of the file: commas and a heading for `.csv`, tabs for `.tsv`, `.txt` and names without one; each may
/// end in `.gz` or `.zst`. Nothing for other suffixes: no file is written whose name says what it is not.
std::optional<RowFormat> row_format(const std::string& path);

/// A name for each column of a result: those that are given, else `c0`, `c1`, ….
std::vector<std::string> column_names(const frontend::Type& result, const std::vector<std::string>& given);

/// Takes the rows of a streamed result, as text into a file or as the items of a JSON array; never more than `limit`.
class MatchWriter {
 public:
  /// Rows go to `file`, below their heading if the format has one, or are kept for `json` when there is none.
  MatchWriter(OutputFile* maybe_file, const RowFormat& format, const std::vector<std::string>& columns,
              std::optional<std::uint64_t> limit, const runtime::Universe& universe);

  /// False when no more rows are wanted: the limit is reached, or the output is gone.
  bool take(const codegen::Rows& rows);

  std::uint64_t count() const { return count_; }
  bool limit_reached() const { return limit_ && count_ >= *limit_; }
  /// The rows as a JSON array.
  std::string json() const { return "[" + text_ + "]"; }

 private:
  OutputFile* file_;
  char separator_;
  std::optional<std::uint64_t> limit_;
  const runtime::Universe& universe_;
  std::uint64_t count_ = 0;
  std::string text_;
};

}  // namespace matcha::driver
