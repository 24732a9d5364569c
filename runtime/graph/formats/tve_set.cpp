#include <algorithm>
#include <string>

#include "runtime/graph/formats/readers.h"
#include "runtime/graph/formats/text_reader.h"

/// Sets of graphs as gSpan has them: `t # 0`, `v id label`, `e u v [label]`, `t # 1`, …, and `t # -1` at the end.
namespace matcha::runtime::detail {

namespace {

/// Removes `t #` or `# t` from the front; false if it is missing.
bool take_header(WordReader& words) {
  WordReader ahead = words;
  const std::string_view first = ahead.take();
  if (first == "t") {
    words = ahead;
    if (ahead.take() == "#") words = ahead;
    return true;
  }
  if (first != "#" || ahead.take() != "t") return false;
  words = ahead;
  return true;
}

bool is_end(WordReader words) { return words.take() == "-1"; }

Status bad_line(const std::string& path, std::uint64_t line, std::string_view word, const char* what) {
  return input_error(path, line, std::string("expected ") + what + ", found " + quote(word),
                     "a graph of a set has lines `v id label` and `e u v [label]`");
}

}  // namespace

bool looks_like_tve_set(std::string_view head) {
  std::uint64_t headers = 0;
  for (std::size_t at = 0; at < head.size() && headers < 2;) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    const char first = head[at];
    const bool may_be = first == 't' || first == '#';
    WordReader words(may_be || headers == 0 ? head.substr(at, end - at) : std::string_view());
    at = end + 1;
    if (words.is_over()) continue;
    if (take_header(words)) {
      headers += is_end(words) ? 0 : 1;
    } else if (headers == 0 && first != '#' && first != '%') {
      return false;
    }
  }
  return headers == 2;
}

Status read_tve_set(LineSource& source, GraphSink& sink) {
  const std::string& path = source.path();
  sink.expect_listed();
  bool is_over = false, has_graph = false;
  while (true) {
    std::optional<std::string_view> text = MATCHA_TRY(source.next_line());
    if (!text.has_value()) break;
    const std::uint64_t line = source.lines_taken();
    WordReader words(*text);
    if (words.is_over()) continue;
    if (take_header(words)) {
      is_over = is_end(words);
      if (!is_over) sink.begin_graph();
      has_graph = true;
      continue;
    }
    const std::string_view tag = words.take();
    if (tag.starts_with('#') || tag.starts_with('%') || tag.starts_with("//")) continue;
    if (is_over || !has_graph) return bad_line(path, line, tag, "a line `t # N`");
    if (tag != "v" && tag != "e") return bad_line(path, line, tag, "a line that begins with `t`, `v` or `e`");
    std::int64_t ends[2] = {0, 0};
    for (int at = 0; at < (tag == "v" ? 1 : 2); ++at) {
      const std::string_view word = words.take();
      if (!parse_number(word, ends[at])) return bad_line(path, line, word, "a vertex id");
    }
    const std::string_view word = words.take();
    const std::optional<std::string_view> label = word.empty() ? std::nullopt : std::optional(word);
    MATCHA_TRY(tag == "v" ? sink.vertex(ends[0], label, line)
                          : sink.edge(ends[0], ends[1], label, EdgeKind::Unstated, line));
  }
  return Done{};
}

}  // namespace matcha::runtime::detail
