#include "runtime/graph/labels.h"

#include <algorithm>

namespace matcha::runtime {

bool has_control_bytes(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

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
  if (code == kNoLabel) return {};
  if (const std::int64_t label = label_of(code); label != code) return name(label);
  return std::to_string(code);
}

std::int64_t LabelDictionary::label_of(std::int64_t code) const {
  const auto found = std::ranges::lower_bound(copies_, code, {}, &LabelCopy::code);
  return found != copies_.end() && found->code == code ? found->of : code;
}

LabelNumbers::LabelNumbers(const std::int64_t* codes, std::uint64_t count) {
  constexpr std::uint32_t kUnseen = ~std::uint32_t{0};
  constexpr std::uint64_t kLongestTable = std::uint64_t{1} << 20;
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = kNoLabel;
  for (std::uint64_t at = 0; at < count; ++at) {
    least = std::min(least, codes[at] == kNoLabel ? least : codes[at]);
    most = std::max(most, codes[at]);
  }
  if (most == kNoLabel) return;
  first_ = static_cast<std::uint64_t>(least);
  const std::uint64_t length = static_cast<std::uint64_t>(most) - first_;
  if (length >= kLongestTable) {
    codes_.assign(codes, codes + count);
    std::sort(codes_.begin(), codes_.end());
    codes_.erase(std::unique(codes_.begin(), codes_.end()), codes_.end());
    if (codes_.front() == kNoLabel) codes_.erase(codes_.begin());
    return;
  }
  table_.assign(length + 1, kUnseen);
  for (std::uint64_t at = 0; at < count; ++at) {
    if (codes[at] != kNoLabel) table_[static_cast<std::uint64_t>(codes[at]) - first_] = 0;
  }
  for (std::uint64_t at = 0; at <= length; ++at) {
    if (table_[at] == kUnseen) continue;
    table_[at] = static_cast<std::uint32_t>(codes_.size());
    codes_.push_back(static_cast<std::int64_t>(first_ + at));
  }
}

std::uint32_t LabelNumbers::search(std::int64_t code) const {
  return static_cast<std::uint32_t>(std::lower_bound(codes_.begin(), codes_.end(), code) - codes_.begin());
}

}  // namespace matcha::runtime
