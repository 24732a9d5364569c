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
  const std::int64_t* sizes = nullptr;     ///< The size of the cliques of each row; null if all have one size.
  const std::int64_t* cliques = nullptr;
};

struct SumRequest {
  /// The vertices of a clique, at least 2. 0: all sizes from 2 on; rows with a count of 0 are left out.
  std::uint32_t size = 0;
  bool by_edge = false;  ///< One row per edge, with the smaller rank first; false: one per vertex.
  unsigned threads = 1;  ///< One, or as many as oneTBB has.
  Tier tier = Tier::Scalar;
  match::Stops stops;
  std::function<void(const ExpectedWork&)> on_expected = {};  ///< Gets the expected work of all trees.
  std::function<bool(const SumRows&)> on_rows;  ///< Takes rows, by size and ascending; returns false to stop.
};

struct SumOutcome {
  motif::End end = motif::End::Complete;  ///< If it is not complete, rows are missing.
  bool refused = false;                   ///< `on_rows` returned false.
  std::uint64_t rows = 0;
  std::vector<std::pair<std::string_view, double>> times;  ///< Milliseconds of the parts, in order.
};

/// The most bits of a count of the whole graph, and of the sums that lead to rows.
inline constexpr std::uint32_t kMostBitsOfSums = 128;

/// Counts the cliques of a size at each vertex or edge. Requires: an undirected simple graph without a hash index.
/// Errors: Resource when out of memory; Runtime, before counting, if the number of all cliques of a size may have more
/// than 128 bits; Runtime, before any row of a size, if a count of that size has more than 63 bits.
Result<SumOutcome> count_cliques_at(const Graph& graph, const SumRequest& request);

}  // namespace matcha::runtime::cliques
