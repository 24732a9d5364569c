#include <cstdlib>

#include "tests/fuzz/fuzzer.h"
#include "tests/fuzz/loaders/loader_input.h"

/// A byte of options, then triples.
MATCHA_FUZZER(load_ntriples) {
  using namespace matcha::runtime;
  if (size == 0) return;
  const fuzz::MemoryFile file(std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1));
  GraphSpec spec;
  spec.path = file.path();
  spec.format = (data[0] & 1U) != 0 ? Format::NTriples : Format::Auto;
  spec.directed = (data[0] & 2U) != 0;
  spec.edge_info = (data[0] & 4U) != 0;
  spec.keep_loops = spec.directed && spec.edge_info;
  spec.info = ColumnKind::Label;
  spec.table.drop_literals = (data[0] & 8U) != 0;
  const Result<LoadedGraph> loaded = load_graph(spec, fuzz::fuzz_options());
  if (!loaded) {
    if (loaded.error().message.empty()) std::abort();
    return;
  }
  if (!spec.keep_loops) fuzz::check_graph(loaded->graph);
  const IdNames* const names = loaded->graph.universe().names().get();
  for (std::uint64_t place = 0; names != nullptr && place < names->size(); ++place) {
    const std::string name = names->name(place);
    if (name.empty() || names->find(name) != place) std::abort();
  }
}
