#include "runtime/graph/labels.h"

#include <algorithm>

namespace matcha::runtime {

LabelDictionary::LabelDictionary(std::vector<std::string> words) : words_(std::move(words)) {
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
}

std::optional<std::int64_t> LabelDictionary::code(std::string_view word) const {
  const std::vector<std::string>::const_iterator found = std::lower_bound(words_.begin(), words_.end(), word);
  if (found == words_.end() || *found != word) return std::nullopt;
  return -1 - static_cast<std::int64_t>(found - words_.begin());
}

std::string LabelDictionary::name(std::int64_t code) const {
  const std::uint64_t position = static_cast<std::uint64_t>(-1 - code);
  if (code < 0 && position < words_.size()) return words_[position];
  return std::to_string(code);
}

}  // namespace matcha::runtime
