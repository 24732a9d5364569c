#pragma once

#include <cstddef>
#include <string_view>

namespace matcha::test {

/// Number of times that `part` is in `text`, without overlaps. Requires: `part` is not empty.
inline int occurrences(std::string_view text, std::string_view part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

}  // namespace matcha::test
