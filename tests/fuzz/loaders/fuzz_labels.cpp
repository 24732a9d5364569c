#include "tests/fuzz/fuzzer.h"
#include "tests/fuzz/loaders/loader_input.h"

/// A graph file, a byte of value 1, a labels file that serves as vertices file too.
MATCHA_FUZZER(load_labels) {
  using namespace matcha::runtime;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = bytes.find('\x01');
  if (cut == std::string_view::npos) return;
  const fuzz::MemoryFile edges(bytes.substr(0, cut));
  const fuzz::MemoryFile labels(bytes.substr(cut + 1));
  GraphSpec spec;
  spec.path = edges.path();
  spec.labels_path = labels.path();
  Result<LoadedGraph> loaded = load_graph(spec, fuzz::fuzz_options());
  if (loaded) fuzz::check_graph(loaded->graph);
  spec.labels_path.clear();
  spec.vertices_path = labels.path();
  loaded = load_graph(spec, fuzz::fuzz_options());
  if (loaded) fuzz::check_graph(loaded->graph);
}
