#include "tools/beside.h"

#include <algorithm>
#include <vector>

#include "tools/help.h"

namespace matcha::tools {

namespace {

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The line in exactly `width` characters.
std::string padded(std::string_view line, std::size_t width) {
  const bool is_long = byte_of(line, width) < line.size();
  std::string text(is_long ? line.substr(0, byte_of(line, width - 1)) : line);
  if (is_long) return text + "…";
  while (byte_of(text, width - 1) == text.size()) text += ' ';
  return text;
}

/// `most[i][j]`: the most lines that the texts from line i and line j on have in common, in order.
std::vector<std::vector<std::size_t>> common_lines(const Lines& left, const Lines& right) {
  std::vector<std::vector<std::size_t>> most(left.size() + 1, std::vector<std::size_t>(right.size() + 1));
  for (std::size_t i = left.size(); i-- > 0;) {
    for (std::size_t j = right.size(); j-- > 0;) {
      most[i][j] = left[i] == right[j] ? most[i + 1][j + 1] + 1 : std::max(most[i + 1][j], most[i][j + 1]);
    }
  }
  return most;
}

}  // namespace

std::string beside(std::string_view left_text, std::string_view right_text, std::size_t width) {
  const Lines left = lines_of(left_text), right = lines_of(right_text);
  const auto most = common_lines(left, right);
  std::string out;
  const auto add = [&](std::string_view one, char sign, std::string_view other) {
    out += padded(one, width) + ' ' + sign + ' ' + std::string(other);
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  };
  std::size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    if (i < left.size() && j < right.size() && left[i] == right[j]) {
      add(left[i++], ' ', right[j++]);
      continue;
    }
    // The lines up to the next common one: in pairs, then the rest of the longer side.
    std::size_t end = i, other_end = j;
    while (end < left.size() || other_end < right.size()) {
      if (end < left.size() && other_end < right.size() && left[end] == right[other_end]) break;
      const bool takes_left =
          other_end == right.size() || (end < left.size() && most[end + 1][other_end] >= most[end][other_end + 1]);
      ++(takes_left ? end : other_end);
    }
    while (i < end && j < other_end) add(left[i++], '|', right[j++]);
    while (i < end) add(left[i++], '<', "");
    while (j < other_end) add("", '>', right[j++]);
  }
  return out;
}

}  // namespace matcha::tools
