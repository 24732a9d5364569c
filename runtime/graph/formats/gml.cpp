#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <string>

#include "runtime/graph/formats/readers.h"
#include "runtime/graph/formats/text_reader.h"

/// GML: `graph [ directed 0 node [ id 1 label "a" ] edge [ source 1 target 2 label "x" ] ]`.
namespace matcha::runtime::detail {

namespace {

constexpr std::size_t kLongestGmlValue = std::size_t{1} << 20;

/// The attributes of a node or an edge that are not lists.
using Attributes = std::map<std::string, std::string, std::less<>>;

std::optional<std::string_view> value_of(const Attributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

/// Replaces `&amp;`, `&#38;` and the like by their characters; other entities stay.
void resolve_entities(std::string& text) {
  constexpr std::pair<std::string_view, char> kNames[] = {
      {"&amp;", '&'}, {"&quot;", '"'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&apos;", '\''}};
  for (std::size_t at = text.find('&'); at != std::string::npos; at = text.find('&', at + 1)) {
    const auto* const named = std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& one) {
      return text.compare(at, one.first.size(), one.first) == 0;
    });
    if (named != std::end(kNames)) {
      text.replace(at, named->first.size(), 1, named->second);
      continue;
    }
    unsigned code = 0;
    const char* const digits = text.data() + at + 2;
    const char* const end = text.data() + text.size();
    if (text.compare(at, 2, "&#") != 0) continue;
    const std::from_chars_result read = std::from_chars(digits, end, code);
    if (read.ec != std::errc() || read.ptr == end || *read.ptr != ';' || code == 0 || code >= 0x110000) continue;
    std::string bytes;
    if (code < 0x80) {
      bytes += static_cast<char>(code);
    } else if (code < 0x800) {
      bytes += {static_cast<char>(0xC0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3F))};
    } else if (code < 0x10000) {
      bytes += {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
                static_cast<char>(0x80 | (code & 0x3F))};
    } else {
      bytes += {static_cast<char>(0xF0 | (code >> 18)), static_cast<char>(0x80 | ((code >> 12) & 0x3F)),
                static_cast<char>(0x80 | ((code >> 6) & 0x3F)), static_cast<char>(0x80 | (code & 0x3F))};
    }
    text.replace(at, static_cast<std::size_t>(read.ptr + 1 - (text.data() + at)), bytes);
  }
}

class GmlReader {
 public:
  GmlReader(LineSource& source, GraphSink& sink) : path_(source.path()), text_(source), sink_(sink) {
    label_ = sink.request().label.empty() ? "label" : sink.request().label;
    for (const ColumnSpec& column : sink.request().columns) {
      if (column.index == 2 && !column.name.empty()) info_ = column.name;
    }
  }

  Status read() {
    sink_.expect_listed();
    bool has_graph = false;
    while (true) {
      Status done = next_key();
      if (!done || key_.empty()) return done || !text_.status() ? finish(done, has_graph) : done;
      if (key_ == "]") return error("there is a `]` too much");
      const bool is_graph = key_ == "graph";
      done = next_value();
      if (!done) return done;
      if (is_graph && !is_list_) return error("expected `graph [`");
      has_graph = has_graph || is_graph;
      if (is_graph) {
        has_edges_ = false;
        kind_ = EdgeKind::Undirected;
        done = sink_.begin_next_graph(text_.line());
        if (!done) return done;
      }
      done = !is_list_ ? Status(Done{}) : (is_graph ? read_graph() : skip_list());
      if (!done) return done;
    }
  }

 private:
  Status finish(const Status& done, bool has_graph) {
    if (!text_.status()) return text_.status();
    if (!done) return done;
    return has_graph ? Status(Done{}) : error("the file has no `graph [`");
  }

  Error error(std::string message, std::string hint = "") {
    if (!text_.status()) return text_.status().error();
    return input_error(path_, text_.line(), std::move(message), std::move(hint));
  }

  void skip_blanks() {
    while (true) {
      const int next = text_.peek();
      if (next == '#') {
        while (text_.peek() != TextReader::kEnd && text_.take() != '\n') {
        }
      } else if (next == ' ' || next == '\t' || next == '\r' || next == '\n') {
        text_.take();
      } else {
        return;
      }
    }
  }

  /// Reads a key, or `]`; empty at the end.
  Status next_key() {
    skip_blanks();
    key_.clear();
    if (text_.peek() == ']') {
      key_ = static_cast<char>(text_.take());
      return Done{};
    }
    if (text_.peek() == TextReader::kEnd) return Done{};
    while (text_.peek() > ' ' && text_.peek() != '[' && text_.peek() != ']' && text_.peek() != '"') {
      key_ += static_cast<char>(text_.take());
      if (key_.size() > kLongestGmlValue) return error("a word is longer than 1 MiB");
    }
    const char first = key_.empty() ? '\0' : key_[0];
    const bool is_key = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_';
    if (is_key) return Done{};
    return error(
        "expected a key, found " + quote(key_.empty() ? std::string(1, static_cast<char>(text_.peek())) : key_),
        "GML is a list of keys with values; text stands in quotes");
  }

