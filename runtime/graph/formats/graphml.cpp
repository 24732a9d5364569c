#include <expat.h>

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "runtime/graph/detail/ntriples.h"
#include "runtime/graph/formats/readers.h"
#include "runtime/graph/formats/text_reader.h"

/// GraphML: nodes, edges, and their attributes that a `key` names. Nested graphs, hyperedges and ports are not
/// supported.
namespace matcha::runtime::detail {

namespace {

constexpr std::size_t kLongestXmlValue = std::size_t{1} << 20;

/// The name of an element without its namespace prefix.
std::string_view local_name(const char* name) {
  const char* const colon = std::strchr(name, ':');
  return colon != nullptr ? colon + 1 : name;
}

std::optional<std::string_view> attribute(const char** attributes, std::string_view name) {
  for (; *attributes != nullptr; attributes += 2) {
    if (name == *attributes) return attributes[1];
  }
  return std::nullopt;
}

/// The declaration of an attribute by a `key` element.
struct Key {
  std::string name;
  bool of_nodes = false;
  bool of_edges = false;
  std::optional<std::string> otherwise;  ///< The default value.
};

class GraphMlReader {
 public:
  GraphMlReader(LineSource& source, GraphSink& sink)
      : source_(source), path_(source.path()), sink_(sink), parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
    label_ = sink.request().label.empty() ? "label" : sink.request().label;
    for (const ColumnSpec& column : sink.request().columns) {
      if (column.index == 2 && !column.name.empty()) info_ = column.name;
    }
  }

  Status read() {
    if (parser_ == nullptr) return out_of_memory_error(path_);
    sink_.expect_listed();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &on_begin, &on_end);
    XML_SetCharacterDataHandler(parser_.get(), &on_text);
    // An expanded entity may be far longer than the file.
    XML_SetEntityDeclHandler(parser_.get(), [](void* self, const char*, int, const char*, int, const char*, const char*,
                                               const char*, const char*) {
      static_cast<GraphMlReader*>(self)->fail("declarations of entities are not read", "leave the DTD out");
    });
    source_.read_bytes();
    while (true) {
      LineChunk chunk = MATCHA_TRY(source_.next());
      const bool is_last = chunk.begin == chunk.end;
      const auto bytes = static_cast<int>(chunk.end - chunk.begin);
      const XML_Status parsed = XML_Parse(parser_.get(), chunk.begin, bytes, is_last ? 1 : 0);
      if (!status_) return status_;
      if (parsed != XML_STATUS_OK) {
        return input_error(path_, line(),
                           std::string("this is not XML: ") + XML_ErrorString(XML_GetErrorCode(parser_.get())),
                           "the file may be truncated");
      }
      if (is_last) break;
    }
    return has_graph_ ? Status(Done{}) : Status(input_error(path_, line(), "the file has no `graph`"));
  }

 private:
  enum class Inside { Nothing, Graph, Node, Edge };

  static void on_begin(void* self, const char* name, const char** attributes) {
    static_cast<GraphMlReader*>(self)->begin(local_name(name), attributes);
  }
  static void on_end(void* self, const char* name) { static_cast<GraphMlReader*>(self)->end(local_name(name)); }
  static void on_text(void* self, const char* text, int length) {
    static_cast<GraphMlReader*>(self)->add_text(std::string_view(text, static_cast<std::size_t>(length)));
  }

  std::uint64_t line() const { return XML_GetCurrentLineNumber(parser_.get()); }

