#include "runtime/graph/formats/text_reader.h"

#include <charconv>

namespace matcha::runtime::detail {

bool parse_number(std::string_view word, std::int64_t& out) {
  const std::from_chars_result read = std::from_chars(word.data(), word.data() + word.size(), out);
  return !word.empty() && read.ec == std::errc() && read.ptr == word.data() + word.size();
}

std::uint64_t hash_pair(std::int64_t a, std::int64_t b) {
  // The finalizer of splitmix64, applied to both.
  std::uint64_t x = static_cast<std::uint64_t>(a) * 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(b);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

std::string half_note(std::uint64_t declared, std::uint64_t edges) {
  return "the header declares " + std::to_string(declared) + " edges, the file has half as many, " +
         std::to_string(edges);
}

std::string_view first_text_line(std::string_view head) {
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  std::string_view line = head.substr(begin, head.find('\n', begin) - begin);
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

}  // namespace matcha::runtime::detail
