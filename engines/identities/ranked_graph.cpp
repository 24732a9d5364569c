#include "engines/identities/ranked_graph.h"

#include <new>
#include <utility>

#include "runtime/graph/order.h"

namespace matcha::runtime::motif {

Result<RankedGraph> rank_for_motifs(const Graph& graph) {
  Graph ordered = MATCHA_TRY(ordered_by_degree(graph, Halves::Upper));
  RankedGraph ranked;
  ranked.graph = std::move(ordered);
  const GraphView view = ranked.graph.view();
  ranked.size = view.universe;
  ranked.arcs = view.arc_count;
  ranked.offsets = view.offsets;
  ranked.near = view.neighbors;
  try {
    ranked.split = Buffer<std::uint64_t>(ranked.size);
    ranked.twin = Buffer<std::uint64_t>(ranked.arcs);
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, "not enough memory to rank the vertices by degree", {}, 0, {}};
  }
  // Vertices are processed in ascending order, so the reverse arcs are met in the order of each row.
  for (std::uint64_t v = 0; v < ranked.size; ++v) ranked.split[v] = ranked.offsets[v];
  for (std::uint64_t v = 0; v < ranked.size; ++v) {
    for (std::uint64_t p = ranked.split[v]; p < ranked.offsets[v + 1]; ++p) {
      const std::uint64_t back = ranked.split[ranked.near[p]]++;
      ranked.twin[p] = back;
      ranked.twin[back] = p;
    }
  }
  return ranked;
}

}  // namespace matcha::runtime::motif
