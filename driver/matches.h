#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "codegen/backend.h"
#include "driver/output_file.h"
#include "driver/values.h"
#include "runtime/graph/universe.h"

namespace matcha::driver {

/// What stands between the cells of a row, by the suffix of the file that rows are written to: commas for `.csv`, tabs
/// for `.tsv`, `.txt` and names without one. Nothing for other suffixes: no file is written whose name says what it is
/// not.
std::optional<char> row_separator(const std::string& path);

/// Takes the rows of a streamed result, as text into a file or as the items of a JSON array; never more than `limit`.
class MatchWriter {
 public:
  /// Rows go to `file`, cells apart by `separator`, or are kept for `json` when there is none.
  MatchWriter(OutputFile* maybe_file, char separator, std::optional<std::uint64_t> limit,
              const runtime::Universe& universe)
      : file_(maybe_file), separator_(separator), limit_(limit), universe_(universe) {}

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
