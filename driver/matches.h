#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "codegen/backend.h"
#include "driver/output_file.h"
#include "driver/values.h"
#include "runtime/graph/universe.h"

namespace matcha::driver {

/// Takes the rows of a streamed result, as text into a file or as the items of a JSON array; never more than `limit`.
class MatchWriter {
 public:
  /// Rows go to `file`, tab-separated, or are kept for `json` when there is none.
  MatchWriter(OutputFile* maybe_file, std::optional<std::uint64_t> limit, const runtime::Universe& universe)
      : file_(maybe_file), limit_(limit), universe_(universe) {}

  /// False when no more rows are wanted: the limit is reached, or the output is gone.
  bool take(const codegen::Rows& rows);

  std::uint64_t count() const { return count_; }
  bool limit_reached() const { return limit_ && count_ >= *limit_; }
  /// The rows as a JSON array.
  std::string json() const { return "[" + text_ + "]"; }

 private:
  OutputFile* file_;
  std::optional<std::uint64_t> limit_;
  const runtime::Universe& universe_;
  std::uint64_t count_ = 0;
  std::string text_;
};

}  // namespace matcha::driver
