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
  /// Reads the token at `p` and moves past it. Errors: a number that is no int64, or bytes that are no text.
  std::optional<LineError> read(const char*& p);
  /// The same for a whole cell, which may have blanks.
  std::optional<LineError> read(std::string_view cell);
  /// A vertex without a label.
  void skip();

 private:
  LabelCells& cells_;
  std::unordered_map<std::string, std::int64_t> positions_;
};

/// Puts the cells of chunks one after the other.
void append_labels(LabelCells& to, LabelCells&& from, std::unordered_map<std::string, std::int64_t>& positions);

/// Labels of a file, before their words have codes.
struct RawLabels {
  std::string path;
  bool by_order = false;          ///< One label a line, in the order of the ids.
  std::vector<std::int64_t> ids;  ///< Aligned with `cells` unless by_order.
  NameTable names;                ///< Of ids that are text: `ids` are their numbers here.
  LabelCells cells;
  std::vector<std::uint64_t> lines;  ///< Of each label, for messages.

  /// Whether some of its vertices have no label.
  bool lacks_some() const;
};

/// Checks the cells of the first lines of a labels file, whose columns are an id and a label. `kind`: of the ids, as
/// far as it is known. Errors: Input where these columns are turned round.
Status check_label_columns(const LineSource& source, const std::vector<std::vector<std::string>>& lines, IdKind kind);

/// Reads a labels file of lines `label` or `id label` without quotes and heading, with ids that are int64, if it looks
/// like one; none: it is a table. Errors: Input.
Result<std::optional<RawLabels>> read_plain_labels(LineSource& source, const IoOptions& options, Budget& budget);

}  // namespace matcha::runtime::detail