  void fail(std::string message, std::string hint = "") {
    keep(input_error(path_, line(), std::move(message), std::move(hint)));
  }
  void keep(Status status) {
    if (status || !status_) return;
    status_ = std::move(status);
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  void begin(std::string_view name, const char** attributes) {
    if (!status_) return;
    ++depth_;
    if (depth_ == 1 && name != "graphml") return fail("the root is " + quote(name) + ", not `graphml`");
    if (name == "key") return begin_key(attributes);
    if (name == "default" || name == "data") {
      text_depth_ = depth_;
      text_.clear();
      data_key_ = name == "data" ? std::string(attribute(attributes, "key").value_or("")) : key_;
      return;
    }
    if (name == "graph") return begin_graph(attributes);
    if (name == "hyperedge") return fail("hyperedges are not read", "make each an edge, or a vertex of its own");
    if (name != "node" && name != "edge") return;
    if (inside_ != Inside::Graph) return fail(quote(name) + " stands in no `graph`");
    values_.clear();
    element_line_ = line();
    if (name == "node") {
      inside_ = Inside::Node;
      return take(attributes, "id", id_);
    }
    inside_ = Inside::Edge;
    const std::optional<std::string_view> directed = attribute(attributes, "directed");
    edge_kind_ = directed ? (*directed == "true" || *directed == "1" ? EdgeKind::Arc : EdgeKind::Undirected) : kind_;
    take(attributes, "source", id_);
    take(attributes, "target", target_);
  }

  void take(const char** attributes, std::string_view name, std::string& out) {
    const std::optional<std::string_view> value = attribute(attributes, name);
    if (!value) return fail("the element has no attribute " + quote(name));
    out = *value;
  }

  void begin_key(const char** attributes) {
    key_ = attribute(attributes, "id").value_or("");
    Key key;
    key.name = attribute(attributes, "attr.name").value_or(key_);
    const std::string_view of = attribute(attributes, "for").value_or("all");
    key.of_nodes = of == "node" || of == "all";
    key.of_edges = of == "edge" || of == "all";
    keys_[key_] = std::move(key);
  }

  void begin_graph(const char** attributes) {
    if (inside_ != Inside::Nothing)
      return fail("nested graphs are not read", "write each graph into a file of its own");
    has_graph_ = true;
    keep(sink_.begin_next_graph(line()));
    if (!status_) return;
    inside_ = Inside::Graph;
    const std::string_view edges = attribute(attributes, "edgedefault").value_or("undirected");
    if (edges != "directed" && edges != "undirected") {
      return fail("`edgedefault` is `directed` or `undirected`, not " + quote(edges), "");
    }
    kind_ = edges == "directed" ? EdgeKind::Arc : EdgeKind::Undirected;
    const auto named = [this](const std::string& name, bool nodes) {
      for (const auto& [id, key] : keys_) {
        if (key.name == name && (nodes ? key.of_nodes : key.of_edges)) return true;
      }
      return false;
    };
    const std::string& label = sink_.request().label;
    if (!label.empty() && !named(label, true)) fail("no `key` for nodes is called " + quote(label), names(true));
    if (sink_.wants_info() && !named(info_, false)) {
      Error error = input_error(path_, line(), "no `key` for edges is called " + quote(info_),
                                "`--edge-label` names another; " + names(false));
      error.lacks_edge_info = true;
      keep(std::move(error));
    }
  }

  std::string names(bool nodes) const {
    std::string all;
    for (const auto& [id, key] : keys_) {
      if (nodes ? key.of_nodes : key.of_edges) all += (all.empty() ? "" : ", ") + quote(key.name);
    }
    return all.empty() ? "there are no keys for them" : "there are " + all;
  }

  void add_text(std::string_view text) {
    if (!status_ || text_depth_ == 0) return;
    text_ += text;
    if (text_.size() > kLongestXmlValue) fail("the text of an attribute is longer than 1 MiB");
  }

  void end(std::string_view name) {
    if (!status_) return;
    if (text_depth_ == depth_) {
      text_depth_ = 0;
      const std::size_t first = text_.find_first_not_of(" \t\r\n");
      text_ = first == std::string::npos ? "" : text_.substr(first, text_.find_last_not_of(" \t\r\n") - first + 1);
      if (name == "data") {
        values_[data_key_] = text_;
      } else if (const auto key = keys_.find(data_key_); key != keys_.end()) {
        key->second.otherwise = text_;
      }
    }
    --depth_;
    if (name == "node" && inside_ == Inside::Node) {
      keep(sink_.vertex(std::string_view(id_), value_of(label_, true), element_line_));
      inside_ = Inside::Graph;
    } else if (name == "edge" && inside_ == Inside::Edge) {
      end_edge();
      inside_ = Inside::Graph;
    } else if (name == "graph") {
      inside_ = Inside::Nothing;
    }
  }

  void end_edge() {
    const std::optional<std::string_view> info = sink_.wants_info() ? value_of(info_, false) : std::nullopt;
    if (sink_.wants_info() && !info) {
      return keep(input_error(path_, element_line_, "the edge has no " + quote(info_)));
    }
    keep(sink_.edge(std::string_view(id_), std::string_view(target_), info, edge_kind_, element_line_));
  }

  /// The value of the attribute named `name` of the current element.
  std::optional<std::string_view> value_of(const std::string& name, bool of_node) const {
    std::optional<std::string_view> otherwise;
    for (const auto& [id, key] : keys_) {
      if (key.name != name || !(of_node ? key.of_nodes : key.of_edges)) continue;
      const auto found = values_.find(id);
      if (found != values_.end()) return found->second;
      if (key.otherwise) otherwise = *key.otherwise;
    }
    return otherwise;
  }

  LineSource& source_;
  const std::string& path_;
  GraphSink& sink_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser_;
  Status status_ = Done{};
  std::string label_, info_ = "label";
  std::unordered_map<std::string, Key> keys_;
  std::unordered_map<std::string, std::string> values_;  ///< Values of the current node or edge, by the id of the key.
  std::string key_, data_key_, text_, id_, target_;
  std::uint64_t depth_ = 0;
  std::uint64_t text_depth_ = 0;  ///< Depth of the `data` or `default` element whose text is read; 0: none.
  std::uint64_t element_line_ = 0;
  Inside inside_ = Inside::Nothing;
  bool has_graph_ = false;
  EdgeKind kind_ = EdgeKind::Undirected;       ///< `edgedefault`.
  EdgeKind edge_kind_ = EdgeKind::Undirected;  ///< The kind of the current edge.
};

}  // namespace

bool looks_like_graphml(std::string_view head) {
  const std::string_view first = first_text_line(head);
  if (first.starts_with("<graphml") && first.find_first_of(" \t>") == std::strlen("<graphml")) return true;
  if (!first.starts_with("<?xml") && !first.starts_with("<!") && looks_like_triple(first)) return false;
  // The name may have a namespace prefix.
  return first.starts_with('<') &&
         (head.find("<graphml") != std::string_view::npos || head.find(":graphml") != std::string_view::npos);
}

Status read_graphml(LineSource& source, GraphSink& sink) { return GraphMlReader(source, sink).read(); }

}  // namespace matcha::runtime::detail
