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
  std::vector<const std::uint32_t*> ends;   ///< Columns: the rank of the vertex, or the ranks of both ends of the edge.
  std::vector<const std::int64_t*> orbits;  ///< Columns: a count for each orbit.
};

struct OrbitRequest {
  int vertices = 4;      ///< The most vertices of a pattern, at most 5; the fewest is 2.
  bool by_edge = false;  ///< One row per edge, with the smaller rank first; false: one per vertex.
  bool induced = true;   ///< Vertex-induced; else edge-induced.
  unsigned threads = 1;  ///< One, or as many as oneTBB has.
  match::Stops stops;
  std::function<bool(const OrbitRows&)> on_rows;  ///< Takes rows, ascending; returns false to stop.
};

struct OrbitOutcome {
  End end = End::Complete;  ///< If it is not complete, rows are missing.
  bool refused = false;     ///< `on_rows` returned false.
  std::uint64_t rows = 0;
  std::vector<std::pair<std::string_view, double>> times;  ///< Milliseconds of the parts, in order.
};

/// Counts, for each vertex or edge, the subgraphs that contain it in each orbit. Requires: `graph` as in
/// `rank_for_motifs`. Errors: Resource when out of memory, Runtime when a count does not fit into 64 bits.
Result<OrbitOutcome> count_orbits(const Graph& graph, const OrbitRequest& request);

}  // namespace matcha::runtime::motif
