#include <algorithm>
#include <string>

#include "runtime/graph/detail/tokens.h"
#include "runtime/graph/formats/readers.h"
#include "runtime/graph/formats/text_reader.h"

/// Pajek networks: `*Vertices n`, lines `i "name"`, then `*Arcs`, `*Edges`, `*Arcslist` or `*Edgeslist`.
namespace matcha::runtime::detail {

namespace {

enum class Section { None, Skipped, Vertices, Arcs, Edges, ArcLists, EdgeLists };

class PajekReader {
 public:
  PajekReader(LineSource& source, GraphSink& sink) : source_(source), path_(source.path()), sink_(sink) {}

  Status read() {
    while (true) {
      std::optional<std::string_view> text = MATCHA_TRY(source_.next_line());
      if (!text.has_value()) break;
      line_ = source_.lines_taken();
      WordReader words(*text);
      if (words.is_over() || (*text)[(*text).find_first_not_of(" \t\r")] == '%') continue;
      WordReader rest = words;
      const std::string_view first = rest.take();
      MATCHA_TRY(first.starts_with('*') ? begin_section(first, rest) : read_line(words));
    }
    if (vertices_ < 0) return input_error(path_, line_, "the file has no line `*Vertices n`");
    return Done{};
  }

 private:
  Status begin_section(std::string_view word, WordReader& words) {
    const std::string name = lower_case(word.substr(1));
    if (name == "network") {
      section_ = Section::Skipped;
      return Done{};
    }
    if (name == "vertices") {
      section_ = Section::Vertices;
      if (vertices_ >= 0) {
        return input_error(path_, line_, "a second line `*Vertices`", "write each network into a file of its own");
      }
      const std::string_view count = words.take();
      if (!parse_number(count, vertices_) || vertices_ < 0) {
        return input_error(path_, line_, "expected `*Vertices n`, found " + quote(count));
      }
      return sink_.declare(IdRange{1, static_cast<std::uint64_t>(vertices_)}, line_);
    }
    if (vertices_ < 0) return input_error(path_, line_, "expected `*Vertices n`, found " + quote(word));
    if (name == "arcs") {
      section_ = Section::Arcs;
    } else if (name == "edges") {
      section_ = Section::Edges;
    } else if (name == "arcslist") {
      section_ = Section::ArcLists;
    } else if (name == "edgeslist") {
      section_ = Section::EdgeLists;
    } else {
      return input_error(path_, line_, "sections " + quote(word) + " are not read",
                         "`*Vertices`, `*Arcs`, `*Edges`, `*Arcslist` and `*Edgeslist` are");
    }
    return Done{};
  }

  Status vertex_of(WordReader& words, std::int64_t& vertex) {
    const std::string_view word = words.take();
    if (parse_number(word, vertex)) return Done{};
    return input_error(path_, line_, "expected the number of a vertex, found " + quote(word));
  }

  Status read_line(WordReader& words) {
    switch (section_) {
      case Section::None: return input_error(path_, line_, "expected `*Vertices n`");
      case Section::Skipped: return Done{};
      case Section::Vertices: return read_vertex(words);
      case Section::Arcs: return read_edge(words, EdgeKind::Arc);
      case Section::Edges: return read_edge(words, EdgeKind::Undirected);
      case Section::ArcLists: return read_list(words, EdgeKind::Arc);
      case Section::EdgeLists: return read_list(words, EdgeKind::Undirected);
    }
    return Done{};
  }

  Status read_vertex(WordReader& words) {
    std::int64_t vertex = 0;
    MATCHA_TRY(vertex_of(words, vertex));
    if (vertex < 1 || vertex > vertices_) {
      return input_error(path_, line_,
                         "vertex `" + std::to_string(vertex) + "` is outside 1…" + std::to_string(vertices_));
    }
    const std::string_view name = words.take();
    return sink_.vertex(vertex, name.empty() ? std::nullopt : std::optional(name), line_);
  }

  Status read_edge(WordReader& words, EdgeKind kind) {
    std::int64_t source = 0, target = 0;
    MATCHA_TRY(vertex_of(words, source));
    MATCHA_TRY(vertex_of(words, target));
    const std::string_view value = words.take();
    return sink_.edge(source, target, value.empty() ? std::nullopt : std::optional(value), kind, line_);
  }

  Status read_list(WordReader& words, EdgeKind kind) {
    std::int64_t source = 0, target = 0;
    Status read = vertex_of(words, source);
    while (read && !words.is_over()) {
      read = vertex_of(words, target);
      if (read) read = sink_.edge(source, target, std::nullopt, kind, line_);
    }
    return read;
  }

  LineSource& source_;
  const std::string& path_;
  GraphSink& sink_;
  Section section_ = Section::None;
  std::int64_t vertices_ = -1;  ///< From `*Vertices n`; negative before that line.
  std::uint64_t line_ = 0;
};

}  // namespace

bool looks_like_pajek(std::string_view head) {
  while (true) {
    const std::string_view line = first_text_line(head);
    if (line.starts_with('%')) {
      head.remove_prefix(static_cast<std::size_t>(line.data() + line.size() - head.data()));
      continue;
    }
    const std::string word = lower_case(line.substr(0, line.find_first_of(" \t")));
    return word == "*vertices" || word == "*network";
  }
}

Status read_pajek(LineSource& source, GraphSink& sink) { return PajekReader(source, sink).read(); }

}  // namespace matcha::runtime::detail
