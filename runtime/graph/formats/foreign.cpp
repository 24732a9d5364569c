#include "runtime/graph/formats/foreign.h"

#include <algorithm>

#include "runtime/graph/detail/tokens.h"
#include "runtime/graph/formats/readers.h"
#include "runtime/graph/formats/text_reader.h"

namespace matcha::runtime::detail {

namespace {

constexpr std::string_view kDuckDb = "`--graph-sql \"from 'FILE' select src, dst\"` reads it with DuckDB";
constexpr std::string_view kUnpack =
    "text and .mtg can be read, plain or packed as gz, zst, bz2, xz, zip or tar; unpack or convert it";
constexpr std::string_view kNetworkX = "write it as GraphML or edges, with NetworkX for example";

struct Magic {
  std::string_view bytes;
  ForeignFormat format;
};

constexpr Magic kMagics[] = {
    {{"\x04\x22\x4D\x18", 4}, {"lz4 data", kUnpack}},
    {{"\x89HDF", 4}, {"an HDF5 file", "write its edges as a table, with h5py or scipy for example"}},
    {{"\x7F"
      "ELF",
      4},
     {"a program", kUnpack}},
    {{"PAR1", 4}, {"a Parquet file", kDuckDb}},
    {{"%PDF", 4}, {"a PDF file", kUnpack}},
    {{"ARROW1", 6}, {"an Arrow file", kDuckDb}},
    {{"SQLite format 3", 15}, {"a SQLite database", kDuckDb}},
    {{"\x93NUMPY", 6}, {"a NumPy file", "`numpy.savetxt` writes it as text"}},
    {"version https://git-lfs.github.com/", {"a pointer of Git LFS", "fetch it: git lfs pull"}},
    {"AdjacencyGraph", {"an adjacency graph of Ligra", "write it as edges `u v`"}},
    {"WeightedAdjacencyGraph", {"an adjacency graph of Ligra", "write it as edges `u v`"}},
    {"LEDA.GRAPH", {"a LEDA graph", kNetworkX}},
};

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view after_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text;
}

/// The first word, in lower case.
std::string word_of(std::string_view text) { return lower_case(text.substr(0, text.find_first_of(" \t\r\n{[\"'<>"))); }

/// Skips leading C comments.
std::string_view after_comments(std::string_view text) {
  while (true) {
    text = after_blanks(text);
    const bool block = text.starts_with("/*"), line = text.starts_with("//") || text.starts_with('#');
    if (!block && !line) return text;
    const std::size_t end = text.find(block ? "*/" : "\n");
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + (block ? 2 : 1));
  }
}

/// `graph {`, `strict digraph "name" {`.
bool is_dot(std::string_view head) {
  head = after_comments(head);
  std::string word = word_of(head);
  if (word == "strict") {
    head = after_blanks(head.substr(word.size()));
    word = word_of(head);
  }
  if (word != "graph" && word != "digraph") return false;
  head = after_blanks(head.substr(word.size()));
  if (head.starts_with('"')) {
    head.remove_prefix(std::min(head.find('"', 1), head.size() - 1) + 1);
  } else {
    head.remove_prefix(std::min(head.find_first_of(" \t\r\n{"), head.size()));
  }
  return after_blanks(head).starts_with('{');
}

bool is_json(std::string_view head) {
  head = after_blanks(head);
  if (!head.starts_with('{') && !head.starts_with('[')) return false;
  const bool is_list = head.starts_with('[');
  const std::string_view inside = after_blanks(head.substr(1));
  if (inside.empty()) return false;
  constexpr std::string_view kOfList = "{[\"]", kOfObject = "\"}";
  return (is_list ? kOfList : kOfObject).find(inside.front()) != std::string_view::npos;
}

/// A Turtle document begins with the declaration of a prefix; so do SPARQL queries.
bool is_turtle(std::string_view head) {
  const std::string word = word_of(after_comments(head));
  return word == "@prefix" || word == "@base" ||
         (word == "prefix" && first_text_line(after_comments(head)).find('<') != std::string_view::npos);
}

std::optional<ForeignFormat> markup(std::string_view head) {
  head = after_blanks(head);
  if (!head.starts_with('<')) return std::nullopt;
  const std::string text = lower_case(head);
  const bool is_declared = text.starts_with("<?xml") || text.starts_with("<!doctype") || text.starts_with("<!--");
  const auto has = [&](std::string_view tag) {
    const std::size_t at = text.find(tag);
    return at == 0 || (is_declared && at != std::string::npos);
  };
  if (has("<html") || text.starts_with("<!doctype html")) {
    return ForeignFormat{"an HTML page", "a download may have failed; fetch the file itself"};
  }
  if (has("<gexf")) return ForeignFormat{"a GEXF file", "write it as GraphML, with NetworkX or Gephi for example"};
  if (has("<rdf:rdf")) return ForeignFormat{"RDF/XML", "write it as N-Triples: rapper -i rdfxml -o ntriples FILE"};
  if (has("<graphml") || text.find(":graphml") != std::string::npos) return std::nullopt;
  if (!is_declared) return std::nullopt;
  return ForeignFormat{"XML that is not GraphML", "of XML, GraphML is read; write it as that, or as edges"};
}

}  // namespace

std::optional<ForeignFormat> foreign_format(std::string_view head) {
  for (const Magic& magic : kMagics) {
    if (head.starts_with(magic.bytes)) return magic.format;
  }
  if (std::optional<ForeignFormat> found = markup(head)) return found;
  if (is_dot(head)) {
    return ForeignFormat{"a graph in DOT", "write it as GraphML: `networkx.nx_pydot.read_dot`, then `write_graphml`"};
  }
  if (is_json(head)) {
    return ForeignFormat{"JSON", "write its edges as a table: jq -r '.links[] | \"\\(.source) \\(.target)\"'"};
  }
  if (is_turtle(head)) {
    return ForeignFormat{"a Turtle document", "write it as N-Triples: rapper -i turtle -o ntriples FILE"};
  }
  const std::string first = lower_case(first_text_line(head));
  if (first.starts_with("dl n=") || first.starts_with("dl n =")) return ForeignFormat{"a UCINET DL file", kNetworkX};
  // The fourth line of a MOL file ends with the version of the format.
  constexpr std::size_t kMolHead = 512;
  const std::string_view top = head.substr(0, kMolHead);
  if (top.find(" V2000") != std::string_view::npos || top.find(" V3000") != std::string_view::npos) {
    return ForeignFormat{"molecules in MOL or SDF", "RDKit reads it; write its bonds as edges and its atoms as labels"};
  }
  return std::nullopt;
}

}  // namespace matcha::runtime::detail
