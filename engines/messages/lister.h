#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "engines/messages/counter.h"
#include "engines/messages/query.h"
#include "runtime/graph/graph.h"
#include "runtime/result.h"

namespace matcha::runtime::messages {

/// Maps as columns of `count` items.
struct MapBlock {
  const std::uint32_t* const* vertices;  ///< The ranks of the images of each vertex of the pattern.
  /// For each arc, the labels of its images; null for an arc with a single label.
  const std::int64_t* const* labels;
  std::uint64_t count = 0;
};
/// Takes maps, which are valid during the call. Calls are serialized, from any thread. Returns false to stop.
using TakeMaps = std::function<bool(const MapBlock& maps)>;

struct ListRequest {
  MapRequest run;
  std::optional<std::uint64_t> most;  ///< The number of maps wanted; exactly that many are found, if they exist.
  TakeMaps take;                      ///< Empty: maps are only counted.
};

struct ListOutcome {
  MapOutcome found;     ///< Its maps are those that were taken, also if the run was ended.
  bool is_cut = false;  ///< `take` returned false or `most` was reached.
};

/// Lists the maps that `count_maps` counts, in no particular order: one map for each choice of edges. It never extends
/// images that lead to no map. Requires and errors: as `count_maps`.
Result<ListOutcome> list_maps(const Graph& graph, const MapQuery& query, const MapPlan& plan,
                              const ListRequest& request);

}  // namespace matcha::runtime::messages
