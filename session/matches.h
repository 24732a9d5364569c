#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/backend.h"
#include "runtime/graph/universe.h"
#include "session/output_file.h"
#include "session/row_encoder.h"

namespace matcha::session {

/// A name for each column of a result: those that are given, else `c0`, `c1`, ….
std::vector<std::string> column_names(const frontend::Type& result, const std::vector<std::string>& given);

/// The kinds of the columns of a result by its type: an int may be a vertex.
std::vector<runtime::ElementKind> column_kinds(const frontend::Type& result);

/// Takes the rows of a streamed result, into a file of any format or as the items of a JSON array; never more than
/// `limit`.
class MatchWriter {
 public:
  /// Rows go to `file`, or are kept for `json` when there is none. `columns`: names, if they are known.
  MatchWriter(OutputFile* maybe_file, const RowFormat& format, const frontend::Type& result,
              const std::vector<std::string>& columns, std::optional<std::uint64_t> limit,
              const runtime::Universe& universe);

  /// These columns have codes of labels, which are written as words. Requires: the file is text or NDJSON.
  void name_labels(const runtime::LabelDictionary& dictionary, std::vector<bool> are_labels) {
    maybe_dictionary_ = &dictionary;
    are_labels_ = std::move(are_labels);
  }
  /// Sends rows to `sink` as lines of JSON, block by block, until it returns false. Call it before `take`.
  void write_lines_to(std::function<bool(std::string_view lines)> sink) { sink_ = std::move(sink); }
  /// Takes no more rows once the text of `json` is longer than `bytes`; then `is_too_long` is true. Call it before
  /// `take`.
  void set_most_text(std::size_t bytes) { most_text_ = bytes; }
  bool is_too_long() const { return text_.size() > most_text_; }
  /// Rows are counted and go nowhere. Before `take`.
  void only_count() { only_counts_ = true; }
  /// False when no more rows are wanted: the limit is reached, or the output is gone.
  bool take(const codegen::Rows& rows);

  /// Ends the file, which then appears. Errors: as OutputFile::commit.
  runtime::Status finish();

  std::uint64_t count() const { return count_; }
  bool limit_reached() const { return limit_ && count_ >= *limit_; }
  /// The rows as a JSON array.
  std::string json() const { return "[" + text_ + "]"; }

 private:
  void put();
  bool put_lines();

  OutputFile* file_;
  std::unique_ptr<RowEncoder> encoder_;
  std::optional<std::uint64_t> limit_;
  const runtime::Universe& universe_;
  const runtime::LabelDictionary* maybe_dictionary_ = nullptr;
  std::vector<bool> are_labels_;
  std::uint64_t count_ = 0;
  bool only_counts_ = false;
  std::function<bool(std::string_view)> sink_;
  std::size_t most_text_ = std::numeric_limits<std::size_t>::max();
  std::string text_;  ///< JSON, or text that is not yet in the file.
};

}  // namespace matcha::session
