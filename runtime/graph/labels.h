#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matcha::runtime {

/// The label of a vertex or an edge that has none; no label of a file or program has this code.
inline constexpr std::int64_t kNoLabel = std::numeric_limits<std::int64_t>::min();

/// True for a cell that may be meant as a number: `1.5`, `-3`, `1e6`.
bool is_number_like(std::string_view cell);
/// True if the text has a control character of ASCII, which no id and no label may have.
bool has_control_bytes(std::string_view text);

/// A code for the label of the second or a later one of several edges with the same ends and label.
struct LabelCopy {
  std::int64_t code = 0;
  std::int64_t of = 0;  ///< The code of the label.
};

/// The label words of one run, in ascending byte order: word i has code -1 - i. A decimal number is its own code and
/// not listed.
class LabelDictionary {
 public:
  LabelDictionary() = default;
  /// Sorts the words and drops repeats.
  explicit LabelDictionary(std::vector<std::string> words);

  const std::vector<std::string>& words() const { return words_; }
  bool empty() const { return words_.empty(); }
  std::optional<std::int64_t> code(std::string_view word) const;
  /// The word of a code or of the label of a copy, or the number in decimal; empty for kNoLabel.
  std::string name(std::int64_t code) const;

  /// Ascending by code. Empty: no edge is repeated, or repeats were dropped.
  const std::vector<LabelCopy>& copies() const { return copies_; }
  void set_copies(std::vector<LabelCopy> copies) { copies_ = std::move(copies); }
  /// The label that the code is a copy of, or the code itself.
  std::int64_t label_of(std::int64_t code) const;

 private:
  std::vector<std::string> words_;
  std::vector<LabelCopy> copies_;
};

/// The distinct codes of a column, numbered from 0 in ascending order, without kNoLabel.
class LabelNumbers {
 public:
  LabelNumbers(const std::int64_t* codes, std::uint64_t count);

  const std::vector<std::int64_t>& codes() const { return codes_; }
  /// The place of a code in `codes`. Requires: it is one of them.
  std::uint32_t number(std::int64_t code) const {
    return table_.empty() ? search(code) : table_[static_cast<std::uint64_t>(code) - first_];
  }

 private:
  std::uint32_t search(std::int64_t code) const;

  std::vector<std::int64_t> codes_;
  std::uint64_t first_ = 0;           ///< The code of the first item of the table.
  std::vector<std::uint32_t> table_;  ///< Empty if the codes are sparse.
};

}  // namespace matcha::runtime
