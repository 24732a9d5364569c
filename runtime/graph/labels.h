#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matcha::runtime {

/// The label of a vertex that has none; no label of a file or program has this code.
inline constexpr std::int64_t kNoLabel = std::numeric_limits<std::int64_t>::min();

/// The label words of one run, in ascending byte order: word i has code -1 - i. A label that is a decimal number is
/// its own code and not listed.
class LabelDictionary {
 public:
  LabelDictionary() = default;
  /// Sorts and drops repeats.
  explicit LabelDictionary(std::vector<std::string> words);

  const std::vector<std::string>& words() const { return words_; }
  bool empty() const { return words_.empty(); }
  std::optional<std::int64_t> code(std::string_view word) const;
  /// The word of a code, or the number in decimal.
  std::string name(std::int64_t code) const;

 private:
  std::vector<std::string> words_;
};

}  // namespace matcha::runtime
