#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/graph/detail/name_table.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/detail/tokens.h"
#include "runtime/graph/id_names.h"

namespace matcha::runtime::detail {

/// Labels as read: a number, or a word of `words`.
struct LabelCells {
  std::vector<std::int64_t> values;  ///< The number, or the position of the word.
  std::vector<bool> is_word;         ///< Empty while there are no words.
  std::vector<std::string> words;

  std::uint64_t size() const { return values.size(); }
  std::uint64_t bytes() const;
};

/// Fills LabelCells from tokens.
class LabelReader {
 public:
  explicit LabelReader(LabelCells& cells) : cells_(cells) {}
  /// Reads the token at `p` and moves past it. Errors: a number beyond int64, or bytes that are not text.
  std::optional<LineError> read(const char*& p);
  /// The same for a whole cell, which may contain blanks.
  std::optional<LineError> read(std::string_view cell);
  /// Adds a vertex without a label.
  void skip();

 private:
  LabelCells& cells_;
  std::unordered_map<std::string, std::int64_t> positions_;
};

/// Appends the cells of a chunk. `positions`: the position of each word in `to`.
void append_labels(LabelCells& to, LabelCells&& from, std::unordered_map<std::string, std::int64_t>& positions);

/// Labels of a file, before their words have codes.
struct RawLabels {
  std::string path;
  bool by_order = false;          ///< One label a line, in the order of the ids.
  std::vector<std::int64_t> ids;  ///< Aligned with `cells` unless by_order.
  NameTable names;                ///< Names of ids that are text: `ids` are indices into it.
  LabelCells cells;
  std::vector<std::uint64_t> lines;  ///< The line of each label, for messages.

  /// True if some of its vertices have no label.
  bool lacks_some() const;
};

/// Checks the cells of the first lines of a labels file, whose columns are an id and a label. `kind`: the kind of the
/// ids as far as known. Errors: Input where the two columns are swapped.
Status check_label_columns(const LineSource& source, const std::vector<std::vector<std::string>>& lines, IdKind kind);

/// Reads a labels file with lines `label` or `id label`, without quotes and heading, with int64 ids. Empty: the file is
/// a table instead. Errors: Input.
Result<std::optional<RawLabels>> read_plain_labels(LineSource& source, const IoOptions& options, Budget& budget);

}  // namespace matcha::runtime::detail
