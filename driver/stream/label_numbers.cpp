#include "driver/stream/label_numbers.h"

#include <algorithm>
#include <string_view>

namespace matcha::driver::stream {

void LabelNumbers::add(const std::vector<std::string>& labels) {
  labels_.insert(labels_.end(), labels.begin(), labels.end());
  std::ranges::sort(labels_);
  labels_.erase(std::unique(labels_.begin(), labels_.end()), labels_.end());
}

std::uint32_t LabelNumbers::number(const std::string& label) const {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(labels_, label) - labels_.begin()) + 1;
}

std::vector<std::optional<std::int64_t>> LabelNumbers::codes(const runtime::LabelDictionary& dictionary) const {
  std::vector<std::optional<std::int64_t>> codes;
  for (const std::string& label : labels_) {
    if (label.front() == '\'') {
      codes.push_back(dictionary.code(std::string_view(label).substr(1, label.size() - 2)));
    } else {
      codes.push_back(std::stoll(label));
    }
  }
  return codes;
}

}  // namespace matcha::driver::stream