  /// Reads the value of a key: a number, text, or the `[` of a list.
  Status next_value() {
    skip_blanks();
    value_.clear();
    is_list_ = text_.peek() == '[';
    if (is_list_) {
      text_.take();
      return Done{};
    }
    if (text_.peek() == '"') {
      const std::uint64_t line = text_.line();
      text_.take();
      while (text_.peek() != '"') {
        if (text_.peek() == TextReader::kEnd || value_.size() > kLongestGmlValue) {
          if (!text_.status()) return text_.status();
          return input_error(path_, line, "the text of `" + key_ + "` does not end");
        }
        value_ += static_cast<char>(text_.take());
      }
      text_.take();
      resolve_entities(value_);
      return Done{};
    }
    while (text_.peek() > ' ' && text_.peek() != '[' && text_.peek() != ']') {
      value_ += static_cast<char>(text_.take());
      if (value_.size() > kLongestGmlValue) return error("a word is longer than 1 MiB");
    }
    return value_.empty() ? Status(error("`" + key_ + "` has no value")) : Status(Done{});
  }

  /// Skips to after the `]` of the current list.
  Status skip_list() {
    for (std::uint64_t depth = 1; depth != 0;) {
      MATCHA_TRY(next_key());
      if (key_.empty()) return error("a `]` is missing");
      if (key_ == "]") {
        --depth;
        continue;
      }
      MATCHA_TRY(next_value());
      depth += is_list_ ? 1 : 0;
    }
    return Done{};
  }

  /// Reads the attributes up to the `]`.
  Status read_attributes(Attributes& attributes) {
    while (true) {
      MATCHA_TRY(next_key());
      if (key_.empty()) return error("a `]` is missing");
      if (key_ == "]") return Done{};
      const std::string key = key_;
      MATCHA_TRY(next_value());
      if (is_list_) {
        MATCHA_TRY(skip_list());
      } else {
        attributes.emplace(key, value_);
      }
    }
  }

  Status read_graph() {
    while (true) {
      Status done = next_key();
      if (!done) return done;
      if (key_.empty()) return error("the `]` of `graph [` is missing");
      if (key_ == "]") return Done{};
      const std::string key = key_;
      const std::uint64_t line = text_.line();
      done = next_value();
      if (done && (key == "node" || key == "edge")) {
        if (!is_list_) return input_error(path_, line, "expected `" + key + " [`");
        done = key == "node" ? read_node(line) : read_edge(line);
      } else if (const std::string word = lower_case(key); done && word != key && (word == "node" || word == "edge")) {
        return input_error(path_, line, "expected `" + word + "`, found `" + key + "`", "keys are in small letters");
      } else if (done && is_list_) {
        done = skip_list();
      } else if (done && key == "directed") {
        if (has_edges_) return input_error(path_, line, "`directed` stands behind edges", "it belongs before them");
        if (value_ != "0" && value_ != "1")
          return input_error(path_, line, "`directed` is 0 or 1, not " + quote(value_));
        kind_ = value_ == "1" ? EdgeKind::Arc : EdgeKind::Undirected;
      }
      if (!done) return done;
    }
  }

  Status read_node(std::uint64_t line) {
    Attributes attributes;
    MATCHA_TRY(read_attributes(attributes));
    const std::optional<std::string_view> id = value_of(attributes, "id");
    if (!id) return input_error(path_, line, "the node has no `id`");
    return sink_.vertex(*id, value_of(attributes, label_), line);
  }

  Status read_edge(std::uint64_t line) {
    has_edges_ = true;
    Attributes attributes;
    MATCHA_TRY(read_attributes(attributes));
    const std::optional<std::string_view> source = value_of(attributes, "source");
    const std::optional<std::string_view> target = value_of(attributes, "target");
    if (!source || !target) return input_error(path_, line, "the edge has no `source` or no `target`");
    const std::optional<std::string_view> info = value_of(attributes, info_);
    if (!info && sink_.wants_info()) {
      return input_error(path_, line, "the edge has no `" + info_ + "`", "`--edge-label` names another attribute");
    }
    return sink_.edge(*source, *target, info, kind_, line);
  }

  const std::string& path_;
  TextReader text_;
  GraphSink& sink_;
  std::string label_, info_ = "label";
  std::string key_, value_;
  bool is_list_ = false;
  bool has_edges_ = false;
  EdgeKind kind_ = EdgeKind::Undirected;
};

}  // namespace

bool looks_like_gml(std::string_view head) {
  // Before `graph [` there may be comments and other keys with one value each, such as `Creator "x"`.
  while (true) {
    const std::string_view line = first_text_line(head);
    if (line.empty()) return false;
    head.remove_prefix(static_cast<std::size_t>(line.data() + line.size() - head.data()));
    const std::string_view word = line.substr(0, line.find_first_of(" \t["));
    if (word == "graph") {
      const std::size_t open = line.find_first_not_of(" \t", word.size());
      return (open != std::string_view::npos ? line.substr(open) : first_text_line(head)).starts_with('[');
    }
    const bool is_other = word == "Creator" || word == "Version" || word == "Comment" || word == "comment" ||
                          word == "creator" || word == "version";
    if (!line.starts_with('#') && !is_other) return false;
  }
}

Status read_gml(LineSource& source, GraphSink& sink) { return GmlReader(source, sink).read(); }

}  // namespace matcha::runtime::detail
