#pragma once

#include <cstdint>

#include "engines/identities/vertex_loop.h"
#include "engines/messages/query.h"
#include "engines/search/stops.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::runtime::messages {

struct MapRequest {
  unsigned threads = 1;
  std::uint64_t part = 0;  ///< Of the images of the vertex that all are tried of, this part alone,
  std::uint64_t parts = 1;
  match::Stops stops;
};

struct MapOutcome {
  motif::End end = motif::End::Complete;
  __int128 maps = 0;
  bool overflow = false;        ///< The number, or one that it is made of, is 2^127 or more.
  std::uint64_t positions = 0;  ///< Images that were tried.
  double index_ms = 0;          ///< Finding rows by vertex.
  double count_ms = 0;
};

/// Counts the maps of the query into a directed graph whose edges have ints as labels. Requires: the query is
/// connected, has an arc, and the plan is one for it. Errors: the edges have no labels; out of memory.
Result<MapOutcome> count_maps(const Graph& graph, const MapQuery& query, const MapPlan& plan,
                              const MapRequest& request);

}  // namespace matcha::runtime::messages
