#pragma once

#include <cstdint>

#include "engines/identities/vertex_loop.h"
#include "engines/messages/query.h"
#include "engines/search/stops.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::runtime::messages {

/// How to count.
struct MapRequest {
  unsigned threads = 1;
  std::uint64_t part = 0;  ///< Counts only part `part` of `parts` of the images of the first vertex.
  std::uint64_t parts = 1;
  match::Stops stops;
};

struct MapOutcome {
  motif::End end = motif::End::Complete;
  __int128 maps = 0;
  bool overflow = false;        ///< The number, or an intermediate number, is 2^127 or more.
  std::uint64_t positions = 0;  ///< Images tried.
  double index_ms = 0;          ///< Time to build the index of rows by vertex.
  double count_ms = 0;
};

/// Counts the maps of the query into a directed graph with int edge labels. Requires: the query is connected and has an
/// arc, and the plan fits it. Errors: the edges have no labels; out of memory.
Result<MapOutcome> count_maps(const Graph& graph, const MapQuery& query, const MapPlan& plan,
                              const MapRequest& request);

}  // namespace matcha::runtime::messages
