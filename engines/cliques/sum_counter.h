#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/cliques/sample.h"
#include "engines/identities/vertex_loop.h"
#include "engines/search/stops.h"
#include "runtime/cpu/set_kernels.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::runtime::cliques {

/// Rows of counts, valid during the call.
struct SumRows {
  std::uint64_t count = 0;
  std::vector<const std::uint32_t*> ends;  ///< Columns: the rank of the vertex, or the ranks of both ends of the edge.
  const std::int64_t* sizes = nullptr;     ///< Of rows of all sizes: the vertices of the cliques; else null.
  const std::int64_t* cliques = nullptr;
};

struct SumRequest {
  std::uint32_t size = 0;  ///< Of cliques, at least 2; 0: of all sizes from 2 on, then rows of no clique are left out.
  bool by_edge = false;    ///< One row per edge, with the smaller rank first; false: one per vertex.
  unsigned threads = 1;    ///< One, or as many as oneTBB has.
  Tier tier = Tier::Scalar;
  match::Stops stops;
  std::function<void(const ExpectedWork&)> on_expected = {};  ///< Gets what all of the trees are expected to take.
  std::function<bool(const SumRows&)> on_rows;  ///< Takes rows, by size and ascending; returns false to stop.
};

struct SumOutcome {
  motif::End end = motif::End::Complete;  ///< If it is not complete, rows are missing.
  bool refused = false;                   ///< `on_rows` returned false.
  std::uint64_t rows = 0;
  std::vector<std::pair<std::string_view, double>> times;  ///< Milliseconds of the parts, in order.
};

/// The bits that counts of the graph may have, and sums of rows on the way.
inline constexpr std::uint32_t kMostBitsOfSums = 128;

/// Counts the cliques of a size at each vertex or edge. Requires: an undirected simple graph without a hash index.
/// Errors: Resource when out of memory; Runtime where all cliques of a size may be a number of more than 128 bits,
/// before anything is counted, and where those of a row are one of more than 63, before any row of this size.
Result<SumOutcome> count_cliques_at(const Graph& graph, const SumRequest& request);

}  // namespace matcha::runtime::cliques
