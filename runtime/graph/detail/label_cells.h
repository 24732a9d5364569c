#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/graph/detail/source.h"
#include "runtime/graph/detail/tokens.h"

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
  LabelCells cells;
  std::vector<std::uint64_t> lines;  ///< Of each label, for messages.
};

/// Reads a labels file. Errors: Input.
Result<RawLabels> read_labels(const std::string& path, const IoOptions& options, Budget& budget);

}  // namespace matcha::runtime::detail
