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
  const std::int64_t* const* labels;     ///< Of the images of each arc; null: of one that has but one.
  std::uint64_t count = 0;
};
/// Takes maps, which are valid during the call. One call at a time, from any thread. False: no more are wanted.
using TakeMaps = std::function<bool(const MapBlock& maps)>;

struct ListRequest {
  MapRequest run;
  std::optional<std::uint64_t> most;  ///< So many maps are enough; exactly so many are found, if there are.
  TakeMaps take;                      ///< None: they are counted alone.
};

struct ListOutcome {
  MapOutcome found;     ///< Its maps are those that were taken, also when the run was ended.
  bool is_cut = false;  ///< No more maps were wanted.
};

/// Finds the maps that `count_maps` counts, one by one and in no particular order, and never goes on from images that
/// lead to none: a map for each choice of edges. Requires and errors: as `count_maps`.
Result<ListOutcome> list_maps(const Graph& graph, const MapQuery& query, const MapPlan& plan,
                              const ListRequest& request);

}  // namespace matcha::runtime::messages
