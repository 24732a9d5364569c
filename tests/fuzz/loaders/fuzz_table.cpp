#include <string>

#include "tests/fuzz/fuzzer.h"
#include "tests/fuzz/loaders/loader_input.h"

namespace {

using namespace matcha::runtime;

/// The ids of a graph are ordered, and each of them is found.
void check_names(const Graph& graph) {
  const IdNames* const names = graph.universe().names().get();
  for (std::uint64_t place = 0; names != nullptr && place < names->size(); ++place) {
    const std::string name = names->name(place);
    if (name.empty() || names->find(name) != place) std::abort();
  }
}

}  // namespace

/// A byte of options, a table of edges, a byte of value 1, a table of vertices.
MATCHA_FUZZER(load_table) {
  if (size == 0) return;
  const unsigned options = data[0];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = bytes.find('\x01');
  const fuzz::MemoryFile edges(bytes.substr(0, cut));
  const fuzz::MemoryFile vertices(cut == std::string_view::npos ? std::string_view() : bytes.substr(cut + 1));
  GraphSpec spec;
  spec.path = edges.path();
  spec.format = Format::EdgeList;
  spec.table.heading =
      static_cast<Heading>(options & 3U) > Heading::No ? Heading::Auto : static_cast<Heading>(options & 3U);
  spec.table.text_ids = (options & 4U) != 0;
  if ((options & 8U) != 0) spec.columns = {ColumnRef("src"), ColumnRef("dst")};
  if ((options & 16U) != 0) {
    spec.edge_info = true;
    spec.info = ColumnKind::Label;
    if (!spec.columns.empty()) spec.columns.emplace_back("kind");
  }
  if (cut != std::string_view::npos && (options & 32U) == 0) {
    spec.vertices_path = vertices.path();
    if ((options & 64U) != 0) spec.label_column = ColumnRef("label");
  } else if (cut != std::string_view::npos) {
    spec.labels_path = vertices.path();
  }
  std::string seen;
  for (const std::uint64_t chunk_bytes : {1ULL, 64ULL, 1ULL << 20}) {
    IoOptions io = fuzz::fuzz_options();
    io.chunk_bytes = chunk_bytes;
    Result<LoadedGraph> loaded = load_graph(spec, io);
    std::string now;
    if (loaded) {
      fuzz::check_graph(loaded->graph);
      check_names(loaded->graph);
      now = std::to_string(loaded->report.vertices) + " " + std::to_string(loaded->report.edges);
    } else {
      if (loaded.error().message.empty()) std::abort();
      now = loaded.error().kind == ErrorKind::Input ? loaded.error().render() : "";
    }
    // The result does not depend on the cuts between chunks.
    if (chunk_bytes != 1 && now != seen) {
      std::fprintf(stderr, "%s\n%s\n", seen.c_str(), now.c_str());
      std::abort();
    }
    seen = now;
  }
}
