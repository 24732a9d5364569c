#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/identities/orbit.h"
#include "engines/identities/vertex_loop.h"
#include "engines/search/stops.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::runtime::motif {

/// Rows of counts, valid during the call.
struct OrbitRows {
  std::uint64_t count = 0;
  std::vector<const std::uint32_t*> ends;   ///< Columns: the rank of the vertex, or those of the ends of the edge.
  std::vector<const std::int64_t*> orbits;  ///< Columns: a count for each orbit.
};

struct OrbitRequest {
  int vertices = 4;      ///< Orbits of patterns of 2 to so many vertices, at most 5, or 4 by edge.
  bool by_edge = false;  ///< A row an edge, with the smaller rank first; else a row a vertex.
  bool induced = true;   ///< Vertex-induced; else edge-induced.
  unsigned threads = 1;  ///< One, or as many as oneTBB has.
  match::Stops stops;
  std::function<bool(const OrbitRows&)> on_rows;  ///< Takes rows, ascending; false: no more of them.
};

struct OrbitOutcome {
  End end = End::Complete;  ///< Once it is not complete, rows are missing.
  bool refused = false;     ///< `on_rows` did not want more.
  std::uint64_t rows = 0;
  std::vector<std::pair<std::string_view, double>> times;  ///< Milliseconds of the parts, in order.
};

/// Counts, for each vertex or edge, the subgraphs that have it in each orbit. Requires: `graph` as in
/// `rank_for_motifs`. Errors: Resource when out of memory, Runtime when a count does not fit into 64 bits.
Result<OrbitOutcome> count_orbits(const Graph& graph, const OrbitRequest& request);

}  // namespace matcha::runtime::motif
