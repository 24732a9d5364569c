#include "tests/fuzz/loaders/loader_input.h"

#include <sys/mman.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "engines/identities/counter.h"
#include "engines/identities/orbit_counter.h"
#include "runtime/cpu/set_kernels.h"

namespace matcha::runtime::fuzz {

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// Whether each edge is there at both of its ends, as often.
bool is_symmetric(const GraphView& view) {
  const auto times = [&](std::uint64_t vertex, std::uint32_t neighbor) {
    return std::count(view.neighbors + view.offsets[vertex], view.neighbors + view.offsets[vertex + 1], neighbor);
  };
  for (std::uint32_t vertex = 0; vertex < view.universe; ++vertex) {
    for (std::uint64_t arc = view.offsets[vertex]; arc < view.offsets[vertex + 1]; ++arc) {
      if (times(vertex, view.neighbors[arc]) != times(view.neighbors[arc], vertex)) return false;
    }
  }
  return true;
}

std::uint64_t triangles_of(const GraphView& view) {
  const auto is_edge = [&](std::uint32_t u, std::uint32_t v) {
    return std::binary_search(view.neighbors + view.offsets[u], view.neighbors + view.offsets[u + 1], v);
  };
  std::uint64_t triangles = 0;
  for (std::uint32_t u = 0; u < view.universe; ++u) {
    for (std::uint32_t v = u + 1; v < view.universe; ++v) {
      for (std::uint32_t w = v + 1; is_edge(u, v) && w < view.universe; ++w)
        triangles += is_edge(u, w) && is_edge(v, w);
    }
  }
  return triangles;
}

/// Counts all that engines without generated code find in a small graph.
void run_engines(Graph& graph) {
  const GraphView view = graph.view();
  constexpr std::uint64_t kMostVertices = 64, kMostArcs = 1024;
  if (graph.facts().directed || view.universe > kMostVertices || view.arc_count > kMostArcs) return;
  require(is_symmetric(view));
  if (!graph.facts().simple || view.edge_info != nullptr || !ensure_split_offsets(graph)) return;
  motif::MotifRequest all;
  all.wanted.set();
  const Result<motif::MotifOutcome> counts = motif::count_motifs(graph, all, set_kernels(best_tier()));
  require(counts && counts->counts[motif::at(motif::Motif::Triangle)] == static_cast<__int128>(triangles_of(view)));
  for (const bool by_edge : {false, true}) {
    motif::OrbitRequest orbits;
    orbits.vertices = by_edge ? 4 : 5;
    orbits.by_edge = by_edge;
    orbits.on_rows = [](const motif::OrbitRows&) { return true; };
    require(static_cast<bool>(motif::count_orbits(graph, orbits)));
  }
}

}  // namespace

MemoryFile::MemoryFile(std::string_view bytes) : descriptor_(memfd_create("matcha-fuzz", MFD_CLOEXEC)) {
  require(descriptor_ >= 0);
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    require(done > 0);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

std::string MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

IoOptions fuzz_options() {
  static const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  IoOptions options;
  options.max_bytes = std::uint64_t{64} << 20;
  options.chunk_bytes = 64;
  return options;
}

void check_graph(const Graph& graph) {
  const GraphView view = graph.view();
  require(view.offsets != nullptr && view.offsets[0] == 0 && view.offsets[view.universe] == view.arc_count);
  for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
    require(view.offsets[rank] <= view.offsets[rank + 1] && view.offsets[rank + 1] <= view.arc_count);
    require(view.offsets[rank + 1] - view.offsets[rank] <= view.max_degree);
    for (std::uint64_t arc = view.offsets[rank]; arc < view.offsets[rank + 1]; ++arc) {
      require(view.neighbors[arc] < view.universe);
      require(!graph.facts().simple || view.neighbors[arc] != rank);
      const bool first = arc == view.offsets[rank];
      require(first || view.neighbors[arc - 1] < view.neighbors[arc] + (graph.facts().simple ? 0 : 1));
    }
    require(rank == 0 || graph.universe().id(rank - 1) < graph.universe().id(rank));
  }
  require(view.vertex_count <= view.universe);
  for (std::uint64_t at = 0; view.vertices != nullptr && at < view.vertex_count; ++at) {
    require(view.vertices[at] < view.universe && (at == 0 || view.vertices[at - 1] < view.vertices[at]));
  }
}

void load_as(std::string_view bytes, Format format) {
  const MemoryFile file(bytes);
  GraphSpec spec;
  spec.path = file.path();
  spec.format = format;
  for (int kind = 0; kind < 3; ++kind) {
    spec.directed = kind == 1;
    spec.temporal = kind == 2;
    Result<LoadedGraph> loaded = load_graph(spec, fuzz_options());
    if (loaded) {
      check_graph(loaded->graph);
      run_engines(loaded->graph);
      require(!loaded->report.render().empty());
    } else {
      require(!loaded.error().message.empty());
    }
  }
}

}  // namespace matcha::runtime::fuzz
